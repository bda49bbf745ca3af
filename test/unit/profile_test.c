/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Profiles: every directive, every error, stacking, includes, look-up and
 * the automatic choice.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/stat.h>

#include <stdlib.h>

#include "ks/profile.h"
#include "manual.h"
#include "scratch.h"

static struct ks_profile *
parse(const char *text)
{
	struct ks_profile *p = ks_profile_new();
	struct ks_error e = { "" };
	int rc = ks_profile_parse(p, "t.prof", text, strlen(text), &e);

	assert_string_equal(e.text, "");
	assert_int_equal(rc, KS_OK);
	return p;
}

static void
assert_refused(const char *text, const char *want)
{
	struct ks_profile *p = ks_profile_new();
	struct ks_error e = { "" };
	int rc = ks_profile_parse(p, "t.prof", text, strlen(text), &e);

	assert_string_equal(e.text, want);
	assert_int_equal(rc, KS_EPARSE);
	ks_profile_free(p);
}

static void
roles_and_options(void **state)
{
	struct ks_profile *p = parse(
	    "enter e ctx 1 flags 2 atomic counted\n"
	    "leave l ctx 3\n"
	    "query q means thread,may-enter exact\n"
	    "query-mask f 0x80 means atomic\n"
	    "suspends s callback 0\n"
	    "alloc a flags 4 may-fail-if 0x1\n"
	    "free fr ctx 0\n"
	    "sleeps k kk flags 5 if-mask 0x400\n");
	const struct ks_rule *r;

	(void)state;
	r = ks_profile_role(p, "e", KS_ROLE_ENTER);
	assert_non_null(r);
	assert_int_equal(r->ctx, 1);
	assert_int_equal(r->flags, 2);
	assert_int_equal(r->callback, -1);
	assert_true(r->atomic);
	assert_true(r->counted);
	assert_false(r->exact);
	assert_string_equal(r->file, "t.prof");
	assert_int_equal(r->line, 1);
	assert_int_equal(r->col, 7);
	r = ks_profile_role(p, "l", KS_ROLE_LEAVE);
	assert_int_equal(r->ctx, 3);
	assert_int_equal(r->flags, -1);
	assert_false(r->atomic);
	r = ks_profile_role(p, "q", KS_ROLE_QUERY);
	assert_int_equal(r->means, KS_MEANS_THREAD | KS_MEANS_MAY_ENTER);
	assert_true(r->exact);
	r = ks_profile_role(p, "f", KS_ROLE_QUERY_MASK);
	assert_int_equal(r->mask, 0x80);
	assert_int_equal(r->means, KS_MEANS_ATOMIC);
	assert_false(r->exact);
	r = ks_profile_role(p, "s", KS_ROLE_SUSPENDS);
	assert_int_equal(r->callback, 0);
	r = ks_profile_role(p, "a", KS_ROLE_ALLOC);
	assert_int_equal(r->flags, 4);
	assert_int_equal(r->mask, 1);
	r = ks_profile_role(p, "fr", KS_ROLE_FREE);
	assert_int_equal(r->ctx, 0);
	r = ks_profile_role(p, "kk", KS_ROLE_SLEEPS);
	assert_int_equal(r->flags, 5);
	assert_int_equal(r->mask, 0x400);
	assert_null(ks_profile_role(p, "kk", KS_ROLE_ENTER));
	assert_null(ks_profile_role(p, "none", KS_ROLE_ENTER));
	assert_int_equal(p->rules.n, 9);
	ks_profile_free(p);
}

