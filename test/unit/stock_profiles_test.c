/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The profiles that come with ksimd: what the checks rely on is in them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "ks/profile.h"

static struct ks_profile *
load(const char *name)
{
	struct ks_profile *p = ks_profile_new();
	struct ks_error e = { "" };

	ks_profile_load(p, name, &e);
	assert_string_equal(e.text, "");
	assert_string_equal(p->name, name);
	return p;
}

/* Does a call of NAME with these FLAGS sleep, by the rules of P? */
static bool
sleeps(const struct ks_profile *p, const char *name, uint64_t flags)
{
	const struct ks_rule *r = ks_profile_role(p, name, KS_ROLE_SLEEPS);

	return r != NULL && (r->mask == 0 || (r->mask & flags) != 0);
}

static bool
role(const struct ks_profile *p, const char *name, enum ks_role role)
{
	return ks_profile_role(p, name, role) != NULL;
}

#define GFP_ATOMIC	0xa20
#define GFP_KERNEL	0xcc0

static void
linux_facts(void **state)
{
	struct ks_profile *p = load("linux");
	const struct ks_rule *r;

	(void)state;
	r = ks_profile_role(p, "kernel_fpu_begin_mask", KS_ROLE_ENTER);
	assert_true(r->atomic);
	assert_false(r->counted);
	assert_true(role(p, "kernel_fpu_end", KS_ROLE_LEAVE));
	assert_true(p->fpu_enabled);
	assert_int_equal(ks_profile_role(p, "may_use_simd",
	    KS_ROLE_QUERY)->means, KS_MEANS_MAY_ENTER);
	/* Allocation sleeps by its flags, a lock always. */
	assert_true(sleeps(p, "kmalloc", GFP_KERNEL));
	assert_false(sleeps(p, "kmalloc", GFP_ATOMIC));
	assert_int_equal(ks_profile_role(p, "kmalloc_trace",
	    KS_ROLE_SLEEPS)->flags, 1);
	assert_int_equal(ks_profile_role(p, "kmem_cache_alloc_lru",
	    KS_ROLE_SLEEPS)->flags, 2);
	assert_int_equal(ks_profile_role(p, "__alloc_pages",
	    KS_ROLE_SLEEPS)->flags, 0);
	assert_true(sleeps(p, "mutex_lock", 0));
	assert_false(sleeps(p, "mutex_trylock", 0));
	assert_false(sleeps(p, "mutex_unlock", 0));
	assert_false(sleeps(p, "down_read_trylock", 0));
	assert_true(sleeps(p, "wait_for_completion_timeout", 0));
	assert_false(sleeps(p, "try_wait_for_completion", 0));
	assert_true(sleeps(p, "_copy_from_user", 0));
	assert_false(sleeps(p, "copy_from_kernel_nofault", 0));
	assert_true(sleeps(p, "__SCT__cond_resched", 0));
	assert_true(role(p, "panic", KS_ROLE_NORETURN));
	assert_true(role(p, "__ubsan_handle_builtin_unreachable",
	    KS_ROLE_NORETURN));
	assert_false(role(p, "__ubsan_handle_add_overflow",
	    KS_ROLE_NORETURN));
	assert_true(role(p, "__fentry__", KS_ROLE_IGNORE_CALL));
	assert_true(role(p, "__x86_return_thunk", KS_ROLE_RETURN_THUNK));
	assert_true(role(p, "__x86_indirect_thunk_rax",
	    KS_ROLE_INDIRECT_THUNK));
	assert_true(role(p, "xrstors", KS_ROLE_MACHINERY));
	assert_true(role(p, "__muldf3", KS_ROLE_LIBCALL));
	assert_false(role(p, "__muldi3", KS_ROLE_LIBCALL));
	assert_true(ks_profile_arch(p, "amd64")->kernbase ==
	    UINT64_C(0xffffffff80000000));
	assert_int_equal(ks_profile_arch(p, "amd64")->stack_align, 8);
	ks_profile_free(p);
}

