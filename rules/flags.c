/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What single compiler flags do: to the instruction sets in force, and why
 * a kernel has them.
 *
 * Sets follow the compilers: a flag switches on all that its set implies;
 * its -mno- form switches off the set and all that imply it; the last word
 * counts.  -march is no part of this: it names a base that these change.
 *
 * Source: gcc 12 and clang 14 and 19, as measured; sys/conf/kern.mk.
 */
#include "lint.h"

#include <string.h>

static const struct { const char *word; ks_isaset set; bool on; } more[] = {
	{ "-msse4", KS_ISA_BIT(SSE42), true },
	{ "-mno-sse4", KS_ISA_BIT(SSE41), false },
	{ "-mfpu=neon", KS_ISA_BIT(NEON), true },
	{ "-mhard-float", KS_ISA_BIT(X87), true },
	{ "-mamx-int8", KS_ISA_BIT(AMX), true },
	{ "-mamx-bf16", KS_ISA_BIT(AMX), true },
	{ "-mgeneral-regs-only", ~(ks_isaset)0, false },
	/* -msoft-float leaves intrinsics alone; it is no set's flag here. */
};

enum ks_flag_kind
ks_flag_isa(const char *word, ks_isaset *set)
{
	bool off = strncmp(word, "-mno-", 5) == 0;

	*set = 0;
	if (strncmp(word, "-m", 2) != 0)
		return KS_FLAG_NONE;
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
		if (strcmp(more[i].word, word) == 0) {
			*set = more[i].set;
			return more[i].on ? KS_FLAG_ON : KS_FLAG_OFF;
		}
	}
	for (int i = 0; i < KS_ISA_MAX; i++) {
		const char *flag = ks_isa_flag((enum ks_isa)i);

		if (flag != NULL && strcmp(flag + 2,
		    word + (off ? 5 : 2)) == 0) {
			*set = (ks_isaset)1 << i;
			return off ? KS_FLAG_OFF : KS_FLAG_ON;
		}
	}
	return KS_FLAG_NONE;
}

ks_isaset
ks_flag_apply(ks_isaset set, const char *word)
{
	ks_isaset one;

	switch (ks_flag_isa(word, &one)) {
	case KS_FLAG_NONE:
		break;
	case KS_FLAG_ON:
		return set | ks_isa_closure(one);
	case KS_FLAG_OFF:
		for (int i = 0; i < KS_ISA_MAX; i++)
			if ((ks_isa_closure((ks_isaset)1 << i) & one) != 0)
				set &= ~((ks_isaset)1 << i);
		break;
	}
	return set;
}

bool
ks_flag_x86_only(const char *word)
{
	static const char *const others[] = {
		"-mcmodel=kernel", "-mno-red-zone", "-mred-zone",
		"-mpreferred-stack-boundary=3", "-mpreferred-stack-boundary=4",
		"-mno-80387", "-mno-fp-ret-in-387",
	};
	ks_isaset set;

	if (ks_flag_isa(word, &set) != KS_FLAG_NONE)
		return set != ~(ks_isaset)0 &&
		    (set & (KS_ISA_BIT(NEON) | KS_ISA_BIT(SVE))) == 0 &&
		    strcmp(word, "-mhard-float") != 0;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strcmp(word, others[i]) == 0)
			return true;
	return false;
}

static const struct { const char *prefix, *reason; } reasons[] = {
	{ "-O", "optimisation level" },
	{ "-pipe", "no temporary files between the compiler's parts" },
	{ "-g", "debug information" },
	{ "-c", "make an object, do not link" },
	{ "-o", "name of the output" },
	{ "-std=", "language standard" },
	{ "-include", "the kernel's options, before all else" },
	{ "-D_MM_MALLOC_H_INCLUDED", "keeps gcc's mm_malloc.h, and with it the "
	    "host's stdlib.h, out" },
	{ "-D__MM_MALLOC_H", "keeps clang's mm_malloc.h out" },
	{ "-D_KERNEL", "kernel code: headers show the kernel's part" },
	{ "-D__KERNEL__", "kernel code: headers show the kernel's part" },
	{ "-D", "macro" },
	{ "-U", "macro taken back" },
	{ "-isystem", "folder of headers that are not the kernel's" },
	{ "-I", "folder of headers" },
	{ "-nostdinc", "the host's headers must not leak in; it hides the "
	    "compiler's own as well" },
	{ "-ffreestanding", "no C library: the compiler calls none, and "
	    "clang's xmmintrin.h skips mm_malloc.h" },
	{ "-mcmodel=kernel", "the kernel is linked in the top 2 GiB: "
	    "addresses are 32 bits, sign-extended" },
	{ "-mno-red-zone", "an interrupt uses the same stack and overwrites "
	    "what is below the stack pointer" },
	{ "-msoft-float", "clang makes no vector code of its own "
	    "accord; intrinsics still work" },
	{ "-mno-80387", "no x87 code: long double becomes an error" },
	{ "-mno-fp-ret-in-387", "no result in an x87 register" },
	{ "-mgeneral-regs-only", "vector registers belong to user threads" },
	{ "-mhard-float", "floating point in registers" },
	{ "-mno-", "this state belongs to user threads, and is not saved when "
	    "the kernel is entered" },
	{ "-march=", "machine to compile for" },
	{ "-mcpu=", "machine to compile for" },
	{ "-mtune=", "machine to schedule for" },
	{ "-mpreferred-stack-boundary=", "gcc: log2 of the stack's alignment" },
	{ "-mstack-alignment=", "clang: the stack's alignment in bytes" },
	{ "-mregparm=", "arguments in registers" },
	{ "-ffixed-", "a register the kernel keeps for itself" },
	{ "-fwrapv", "signed overflow wraps" },
	{ "-fno-strict-overflow", "signed overflow wraps" },
	{ "-fno-strict-aliasing", "the kernel casts between types" },
	{ "-fno-common", "two definitions of a variable are an error" },
	{ "-fno-asynchronous-unwind-tables", "no .eh_frame section" },
	{ "-fno-omit-frame-pointer", "stack traces" },
	{ "-mno-omit-leaf-frame-pointer", "stack traces" },
	{ "-fstack-protector", "overflows of buffers are noticed" },
	{ "-fno-pic", "the kernel has a fixed address" },
	{ "-fno-pie", "the kernel has a fixed address" },
	{ "-fno-PIE", "the kernel has a fixed address" },
	{ "-fpic", "position-independent: refused by kernel loaders on amd64" },
	{ "-fPIC", "position-independent: refused by kernel loaders on amd64" },
	{ "-Werror", "warnings are errors" },
	{ "-Wno-error=cast-qual", "the intrinsics' headers cast qualifiers "
	    "away" },
	{ "-W", "warnings" },
};

const char *
ks_flag_reason(const char *word)
{
	ks_isaset set;

	if (ks_flag_isa(word, &set) == KS_FLAG_ON)
		return strcmp(word, "-mhard-float") == 0 ?
		    "floating point in registers" :
		    "instructions that the file uses";
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (strncmp(word, reasons[i].prefix,
		    strlen(reasons[i].prefix)) == 0)
			return reasons[i].reason;
	return NULL;
}