/* Directives that only name functions. */
static void
plain_roles(void **state)
{
	static const struct { const char *word; enum ks_role role; } d[] = {
		{ "forbid-atomic", KS_ROLE_FORBID_ATOMIC },
		{ "ignore-call", KS_ROLE_IGNORE_CALL },
		{ "indirect-thunk", KS_ROLE_INDIRECT_THUNK },
		{ "libcall", KS_ROLE_LIBCALL },
		{ "machinery", KS_ROLE_MACHINERY },
		{ "needs-marker", KS_ROLE_MARKER },
		{ "noreturn", KS_ROLE_NORETURN },
		{ "registration", KS_ROLE_REGISTRATION },
		{ "return-thunk", KS_ROLE_RETURN_THUNK },
		{ "sleeps", KS_ROLE_SLEEPS },
		{ "thread", KS_ROLE_THREAD },
		{ "enter-inline", KS_ROLE_ENTER_INLINE },
		{ "leave-inline", KS_ROLE_LEAVE_INLINE },
		{ "enter", KS_ROLE_ENTER },
		{ "leave", KS_ROLE_LEAVE },
	};
	char text[64], want[64];

	(void)state;
	for (size_t i = 0; i < sizeof(d) / sizeof(d[0]); i++) {
		struct ks_profile *p;

		snprintf(text, sizeof(text), "%s a b\n%s \"c\" d*", d[i].word,
		    d[i].word);
		p = parse(text);
		assert_int_equal(p->rules.n, 4);
		assert_non_null(ks_profile_role(p, "a", d[i].role));
		assert_non_null(ks_profile_role(p, "b", d[i].role));
		assert_non_null(ks_profile_role(p, "c", d[i].role));
		assert_non_null(ks_profile_role(p, "dx", d[i].role));
		assert_null(ks_profile_find(p, "e"));
		ks_profile_free(p);
		snprintf(want, sizeof(want),
		    "t.prof:1:1: expected a function behind '%s'", d[i].word);
		assert_refused(d[i].word, want);
	}
}

static void
other_directives(void **state)
{
	struct ks_profile *p = parse("version 1\n"
	    "kernel k1\n"
	    "source \"man(9)\" header.h\n"
	    "detect elf-osabi freebsd\n"
	    "detect section .modinfo\n"
	    "detect macro A B\n"
	    "detect symbol s\n"
	    "unit-if _KERNEL __KERNEL__\n"
	    "unit-unless BOOT -fpic\n"
	    "unit-unless VDSO\n"
	    "opaque \"struct ctx\"\n"
	    "fpu-enabled\n"
	    "flag F 0x4 atomic no-ctx\n"
	    "flag G 0\n"
	    "feature aes cpuid 1 ecx 25\n"
	    "feature avx512f,avx512vl cpuid 0x7.0 ebx 31 xcr0 0xe6\n"
	    "feature sha var cpu_x 4 0x20 xcr0 6\n"
	    "arch amd64 kernbase 0xffffffff80000000 stack-align 16 "
	    "baseline sse2\n"
	    "arch i386\n"
	    "cflags amd64 base \"-a -b\" simd aes,sse2 \"-c\" house \"-d\" "
	    "simd sha -e\n");

	(void)state;
	assert_string_equal(p->name, "k1");
	assert_int_equal(p->sources.n, 2);
	assert_string_equal(p->sources.v[1], "header.h");
	assert_int_equal(p->detects.n, 4);
	assert_int_equal(p->detects.v[0].kind, KS_DETECT_OSABI);
	assert_string_equal(p->detects.v[0].words[0], "freebsd");
	assert_int_equal(p->detects.v[1].kind, KS_DETECT_SECTION);
	assert_int_equal(p->detects.v[2].kind, KS_DETECT_MACRO);
	assert_string_equal(p->detects.v[2].words[1], "B");
	assert_null(p->detects.v[2].words[2]);
	assert_int_equal(p->detects.v[3].kind, KS_DETECT_SYMBOL);
	assert_int_equal(p->unit_if.n, 2);
	assert_string_equal(p->unit_if.v[0], "_KERNEL");
	assert_int_equal(p->unit_unless.n, 2);
	assert_string_equal(p->unit_unless.v[0].words[1], "-fpic");
	assert_null(p->unit_unless.v[0].words[2]);
	assert_string_equal(p->unit_unless.v[1].words[0], "VDSO");
	assert_string_equal(p->opaque.v[0], "struct ctx");
	assert_true(p->fpu_enabled);
	assert_int_equal(p->flags.n, 2);
	assert_int_equal(p->flags.v[0].value, 4);
	assert_true(p->flags.v[0].atomic && p->flags.v[0].no_ctx);
	assert_false(p->flags.v[1].atomic || p->flags.v[1].no_ctx);
	assert_int_equal(p->features.n, 3);
	assert_int_equal(p->features.v[0].gate.kind, KS_GATE_CPUID);
	assert_int_equal(p->features.v[0].gate.leaf, 1);
	assert_int_equal(p->features.v[0].gate.reg, 'c');
	assert_int_equal(p->features.v[0].gate.mask, 1 << 25);
	assert_int_equal(p->features.v[0].isa, KS_ISA_BIT(AES));
	assert_int_equal(p->features.v[0].xcr0, 0);
	assert_int_equal(p->features.v[1].gate.leaf, 7);
	assert_int_equal(p->features.v[1].gate.mask, 0x80000000);
	assert_int_equal(p->features.v[1].xcr0, 0xe6);
	assert_int_equal(p->features.v[1].isa,
	    KS_ISA_BIT(AVX512F) | KS_ISA_BIT(AVX512VL));
	assert_int_equal(p->features.v[2].gate.kind, KS_GATE_VAR);
	assert_string_equal(p->features.v[2].var_name, "cpu_x");
	assert_int_equal(p->features.v[2].gate.off, 4);
	assert_int_equal(p->features.v[2].gate.mask, 0x20);
	assert_int_equal(p->features.v[2].xcr0, 6);
	assert_true(ks_profile_arch(p, "amd64")->kernbase ==
	    UINT64_C(0xffffffff80000000));
	assert_int_equal(ks_profile_arch(p, "amd64")->stack_align, 16);
	assert_int_equal(ks_profile_arch(p, "amd64")->baseline,
	    KS_ISA_BIT(SSE2));
	assert_int_equal(ks_profile_arch(p, "i386")->stack_align, 0);
	assert_null(ks_profile_arch(p, "arm64"));
	assert_int_equal(p->cflags.n, 3);
	assert_int_equal(p->cflags.v[0].isa, 0);
	assert_string_equal(p->cflags.v[0].flags, "-a -b");
	assert_int_equal(p->cflags.v[1].isa,
	    KS_ISA_BIT(AES) | KS_ISA_BIT(SSE2));
	assert_string_equal(p->cflags.v[1].house, "-d");
	assert_string_equal(p->cflags.v[2].flags, "-e");
	assert_null(p->cflags.v[2].house);
	assert_string_equal(p->cflags.v[2].arch, "amd64");
	ks_profile_free(p);
}