static void
freebsd_facts(void **state)
{
	struct ks_profile *p = load("freebsd");
	const struct ks_rule *r;
	bool noctx = false;

	(void)state;
	r = ks_profile_role(p, "fpu_kern_enter", KS_ROLE_ENTER);
	assert_int_equal(r->ctx, 1);
	assert_int_equal(r->flags, 2);
	assert_false(r->atomic);
	assert_int_equal(ks_profile_role(p, "fpu_kern_leave",
	    KS_ROLE_LEAVE)->ctx, 1);
	for (size_t i = 0; i < p->flags.n; i++) {
		bool is = strcmp(p->flags.v[i].name, "FPU_KERN_NOCTX") == 0;

		assert_int_equal(p->flags.v[i].atomic, is);
		assert_int_equal(p->flags.v[i].no_ctx, is);
		noctx |= is && p->flags.v[i].value == 4;
	}
	assert_true(noctx);
	assert_int_equal(ks_profile_role(p, "is_fpu_kern_thread",
	    KS_ROLE_QUERY)->means, KS_MEANS_THREAD);
	assert_false(ks_profile_role(p, "is_fpu_kern_thread",
	    KS_ROLE_QUERY)->exact);
	assert_true(role(p, "fpu_kern_thread", KS_ROLE_THREAD));
	assert_false(p->fpu_enabled);
	r = ks_profile_role(p, "pcb_flags", KS_ROLE_QUERY_MASK);
	assert_int_equal(r->mask, 0x80);
	assert_true(r->exact);
	r = ks_profile_role(p, "fpu_kern_alloc_ctx", KS_ROLE_ALLOC);
	assert_int_equal(r->flags, 0);
	assert_int_equal(r->mask, 1);
	/* A critical section forbids M_NOWAIT, too. */
	assert_int_equal(ks_profile_role(p, "malloc",
	    KS_ROLE_FORBID_ATOMIC)->mask, 0);
	assert_true(role(p, "free", KS_ROLE_FORBID_ATOMIC));
	assert_true(role(p, "uma_zalloc_arg", KS_ROLE_FORBID_ATOMIC));
	assert_true(sleeps(p, "__mtx_lock_flags", 0));
	assert_false(sleeps(p, "__mtx_lock_spin_flags", 0));
	assert_false(sleeps(p, "__mtx_unlock_flags", 0));
	assert_true(sleeps(p, "copyin", 0));
	assert_false(sleeps(p, "copyin_nofault", 0));
	assert_true(sleeps(p, "_callout_stop_safe", 1));
	assert_false(sleeps(p, "_callout_stop_safe", 0));
	assert_true(role(p, "cpu_switch", KS_ROLE_MACHINERY));
	assert_true(role(p, "mds_handler_skl_avx512", KS_ROLE_MACHINERY));
	assert_int_equal(ks_profile_arch(p, "amd64")->stack_align, 16);
	assert_int_equal(ks_profile_arch(p, "i386")->stack_align, 4);
	assert_string_equal(p->opaque.v[0], "struct fpu_kern_ctx");
	ks_profile_free(p);
}

static void
amdgpu_dc_facts(void **state)
{
	struct ks_profile *p = load("amdgpu-dc");
	const struct ks_rule *r;

	(void)state;
	r = ks_profile_role(p, "dc_fpu_begin", KS_ROLE_ENTER);
	assert_true(r->atomic);
	assert_true(r->counted);
	assert_true(role(p, "dc_fpu_begin", KS_ROLE_MACHINERY));
	assert_true(role(p, "dc_fpu_end", KS_ROLE_LEAVE));
	assert_true(role(p, "dc_assert_fp_enabled", KS_ROLE_MARKER));
	assert_true(role(p, "kernel_fpu_begin_mask", KS_ROLE_ENTER));
	ks_profile_free(p);
}

