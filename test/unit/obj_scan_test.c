/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The first level: what it flags, and what it decides to be worth lowering.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "obj_build.h"
#include "scratch.h"

static struct ks_profile *profile;

static const char profile_text[] =
    "version 1\n"
    "kernel scan\n"
    "source \"this test\"\n"
    "enter begin\n"
    "leave end\n"
    "query usable means may-enter\n"
    "thread own_thread\n"
    "needs-marker marker\n"
    "sleeps nap\n"
    "machinery swap_state\n"
    "ignore-call tracer\n"
    "indirect-thunk thunk_*\n"
    "arch amd64 kernbase 0xffffffff80000000 stack-align 8\n"
    "arch i386 kernbase 0xc0000000 stack-align 4\n";

/*
 * Code is written as one string per function: hex bytes, and names for
 * relocations: "e8 <begin" is a call, "48 8d 05 @table" a lea.  Functions
 * start at multiples of 32 bytes.
 */
struct code {
	struct eb b;
	uint8_t	 bytes[1024];
	size_t	 n;
	unsigned text;
	struct { const char *name; size_t at; bool branch; } fix[32];
	unsigned nfix;
};

#define STEP	32

static void
code_new(struct code *c, bool is64)
{
	memset(c, 0, sizeof(*c));
	eb_new(&c->b, is64);
	memset(c->bytes, 0xcc, sizeof(c->bytes));
	c->text = eb_sect(&c->b, ".text", EB_TEXT, c->bytes, 0);
}

static size_t
put(struct code *c, const char *text)
{
	size_t at = c->n;

	while (*text != '\0') {
		if (*text == '<' || *text == '@') {
			size_t n = strcspn(text, " ");

			c->fix[c->nfix].branch = *text == '<';
			c->fix[c->nfix].name = strndup(text + 1, n - 1);
			c->fix[c->nfix++].at = c->n;
			memset(c->bytes + c->n, 0, 4);
			c->n += 4;
			text += n;
		} else {
			c->bytes[c->n++] = (uint8_t)strtoul(text,
			    (char **)(uintptr_t)&text, 16);
		}
		text += strspn(text, " ");
	}
	return at;
}

static unsigned
func(struct code *c, const char *name, const char *text)
{
	size_t at;

	c->n = (c->n + STEP - 1) / STEP * STEP;
	at = put(c, text);
	return eb_func(&c->b, name, c->text, at, c->n - at);
}

static unsigned
find_sym(struct code *c, const char *name)
{
	for (unsigned i = 1; i < c->b.nsym; i++)
		if (strcmp(c->b.symname[i], name) == 0)
			return i;
	return eb_undef(&c->b, name);
}

static struct ks_obj *
scan(struct code *c)
{
	struct ks_error err = { "" };
	struct ks_obj *o;

	c->b.sect[c->text].h.sh_size = c->n;
	for (unsigned i = 0; i < c->nfix; i++)
		eb_rel(&c->b, c->text, c->fix[i].at, c->fix[i].branch ?
		    R_X86_64_PLT32 : R_X86_64_PC32, find_sym(c,
		    c->fix[i].name), -4);
	o = eb_read(&c->b);
	if (ks_obj_scan(o, profile, true, NULL, &err) != 0)
		fail_msg("%s", err.text);
	return o;
}

static void
code_free(struct code *c, struct ks_obj *o)
{
	ks_obj_free(o);
	eb_free(&c->b);
	for (unsigned i = 0; i < c->nfix; i++)
		free((void *)(uintptr_t)c->fix[i].name);
}

static uint32_t
flags(const struct ks_obj *o, const char *name)
{
	const struct ks_ofunc *f = eb_function(o, name);

	if (f == NULL)
		fail_msg("no function '%s'", name);
	return f->flags;
}

#define assert_has(o, name, what)					\
	assert_int_equal(flags(o, name) & (what), what)
#define assert_lacks(o, name, what)					\
	assert_int_equal(flags(o, name) & (what), 0)

#define MOVAPS	"0f 28 c1"		/* movaps %xmm1,%xmm0 */
#define RET	" c3"

/* --- flags of one function ----------------------------------------------------- */