static void
the_manuals_example(void **state)
{
	char *text = manual_example("ksimd.prof.5", 0);
	struct ks_profile *p = parse(text);

	(void)state;
	assert_string_equal(p->name, "mine");
	assert_true(ks_profile_role(p, "simd_enter", KS_ROLE_ENTER)->atomic);
	assert_int_equal(ks_profile_role(p, "kmem_alloc",
	    KS_ROLE_SLEEPS)->mask, 1);
	assert_int_equal(p->cflags.n, 2);
	ks_profile_free(p);
	free(text);
}

static void
errors_in_roles(void **state)
{
	static const struct { const char *text, *want; } bad[] = {
		{ "\n  entre f", "2:3: unknown directive 'entre'" },
		{ "\"enter\" f", "1:1: unknown directive 'enter'" },
		{ "enter f ctx", "1:9: expected an argument's position "
		    "behind 'ctx'" },
		{ "enter f ctx x", "1:13: expected an argument's position, "
		    "not 'x'" },
		{ "enter f ctx 64", "1:13: 64 is out of range for an "
		    "argument's position" },
		{ "enter f ctx -1", "1:13: -1 is out of range for an "
		    "argument's position" },
		{ "enter f ctx 1 ctx 2", "1:15: 'ctx' is given twice" },
		{ "enter f atomic g", "1:16: expected 'ctx', 'flags', "
		    "'atomic', 'counted', not 'g'" },
		{ "leave f atomic g\nleave g", "2:7: 'g' has this role "
		    "already, in line 1" },
		{ "enter \"\"", "1:7: empty name" },
		{ "enter a*b", "1:7: '*' is for the end of a name" },
		{ "enter **", "1:7: '*' is for the end of a name" },
		{ "machinery *", "1:11: '*' alone names every function" },
		{ "query f", "1:7: expected 'means' behind 'f'" },
		{ "query f means", "1:9: expected what it means: thread, "
		    "region, atomic or may-enter behind 'means'" },
		{ "query f means thread,x", "1:15: expected what it means: "
		    "thread, region, atomic or may-enter, not 'thread,x'" },
		{ "query-mask", "1:1: expected a field behind 'query-mask'" },
		{ "query-mask f", "1:12: expected a mask behind 'f'" },
		{ "query-mask f 0 means atomic", "1:14: 0 is out of range "
		    "for a mask" },
		{ "query-mask f 1 g", "1:16: expected 'means', 'exact', "
		    "not 'g'" },
		{ "suspends f", "1:10: expected 'callback' behind 'f'" },
		{ "alloc f", "1:7: expected 'flags' behind 'f'" },
		{ "alloc f may-fail-if 1", "1:21: expected 'flags' behind "
		    "'1'" },
		{ "free f", "1:6: expected 'ctx' behind 'f'" },
		{ "sleeps f flags 1", "1:16: expected 'if-mask' behind '1'" },
		{ "sleeps f if-mask 1", "1:18: expected 'flags' behind '1'" },
		{ "enter f \"x", "1:9: no closing quote on this line" },
	};
	char want[256];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(want, sizeof(want), "t.prof:%s", bad[i].want);
		assert_refused(bad[i].text, want);
	}
}

