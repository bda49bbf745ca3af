/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The kernels that random programs are for, twice: as the text that the
 * engine's profile is read from, and as the table that the exploration of
 * paths goes by.
 */
#include "random.h"

#define NOFLAGS		.flags = -1, .callback = -1
#define ENTER(n, c)	{ .name = n, .role = R_ENTER, NOFLAGS, \
			  .atomic = true, .counted = c }
#define ENTER_FLAGS(n, f, m) { .name = n, .role = R_ENTER, .flags = f, \
			  .mask = m, .callback = -1 }
#define QUERY(n, m, x)	{ .name = n, .role = R_QUERY, NOFLAGS, .means = m, \
			  .exact = x }
#define PLAIN(n, r)	{ .name = n, .role = r, NOFLAGS }
#define SLEEP_IF(n, f, m) { .name = n, .role = R_SLEEP, .flags = f, \
			  .mask = m, .callback = -1 }
#define SUSPEND(n, c)	{ .name = n, .role = R_SUSPEND, .flags = -1, \
			  .callback = c }
#define COMMON								\
	PLAIN("sleep", R_SLEEP), PLAIN("panic", R_PANIC),		\
	PLAIN("log", R_IGNORE), PLAIN("get", R_UNKNOWN)
#define COMMON_TEXT							\
	"sleeps sleep\n"						\
	"noreturn panic\n"						\
	"ignore-call log\n"

/* One kind of region, which must not sleep or nest. */
static const struct name atomic_names[] = {
	ENTER("fpu_begin", false),
	PLAIN("fpu_end", R_LEAVE),
	QUERY("fpu_usable", KS_MEANS_MAY_ENTER, false),
	QUERY("fpu_active", KS_MEANS_REGION, false),
	QUERY("fpu_held", KS_MEANS_REGION, true),
	PLAIN("fpu_assert", R_MARKER),
	SLEEP_IF("alloc", 0, 0x10),
	SUSPEND("fpu_pause", 0),
	COMMON
};

/* Contexts: regions nest and sleep, unless a flag says that they must not. */
static const struct name flags_names[] = {
	ENTER_FLAGS("fpu_enter", 1, 4),
	PLAIN("fpu_leave", R_LEAVE),
	QUERY("is_thread", KS_MEANS_THREAD, false),
	QUERY("is_nosave", KS_MEANS_ATOMIC, false),
	QUERY("is_atomic", KS_MEANS_ATOMIC, true),
	QUERY("is_held", KS_MEANS_REGION, true),
	QUERY("is_kernel", KS_MEANS_THREAD | KS_MEANS_REGION, false),
	PLAIN("thread_enter", R_THREAD),
	SLEEP_IF("malloc", 1, 2),
	COMMON
};

/* A depth is counted, on top of a kernel with one kind of region. */
static const struct name counted_names[] = {
	ENTER("dc_begin", true),
	PLAIN("dc_end", R_LEAVE),
	ENTER("fpu_begin", false),
	PLAIN("fpu_end", R_LEAVE),
	QUERY("dc_enabled", KS_MEANS_REGION, false),
	PLAIN("dc_assert", R_MARKER),
	SUSPEND("dc_pause", 1),
	COMMON
};

/* One kind of region, and threads that hold one for good. */
static const struct name threads_names[] = {
	ENTER("kern_enter", false),
	PLAIN("kern_leave", R_LEAVE),
	QUERY("is_thread", KS_MEANS_THREAD, true),
	QUERY("is_held", KS_MEANS_REGION, false),
	QUERY("is_atomic", KS_MEANS_ATOMIC, true),
	PLAIN("thread_enter", R_THREAD),
	COMMON
};

/* Regions are opened by saving the state, and closed by loading it. */
static const struct name inlined_names[] = {
	QUERY("usable", KS_MEANS_MAY_ENTER, true),
	QUERY("active", KS_MEANS_REGION, false),
	COMMON
};

#define NAMES(t)	.names = t, .nnames = sizeof(t) / sizeof(t[0])

const struct profile profiles[NPROFILE] = {
	{ .what = "atomic", NAMES(atomic_names), .atomic_only = true,
	  .from = 1 << FROM_OUT | 1 << FROM_ATOMIC,
	  .text = "kernel atomic\n"
	    "enter fpu_begin atomic\n"
	    "leave fpu_end\n"
	    "query fpu_usable means may-enter\n"
	    "query fpu_active means region\n"
	    "query fpu_held means region exact\n"
	    "needs-marker fpu_assert\n"
	    "sleeps alloc flags 0 if-mask 0x10\n"
	    "suspends fpu_pause callback 0\n" COMMON_TEXT },
	{ .what = "flags", NAMES(flags_names), .has_thread = true,
	  .from = 1 << FROM_OUT | 1 << FROM_REGION | 1 << FROM_ATOMIC |
	    1 << FROM_THREAD | 1 << FROM_THREAD_REGION |
	    1 << FROM_THREAD_ATOMIC,
	  .text = "kernel flags\n"
	    "enter fpu_enter flags 1\n"
	    "leave fpu_leave\n"
	    "flag NOCTX 4 atomic\n"
	    "query is_thread means thread\n"
	    "query is_nosave means atomic\n"
	    "query is_atomic means atomic exact\n"
	    "query is_held means region exact\n"
	    "query is_kernel means thread,region\n"
	    "thread thread_enter\n"
	    "sleeps malloc flags 1 if-mask 2\n" COMMON_TEXT },
	{ .what = "counted", NAMES(counted_names), .atomic_only = true,
	  .from = 1 << FROM_OUT | 1 << FROM_ATOMIC | 1 << FROM_COUNTED,
	  .text = "kernel counted\n"
	    "enter dc_begin atomic counted\n"
	    "leave dc_end\n"
	    "enter fpu_begin atomic\n"
	    "leave fpu_end\n"
	    "query dc_enabled means region\n"
	    "needs-marker dc_assert\n"
	    "suspends dc_pause callback 1\n" COMMON_TEXT },
	{ .what = "threads", NAMES(threads_names), .has_thread = true,
	  .from = 1 << FROM_OUT | 1 << FROM_ATOMIC | 1 << FROM_THREAD |
	    1 << FROM_THREAD_ATOMIC,
	  .text = "kernel threads\n"
	    "enter kern_enter atomic\n"
	    "leave kern_leave\n"
	    "query is_thread means thread exact\n"
	    "query is_held means region\n"
	    "query is_atomic means atomic exact\n"
	    "thread thread_enter\n" COMMON_TEXT },
	{ .what = "inlined", NAMES(inlined_names), .atomic_only = true,
	  .inlined = true,
	  .from = 1 << FROM_OUT | 1 << FROM_ATOMIC,
	  .text = "kernel inlined\n"
	    "enter-inline *\n"
	    "leave-inline *\n"
	    "query usable means may-enter exact\n"
	    "query active means region\n" COMMON_TEXT },
};