static void
flags_simd_and_roles(void **state)
{
	struct ks_scan_stats st;
	struct ks_error err;
	struct code c;
	struct ks_obj *o;

	(void)state;
	code_new(&c, true);
	func(&c, "simd", MOVAPS RET);
	func(&c, "plain", "31 c0" RET);
	func(&c, "enters", "e8 <begin e8 <end" RET);
	func(&c, "asks", "e8 <usable" RET);
	func(&c, "sleeps", "e8 <nap" RET);
	o = scan(&c);
	assert_has(o, "simd", KS_OFUNC_SIMD | KS_OFUNC_MATTERS);
	assert_lacks(o, "plain", KS_OFUNC_SIMD | KS_OFUNC_MATTERS |
	    KS_OFUNC_ODD);
	assert_has(o, "enters", KS_OFUNC_ROLE | KS_OFUNC_MATTERS);
	assert_has(o, "asks", KS_OFUNC_ROLE | KS_OFUNC_MATTERS);
	assert_lacks(o, "sleeps", KS_OFUNC_ROLE | KS_OFUNC_MATTERS);
	assert_int_equal(ks_obj_scan(o, profile, false, &st, &err), 0);
	assert_int_equal(st.funcs, 5);
	assert_int_equal(st.simd_funcs, 1);
	assert_int_equal(st.matter, 3);
	assert_int_equal(st.insns, 2 + 2 + 3 + 2 + 2);
	assert_int_equal(st.bytes, 4 + 3 + 11 + 6 + 6);
	code_free(&c, o);
}

/* An object in which nothing matters. */
static void
nothing_matters(void **state)
{
	struct code c;
	struct ks_obj *o;

	(void)state;
	code_new(&c, true);
	func(&c, "a", "e8 <b" RET);
	func(&c, "b", "e8 <nap 74 01 90" RET);
	o = scan(&c);
	assert_int_equal(flags(o, "a"), 0);
	assert_int_equal(flags(o, "b"), 0);
	code_free(&c, o);
}