static void
errors_in_others(void **state)
{
	static const struct { const char *text, *want; } bad[] = {
		{ "kernel", "1:1: expected a name behind 'kernel'" },
		{ "kernel a b", "1:10: expected the end of the line, "
		    "not 'b'" },
		{ "version 2", "1:9: version 2 of the format is unknown, "
		    "only 1 is known" },
		{ "version x", "1:9: expected a version, not 'x'" },
		{ "kernel a\nversion 1", "2:1: 'version' is for the first "
		    "line" },
		{ "source", "1:1: expected a text behind 'source'" },
		{ "opaque \"\"", "1:8: expected a type, not ''" },
		{ "unit-if", "1:1: expected a macro behind 'unit-if'" },
		{ "unit-unless", "1:1: expected a macro or an option behind "
		    "'unit-unless'" },
		{ "unit-unless a b c d e f g h", "1:27: expected at most 7 "
		    "words, not 'h'" },
		{ "detect", "1:1: expected 'elf-osabi', 'section', 'macro' "
		    "or 'symbol' behind 'detect'" },
		{ "detect x y", "1:8: expected 'elf-osabi', 'section', "
		    "'macro' or 'symbol', not 'x'" },
		{ "detect macro", "1:8: expected a word behind 'macro'" },
		{ "detect macro a b c d e f g h", "1:28: expected at most 7 "
		    "words, not 'h'" },
		{ "fpu-enabled x", "1:13: expected the end of the line, "
		    "not 'x'" },
		{ "flag", "1:1: expected a flag's name behind 'flag'" },
		{ "flag F", "1:6: expected its value behind 'F'" },
		{ "flag F x", "1:8: expected its value, not 'x'" },
		{ "flag F 1 x", "1:10: expected 'atomic' or 'no-ctx', "
		    "not 'x'" },
		{ "feature", "1:1: expected instruction sets such as "
		    "aes,sse4.1 behind 'feature'" },
		{ "feature aes,x,sse2", "1:9: unknown instruction set 'x'" },
		{ "feature aes", "1:9: expected 'cpuid' or 'var' behind "
		    "'aes'" },
		{ "feature aes cpuid", "1:13: expected LEAF or LEAF.SUBLEAF "
		    "behind 'cpuid'" },
		{ "feature aes cpuid 1.x", "1:19: expected LEAF or "
		    "LEAF.SUBLEAF, not '1.x'" },
		{ "feature aes cpuid 0x100000000", "1:19: expected LEAF or "
		    "LEAF.SUBLEAF, not '0x100000000'" },
		{ "feature aes cpuid 1 esi", "1:21: expected eax, ebx, ecx "
		    "or edx, not 'esi'" },
		{ "feature aes cpuid 1 ecx 32", "1:25: 32 is out of range "
		    "for a bit" },
		{ "feature aes cpuid 1 ecx 1 y", "1:27: expected the end of "
		    "the line, not 'y'" },
		{ "feature aes cpuid 1 ecx 1 xcr0 0", "1:32: 0 is out of "
		    "range for a mask" },
		{ "feature aes var", "1:13: expected a variable behind "
		    "'var'" },
		{ "feature aes var v", "1:17: expected an offset behind "
		    "'v'" },
		{ "feature aes var v 0", "1:19: expected a mask behind '0'" },
		{ "arch", "1:1: expected an architecture behind 'arch'" },
		{ "arch a x", "1:8: expected 'kernbase', 'stack-align' or "
		    "'baseline', not 'x'" },
		{ "arch a kernbase x", "1:17: expected an address, "
		    "not 'x'" },
		{ "arch a stack-align 12", "1:20: an alignment is a power "
		    "of two" },
		{ "arch a stack-align 0", "1:20: 0 is out of range for an "
		    "alignment" },
		{ "arch a baseline x", "1:17: unknown instruction set 'x'" },
		{ "cflags", "1:1: expected an architecture behind "
		    "'cflags'" },
		{ "cflags a", "1:8: expected 'base' or 'simd' behind 'a'" },
		{ "cflags a x", "1:10: expected 'base' or 'simd', "
		    "not 'x'" },
		{ "cflags a base", "1:10: expected the flags, in quotes "
		    "behind 'base'" },
		{ "cflags a simd aes x house", "1:21: expected the flags, "
		    "in quotes behind 'house'" },
		{ "cflags a base x house y", "1:17: expected 'base' or "
		    "'simd', not 'house'" },
		{ "include", "1:1: expected a profile behind 'include'" },
		{ "include a b", "1:11: expected the end of the line, "
		    "not 'b'" },
	};
	char want[256];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(want, sizeof(want), "t.prof:%s", bad[i].want);
		assert_refused(bad[i].text, want);
	}
}