/* Every instruction set a CPUID bit stands for, once; variables agree. */
static void
features_are_complete(void **state)
{
	struct ks_profile *p = load("freebsd");
	ks_isaset cpuid = 0, none = KS_ISA_BIT(PADLOCK) | KS_ISA_BIT(NEON) |
	    KS_ISA_BIT(SVE) | KS_ISA_BIT(OTHER);

	(void)state;
	for (size_t i = 0; i < p->features.n; i++) {
		const struct ks_feature *f = &p->features.v[i];

		assert_int_equal(f->isa & (f->isa - 1), 0);
		if (f->gate.kind == KS_GATE_CPUID) {
			assert_int_equal(cpuid & f->isa, 0);
			cpuid |= f->isa;
			continue;
		}
		/* The variable holds the bit that CPUID gave. */
		for (size_t k = 0; k < p->features.n; k++) {
			const struct ks_feature *c = &p->features.v[k];

			if (c->gate.kind != KS_GATE_CPUID || c->isa != f->isa)
				continue;
			assert_int_equal(c->gate.mask, f->gate.mask);
			assert_int_equal(c->xcr0, f->xcr0);
		}
	}
	assert_true(cpuid == (((ks_isaset)1 << KS_ISA_MAX) - 1 - none));
	ks_profile_free(p);
}

static bool
has(void *ctx, enum ks_detect_kind kind, const char *word)
{
	return ks_profile_role(ctx, word, KS_ROLE_ENTER) != NULL &&
	    kind == KS_DETECT_SYMBOL;
}

static bool
has_macro(void *ctx, enum ks_detect_kind kind, const char *word)
{
	return kind == KS_DETECT_MACRO && strstr(ctx, word) != NULL;
}

static void
detected(const struct ks_detect_input *in, const char *want)
{
	struct ks_arena *a = ks_arena_new();
	struct ks_error e = { "" };
	const char *name = NULL;

	ks_profile_detect(a, in, &name, &e);
	assert_string_equal(e.text, "");
	assert_string_equal(name, want);
	ks_arena_free(a);
}

/* Objects that have what a profile names as an enter, and sources. */
static void
inputs_are_told_apart(void **state)
{
	static char linux_macros[] = "__KERNEL__ __linux__";
	static char freebsd_macros[] = "_KERNEL __FreeBSD__";
	struct ks_profile *dc = load("amdgpu-dc"), *lnx = load("linux");
	struct ks_detect_input in = { "none", has, dc };

	(void)state;
	detected(&in, "amdgpu-dc");
	in.ctx = lnx;
	detected(&in, "linux");
	in = (struct ks_detect_input){ "freebsd", NULL, NULL };
	detected(&in, "freebsd");
	in = (struct ks_detect_input){ NULL, has_macro, linux_macros };
	detected(&in, "linux");
	in.ctx = freebsd_macros;
	detected(&in, "freebsd");
	ks_profile_free(dc);
	ks_profile_free(lnx);
}

/* Every file says what its facts are from. */
static void
all_have_sources(void **state)
{
	struct ks_arena *a = ks_arena_new();
	const char **names;
	size_t n;

	(void)state;
	assert_int_equal(ks_profile_list(a, &names, &n, NULL), KS_OK);
	assert_true(n >= 3);
	for (size_t i = 0; i < n; i++) {
		struct ks_profile *p = load(names[i]);

		assert_true(p->sources.n > 0);
		/* Nothing in a unit tells this one from its kernel. */
		assert_int_equal(p->detects.n == 0,
		    strcmp(names[i], "openzfs-freebsd") == 0);
		assert_true(p->unit_if.n > 0);
		assert_true(p->archs.n > 0);
		ks_profile_free(p);
	}
	ks_arena_free(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(linux_facts),
		cmocka_unit_test(freebsd_facts),
		cmocka_unit_test(amdgpu_dc_facts),
		cmocka_unit_test(features_are_complete),
		cmocka_unit_test(inputs_are_told_apart),
		cmocka_unit_test(all_have_sources),
	};

	setenv("KSIMD_PROFILES", KS_PROFILE_DIR, 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