static void
below_the_stack(void **state)
{
	static const struct { const char *code; bool red; } t[] = {
		{ "89 44 24 fc" RET, true },		/* mov %eax,-4(%rsp) */
		{ "8b 44 24 04" RET, false },
		{ "48 8d 44 24 f8" RET, false },	/* lea */
		{ "f0 83 44 24 fc 00" RET, false },	/* lock addl $0 */
		{ "f0 83 44 24 fc 01" RET, true },
		/* push %rbp; mov %rsp,%rbp; mov %eax,-4(%rbp); pop %rbp */
		{ "55 48 89 e5 89 45 fc 5d" RET, true },
		/* ... with sub $16,%rsp; leave */
		{ "55 48 89 e5 48 83 ec 10 89 45 fc c9" RET, false },
		/* ... but 20 bytes down */
		{ "55 48 89 e5 48 83 ec 10 89 45 ec c9" RET, true },
		/* ... with push %rbx instead */
		{ "55 48 89 e5 53 48 89 45 f8 5b 5d" RET, false },
		{ "55 48 89 e5 53 48 89 45 f0 5b 5d" RET, true },
		/* ... with sub $0x100,%rsp */
		{ "55 48 89 e5 48 81 ec 00 01 00 00 89 45 80 c9" RET, false },
		/* %rbp is no frame pointer */
		{ "89 45 fc" RET, false },
		/* lea 16(%rsp),%rbp */
		{ "48 8d 6c 24 10 89 45 fc" RET, false },
		{ "48 8d 6c 24 10 89 45 e8" RET, true },
		/* EVEX with a scaled displacement: 64 bytes down */
		{ "55 48 89 e5 48 83 ec 20 62 f1 fe 48 7f 45 ff c9" RET,
		    true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct code c;
		struct ks_obj *o;

		code_new(&c, true);
		func(&c, "f", t[i].code);
		o = scan(&c);
		if (((flags(o, "f") & KS_OFUNC_RED_ZONE) != 0) != t[i].red)
			fail_msg("'%s'", t[i].code);
		assert_lacks(o, "f", KS_OFUNC_ODD);
		code_free(&c, o);
	}
}

/* --- where a linear walk is not enough ------------------------------------------- */

static void
odd_walks(void **state)
{
	struct code c;
	struct ks_obj *o;

	(void)state;
	code_new(&c, true);
	/* jmp into the immediate of the next instruction */
	func(&c, "inside", "eb 01 b8 90 90 90 90" RET);
	func(&c, "undecodable", "31 c0 c3 06" RET);
	func(&c, "cut", "31 c0 48 8b");
	func(&c, "loops", "ff c8 75 fc" RET);
	/* jmp into the middle of "inside"'s mov: both are odd */
	func(&c, "far", "e9 00 00 00 00");
	c.bytes[c.n - 4] = (uint8_t)(5 - (int)c.n);
	c.bytes[c.n - 3] = c.bytes[c.n - 2] = c.bytes[c.n - 1] = 0xff;
	func(&c, "outside", "eb 7f");
	o = scan(&c);
	assert_has(o, "inside", KS_OFUNC_ODD | KS_OFUNC_MATTERS);
	assert_has(o, "undecodable", KS_OFUNC_ODD);
	assert_has(o, "cut", KS_OFUNC_ODD);
	assert_lacks(o, "loops", KS_OFUNC_ODD);
	assert_has(o, "far", KS_OFUNC_ODD);
	assert_has(o, "outside", KS_OFUNC_ODD);
	code_free(&c, o);
}

/* Code in no function counts for who jumps to it, and for who falls into it. */
static void
code_in_gaps(void **state)
{
	struct code c;
	struct ks_obj *o;
	size_t at;

	(void)state;
	code_new(&c, true);
	func(&c, "jumps", "74 04 31 c0" RET);
	put(&c, "90 " MOVAPS RET);
	func(&c, "falls", "31 c0");
	put(&c, MOVAPS RET);
	func(&c, "ends", "31 c0" RET);
	put(&c, MOVAPS RET);
	/* a call starts a function of its own */
	func(&c, "calls", "e8 01 00 00 00" RET);
	at = put(&c, "e8 00 00 00 00" RET);
	put(&c, MOVAPS RET);
	o = scan(&c);
	assert_has(o, "jumps", KS_OFUNC_SIMD);
	assert_has(o, "falls", KS_OFUNC_SIMD);
	assert_lacks(o, "ends", KS_OFUNC_SIMD | KS_OFUNC_MATTERS);
	assert_has(o, "calls", KS_OFUNC_MATTERS);
	assert_lacks(o, "calls", KS_OFUNC_SIMD);
	assert_int_equal(o->nfunc, 5);
	assert_int_equal(o->funcs[4].off, at);
	assert_int_equal(o->funcs[4].flags, KS_OFUNC_GUESSED |
	    KS_OFUNC_MATTERS | KS_OFUNC_SIMD);
	code_free(&c, o);
}

/* What runs in place of a site is the site's function. */
static void
replacement_code(void **state)
{
	static const uint8_t repl[] = { 0x0f, 0x28, 0xc1, 0xe8, 0, 0, 0, 0 };
	static const uint8_t table[24] = { [10] = 3, [11] = 3, [22] = 5,
	    [23] = 5 };
	struct code c;
	struct ks_obj *o;
	unsigned r, t;

	(void)state;
	code_new(&c, true);
	func(&c, "site", "0f 1f 00" RET);
	func(&c, "other", "0f 1f 44 00 00" RET);
	func(&c, "third", "90" RET);
	r = eb_sect(&c.b, ".altinstr_replacement", EB_TEXT, repl,
	    sizeof(repl));
	t = eb_sect(&c.b, ".altinstructions", SHF_ALLOC, table,
	    sizeof(table));
	eb_sym(&c.b, "", STT_SECTION, STB_LOCAL, r, 0, 0);
	eb_rel(&c.b, t, 0, R_X86_64_PC32, 1, 0);
	eb_rel(&c.b, t, 4, R_X86_64_PC32, 4, 0);
	eb_rel(&c.b, t, 12, R_X86_64_PC32, 2, 0);
	eb_rel(&c.b, t, 16, R_X86_64_PC32, 4, 3);
	eb_rel(&c.b, r, 4, R_X86_64_PLT32, eb_undef(&c.b, "begin"), -4);
	o = scan(&c);
	assert_has(o, "site", KS_OFUNC_SIMD);
	assert_lacks(o, "site", KS_OFUNC_ROLE);
	assert_has(o, "other", KS_OFUNC_ROLE);
	assert_lacks(o, "other", KS_OFUNC_SIMD);
	assert_int_equal(flags(o, "third"), 0);
	code_free(&c, o);
}

/* A jump label's target and a fixup in a section of its own. */
static void
patched_jumps(void **state)
{
	static const uint8_t fixup[] = { 0x90, 0x0f, 0x28, 0xc1, 0xc3 };
	static const uint8_t zero[16], table[12] = { [8] = 1 };
	struct code c;
	struct ks_obj *o;
	unsigned x, j, e;

	(void)state;
	code_new(&c, true);
	func(&c, "label", "0f 1f 44 00 00" RET);
	put(&c, MOVAPS RET);
	func(&c, "faults", "8b 07" RET);
	x = eb_sect(&c.b, ".fixup", EB_TEXT, fixup, sizeof(fixup));
	j = eb_sect(&c.b, "__jump_table", SHF_ALLOC, zero, 16);
	e = eb_sect(&c.b, "__ex_table", SHF_ALLOC, table, 12);
	eb_sym(&c.b, "", STT_SECTION, STB_LOCAL, x, 0, 0);
	eb_rel(&c.b, j, 0, R_X86_64_PC32, 1, 0);
	eb_rel(&c.b, j, 4, R_X86_64_PC32, 1, 6);
	eb_rel(&c.b, e, 0, R_X86_64_PC32, 2, 0);
	eb_rel(&c.b, e, 4, R_X86_64_PC32, 3, 1);
	o = scan(&c);
	assert_has(o, "label", KS_OFUNC_SIMD);
	assert_has(o, "faults", KS_OFUNC_SIMD);
	assert_int_equal(o->nfunc, 2);
	code_free(&c, o);
}

static void
cold_parts(void **state)
{
	struct code c;
	struct ks_obj *o;

	(void)state;
	code_new(&c, true);
	func(&c, "f", "0f 84 <f.cold" RET);
	func(&c, "f.cold", MOVAPS RET);
	func(&c, "g", "e8 <g.cold" RET);
	func(&c, "g.cold", "90" RET);
	func(&c, "h", "e9 <f.cold");
	func(&c, "lonely.cold", "90" RET);
	for (unsigned i = 1; i < c.b.nsym; i++)
		if (strstr(c.b.symname[i], ".cold") != NULL)
			c.b.sym[i].st_info = ELF64_ST_INFO(STB_LOCAL,
			    STT_FUNC);
	o = scan(&c);
	assert_has(o, "f.cold", KS_OFUNC_PARTIAL | KS_OFUNC_SIMD);
	assert_ptr_equal(&o->funcs[eb_function(o, "f.cold")->parent],
	    eb_function(o, "f"));
	assert_has(o, "f", KS_OFUNC_MATTERS);
	assert_lacks(o, "g.cold", KS_OFUNC_PARTIAL);
	assert_lacks(o, "lonely.cold", KS_OFUNC_PARTIAL);
	code_free(&c, o);
}

/* --- what is worth lowering ----------------------------------------------------------- */

static void
callers_of_a_need(void **state)
{
	struct code c;
	struct ks_obj *o;

	(void)state;
	code_new(&c, true);
	func(&c, "simd", MOVAPS RET);
	func(&c, "caller", "e8 <simd" RET);
	func(&c, "tail", "e9 <caller");
	func(&c, "bracket", "e8 <begin e8 <tail e8 <end" RET);
	func(&c, "above", "e8 <bracket" RET);
	func(&c, "swap_state", MOVAPS RET);
	func(&c, "switches", "e8 <swap_state" RET);
	func(&c, "marked", "e8 <marker" RET);
	func(&c, "marks", "e8 <marked" RET);
	func(&c, "calls_pointer", "ff d0" RET);
	o = scan(&c);
	assert_has(o, "caller", KS_OFUNC_MATTERS);
	assert_has(o, "tail", KS_OFUNC_MATTERS);
	assert_has(o, "bracket", KS_OFUNC_MATTERS);
	assert_lacks(o, "above", KS_OFUNC_MATTERS);
	assert_has(o, "swap_state", KS_OFUNC_MATTERS);
	assert_lacks(o, "switches", KS_OFUNC_MATTERS);
	assert_has(o, "marks", KS_OFUNC_MATTERS);
	assert_lacks(o, "calls_pointer", KS_OFUNC_MATTERS);
	code_free(&c, o);
}

/* The address of what needs a region is taken: who calls through pointers? */
static void
pointers_to_a_need(void **state)
{
	static const uint8_t zero[16];

	(void)state;
	for (int turn = 0; turn < 2; turn++) {
		struct code c;
		struct ks_obj *o;
		unsigned d;

		code_new(&c, true);
		func(&c, "simd", MOVAPS RET);
		func(&c, "registers", "48 8d 05 @ops" RET);
		func(&c, "calls_pointer", "ff 50 08" RET);
		func(&c, "calls_thunk", "e8 <thunk_rax" RET);
		func(&c, "above", "e8 <calls_pointer" RET);
		func(&c, "plain", "90" RET);
		d = eb_sect(&c.b, ".data", SHF_ALLOC | SHF_WRITE, zero, 16);
		eb_sym(&c.b, "ops", STT_OBJECT, STB_GLOBAL, d, 0, 16);
		if (turn == 1)
			eb_rel(&c.b, d, 8, R_X86_64_64, 1, 0);
		o = scan(&c);
		if (turn == 0) {
			assert_lacks(o, "simd", KS_OFUNC_ADDR_TAKEN);
			assert_lacks(o, "calls_pointer", KS_OFUNC_MATTERS);
			assert_lacks(o, "registers", KS_OFUNC_MATTERS);
		} else {
			assert_has(o, "simd", KS_OFUNC_ADDR_TAKEN);
			assert_has(o, "calls_pointer", KS_OFUNC_MATTERS);
			assert_has(o, "calls_thunk", KS_OFUNC_MATTERS);
			assert_has(o, "above", KS_OFUNC_MATTERS);
			assert_has(o, "registers", KS_OFUNC_MATTERS);
		}
		assert_lacks(o, "plain", KS_OFUNC_MATTERS);
		code_free(&c, o);
	}
}

/* Half a bracket makes its callers brackets; what they call may sleep. */
static void
below_a_region(void **state)
{
	struct code c;
	struct ks_obj *o;

	(void)state;
	code_new(&c, true);
	func(&c, "my_begin", "e9 <begin");
	func(&c, "my_end", "e9 <end");
	func(&c, "user", "e8 <my_begin e8 <work e8 <my_end" RET);
	func(&c, "work", "e8 <deeper e8 <tracer" RET);
	func(&c, "deeper", "e9 <nap");
	func(&c, "tracer", "e8 <elsewhere" RET);
	func(&c, "elsewhere", "90" RET);
	func(&c, "above", "e8 <user" RET);
	func(&c, "both", "e8 <begin e8 <end" RET);
	func(&c, "uses_both", "e8 <both e8 <elsewhere" RET);
	o = scan(&c);
	assert_has(o, "my_begin", KS_OFUNC_MATTERS);
	assert_has(o, "user", KS_OFUNC_MATTERS);
	assert_has(o, "work", KS_OFUNC_MATTERS);
	assert_has(o, "deeper", KS_OFUNC_MATTERS);
	assert_lacks(o, "elsewhere", KS_OFUNC_MATTERS);
	assert_lacks(o, "above", KS_OFUNC_MATTERS);
	assert_lacks(o, "uses_both", KS_OFUNC_MATTERS);
	code_free(&c, o);
}

static void
exports(void **state)
{
	static const uint8_t zero[16];
	struct code c;
	struct ks_obj *o;
	unsigned k;

	(void)state;
	code_new(&c, true);
	func(&c, "simd", MOVAPS RET);
	func(&c, "hidden", MOVAPS RET);
	k = eb_sect(&c.b, "__ksymtab", SHF_ALLOC, zero, 12);
	eb_rel(&c.b, k, 0, R_X86_64_PC32, 1, 0);
	o = scan(&c);
	assert_has(o, "simd", KS_OFUNC_EXPORTED);
	assert_lacks(o, "simd", KS_OFUNC_ADDR_TAKEN);
	assert_lacks(o, "hidden", KS_OFUNC_EXPORTED);
	code_free(&c, o);
}

static void
i386(void **state)
{
	struct code c;
	struct ks_obj *o;

	(void)state;
	code_new(&c, false);
	func(&c, "simd", MOVAPS RET);
	func(&c, "red", "89 44 24 fc" RET);
	func(&c, "frame", "55 89 e5 83 ec 10 89 45 fc c9" RET);
	func(&c, "caller", "e8 <simd" RET);
	o = scan(&c);
	assert_has(o, "simd", KS_OFUNC_SIMD);
	assert_has(o, "red", KS_OFUNC_RED_ZONE);
	assert_lacks(o, "frame", KS_OFUNC_RED_ZONE);
	assert_has(o, "caller", KS_OFUNC_MATTERS);
	code_free(&c, o);
}

static int
setup(void **state)
{
	struct ks_error err;

	(void)state;
	scratch_new();
	profile = ks_profile_new();
	if (ks_profile_load(profile, scratch_file("scan.prof",
	    profile_text), &err) != 0)
		fail_msg("%s", err.text);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	ks_profile_free(profile);
	scratch_remove();
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flags_simd_and_roles),
		cmocka_unit_test(nothing_matters),
		cmocka_unit_test(below_the_stack),
		cmocka_unit_test(odd_walks),
		cmocka_unit_test(code_in_gaps),
		cmocka_unit_test(replacement_code),
		cmocka_unit_test(patched_jumps),
		cmocka_unit_test(cold_parts),
		cmocka_unit_test(callers_of_a_need),
		cmocka_unit_test(pointers_to_a_need),
		cmocka_unit_test(below_a_region),
		cmocka_unit_test(exports),
		cmocka_unit_test(i386),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