static void
exact_names_beat_prefixes(void **state)
{
	struct ks_profile *p = parse("sleeps wait_* wait_for_* b*\n"
	    "noreturn wait_* wait_for_me\nenter-inline *\n");
	const struct ks_rule *r;

	(void)state;
	r = ks_profile_find(p, "wait_for_you");
	assert_string_equal(r->name, "wait_for_*");
	assert_null(r->next);
	/* A shorter prefix may have the role. */
	r = ks_profile_role(p, "wait_for_you", KS_ROLE_NORETURN);
	assert_string_equal(r->name, "wait_*");
	r = ks_profile_find(p, "wait_for_me");
	assert_int_equal(r->role, KS_ROLE_NORETURN);
	r = ks_profile_role(p, "wait_for_me", KS_ROLE_SLEEPS);
	assert_string_equal(r->name, "wait_for_*");
	assert_string_equal(ks_profile_find(p, "wait_")->name, "wait_*");
	assert_string_equal(ks_profile_find(p, "wait")->name, "*");
	assert_string_equal(ks_profile_find(p, "")->name, "*");
	assert_string_equal(ks_profile_find(p, "b")->name, "b*");
	assert_string_equal(ks_profile_find(p, "zz")->name, "*");
	ks_profile_free(p);
	p = parse("kernel k");
	assert_null(ks_profile_find(p, "a"));
	assert_null(ks_profile_find(p, ""));
	ks_profile_free(p);
}

static void
load(struct ks_profile *p, const char *name)
{
	struct ks_error e = { "" };

	ks_profile_load(p, name, &e);
	assert_string_equal(e.text, "");
}

static void
later_files_win(void **state)
{
	struct ks_profile *p = ks_profile_new();
	const struct ks_rule *r;

	(void)state;
	scratch_file("one.prof", "kernel one\nenter f ctx 1\nleave g\n"
	    "arch a kernbase 1\nquery-mask m 1 means region\n"
	    "query-mask m 2 means atomic\n");
	scratch_file("two.prof", "kernel two\nenter f ctx 2\n"
	    "arch a kernbase 2\n");
	load(p, scratch_path("one.prof"));
	assert_string_equal(p->name, "one");
	load(p, scratch_path("two.prof"));
	assert_string_equal(p->name, "two");
	assert_int_equal(p->loaded.n, 2);
	r = ks_profile_role(p, "f", KS_ROLE_ENTER);
	assert_int_equal(r->ctx, 2);
	assert_int_equal(r->next->ctx, 1);
	assert_non_null(ks_profile_role(p, "g", KS_ROLE_LEAVE));
	assert_int_equal(ks_profile_arch(p, "a")->kernbase, 2);
	/* A field may be tested for several bits. */
	r = ks_profile_role(p, "m", KS_ROLE_QUERY_MASK);
	assert_int_equal(r->mask, 2);
	assert_int_equal(r->next->mask, 1);
	/* Once is enough. */
	load(p, scratch_path("two.prof"));
	assert_int_equal(p->loaded.n, 2);
	ks_profile_free(p);
}

static void
includes_are_relative(void **state)
{
	struct ks_profile *p = ks_profile_new();
	struct ks_error e;
	char want[700];

	(void)state;
	assert_int_equal(mkdir(scratch_path("sub"), 0700), 0);
	scratch_file("top.prof", "include sub/mid.prof\ninclude low\n"
	    "kernel top\ndetect symbol t\n");
	scratch_file("sub/mid.prof", "kernel mid\ninclude low\n"
	    "include ../other.prof\ndetect symbol m\n");
	scratch_file("sub/low.prof", "kernel low\nenter low\n");
	scratch_file("other.prof", "enter other\n");
	scratch_file("low.prof", "enter toplow\n");
	load(p, scratch_path("top.prof"));
	/* The including file names the kernel, and only it is detected. */
	assert_string_equal(p->name, "top");
	assert_int_equal(p->detects.n, 1);
	assert_string_equal(p->detects.v[0].words[0], "t");
	assert_int_equal(p->loaded.n, 5);
	assert_non_null(ks_profile_find(p, "low"));
	assert_non_null(ks_profile_find(p, "other"));
	assert_non_null(ks_profile_find(p, "toplow"));
	ks_profile_free(p);

	scratch_file("a.prof", "include b\n");
	scratch_file("b.prof", "\n include ./a.prof\n");
	p = ks_profile_new();
	assert_int_equal(ks_profile_load(p, scratch_path("a.prof"), &e),
	    KS_EPARSE);
	snprintf(want, sizeof(want), "%s/b.prof:2:10: '%s/./a.prof' includes "
	    "itself", scratch, scratch);
	assert_string_equal(e.text, want);
	ks_profile_free(p);

	p = ks_profile_new();
	assert_int_equal(ks_profile_load(p, scratch_file("c.prof",
	    "include d.prof\n"), &e), KS_EPARSE);
	snprintf(want, sizeof(want), "%s/c.prof:1:9: %s/d.prof: No such file "
	    "or directory", scratch, scratch);
	assert_string_equal(e.text, want);
	ks_profile_free(p);

	p = ks_profile_new();
	assert_int_equal(ks_profile_load(p, scratch_file("e.prof",
	    "include f\n"), &e), KS_EPARSE);
	snprintf(want, sizeof(want), "%s/e.prof:1:9: %s/f.prof: No such file "
	    "or directory", scratch, ks_profile_dir());
	assert_string_equal(e.text, want);
	ks_profile_free(p);
}

/* Shared parts are included by several files, but read once. */
static void
includes_are_read_once(void **state)
{
	struct ks_profile *p = ks_profile_new();
	char name[32], text[64];

	(void)state;
	scratch_file("part.prof", "enter part\n");
	scratch_file("x.prof", "include part\ninclude y\n");
	scratch_file("y.prof", "include part\n");
	load(p, scratch_path("x.prof"));
	assert_int_equal(p->loaded.n, 3);
	assert_int_equal(p->rules.n, 1);
	ks_profile_free(p);
	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "deep%d.prof", i);
		snprintf(text, sizeof(text), "include deep%d\n", i + 1);
		scratch_file(name, text);
	}
	p = ks_profile_new();
	assert_int_equal(ks_profile_load(p, scratch_path("deep0.prof"), NULL),
	    KS_EPARSE);
	ks_profile_free(p);
}

/* --- choice --------------------------------------------------------------- */

static bool
has(void *ctx, enum ks_detect_kind kind, const char *word)
{
	char text[64];

	snprintf(text, sizeof(text), " %d%s ", (int)kind, word);
	return strstr(ctx, text) != NULL;
}

/* What is chosen for the osabi and the things ("KINDWORD") the input has. */
static const char *
choose(const char *osabi, const char *things)
{
	static struct ks_error e;
	struct ks_arena *a = ks_arena_new();
	struct ks_detect_input in = { osabi, has, (void *)(uintptr_t)things };
	static char out[64];
	const char *name;
	int rc = ks_profile_detect(a, &in, &name, &e);

	if (rc != KS_OK) {
		assert_null(name);
		ks_arena_free(a);
		return e.text;
	}
	snprintf(out, sizeof(out), "%s", name);
	ks_arena_free(a);
	return out;
}

static void
detection(void **state)
{
	char dir[300];
	const char **names;
	struct ks_arena *a = ks_arena_new();
	size_t n;

	(void)state;
	snprintf(dir, sizeof(dir), "%s/known", scratch);
	assert_int_equal(mkdir(dir, 0700), 0);
	setenv("KSIMD_PROFILES", dir, 1);
	assert_string_equal(ks_profile_dir(), dir);
	assert_string_equal(choose("none", ""),
	    "cannot tell the kernel; choose a profile: none");
	scratch_file("known/bee.prof", "detect elf-osabi bee\n"
	    "detect macro A B\n");
	scratch_file("known/ant.prof", "detect section .ant\n"
	    "detect macro C\ndetect symbol s\n");
	scratch_file("known/big.prof", "include ant\ndetect symbol big\n");
	scratch_file("known/README", "no profile\n");
	scratch_file("known/.hidden.prof", "no profile\n");
	assert_int_equal(ks_profile_list(a, &names, &n, NULL), KS_OK);
	assert_int_equal(n, 3);
	assert_string_equal(names[0], "ant");
	assert_string_equal(names[1], "bee");
	assert_string_equal(names[2], "big");
	assert_string_equal(choose("bee", ""), "bee");
	assert_string_equal(choose(NULL, " 1.ant "), "ant");
	assert_string_equal(choose("none", " 3s "), "ant");
	assert_string_equal(choose(NULL, " 2A  2B "), "bee");
	assert_string_equal(choose(NULL, " 2A "),
	    "cannot tell the kernel; choose a profile: ant, bee, big");
	/* What includes another profile knows more. */
	assert_string_equal(choose(NULL, " 1.ant  3big "), "big");
	assert_string_equal(choose("bee", " 1.ant "), "several profiles fit "
	    "(ant, bee); choose one of: ant, bee, big");
	/* A profile that cannot be read is no reason to guess. */
	scratch_file("known/worse.prof", "what\n");
	assert_non_null(strstr(choose("bee", ""),
	    "worse.prof:1:1: unknown directive 'what'"));
	ks_arena_free(a);
}

static void
unknown_profiles_list_the_known(void **state)
{
	struct ks_profile *p = ks_profile_new();
	struct ks_error e;
	char dir[300], want[700];

	(void)state;
	snprintf(dir, sizeof(dir), "%s/two", scratch);
	assert_int_equal(mkdir(dir, 0700), 0);
	setenv("KSIMD_PROFILES", dir, 1);
	scratch_file("two/b.prof", "kernel b\n");
	scratch_file("two/a.prof", "kernel a\n");
	assert_int_equal(ks_profile_load(p, "c", &e), KS_EUSAGE);
	snprintf(want, sizeof(want), "no profile 'c' in %s; known: a, b", dir);
	assert_string_equal(e.text, want);
	assert_int_equal(ks_profile_load(p, "./c", &e), KS_EIO);
	assert_string_equal(e.text, "./c: No such file or directory");
	load(p, "b");
	assert_string_equal(p->name, "b");
	ks_profile_free(p);
	setenv("KSIMD_PROFILES", "", 1);
	assert_string_not_equal(ks_profile_dir(), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(roles_and_options),
		cmocka_unit_test(plain_roles),
		cmocka_unit_test(other_directives),
		cmocka_unit_test(the_manuals_example),
		cmocka_unit_test(errors_in_roles),
		cmocka_unit_test(errors_in_others),
		cmocka_unit_test(exact_names_beat_prefixes),
		cmocka_unit_test(later_files_win),
		cmocka_unit_test(includes_are_relative),
		cmocka_unit_test(includes_are_read_once),
		cmocka_unit_test(detection),
		cmocka_unit_test(unknown_profiles_list_the_known),
	};
	int failed;

	unsetenv("KSIMD_PROFILES");
	scratch_new();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	scratch_remove();
	return failed;
}
