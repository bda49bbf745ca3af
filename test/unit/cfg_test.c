/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Control-flow graphs: blocks, edges, stack depths, functions that do not
 * return, jump tables of linked files, and what code made to harm does to
 * them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cfg.h"
#include "obj_build.h"

/* One text of hex bytes; functions are added by name and offset. */
struct code {
	struct eb b;
	uint8_t	 bytes[4096];
	size_t	 n;
	unsigned text;
	struct ks_obj *o;
	struct ks_cfg_builder *cfg;
};

static void
code_new(struct code *c, bool is64)
{
	memset(c, 0, sizeof(*c));
	eb_new(&c->b, is64);
	c->text = eb_sect(&c->b, ".text", EB_TEXT, c->bytes, 0);
}

/* Adds "0f 0b" as function NAME (NULL: to the one before); its offset. */
static size_t
add(struct code *c, const char *name, const char *hex)
{
	size_t at = c->n;
	char *end;

	for (; *hex != '\0'; hex = end + strspn(end, " ")) {
		assert_true(c->n < sizeof(c->bytes));
		c->bytes[c->n++] = (uint8_t)strtoul(hex, &end, 16);
		assert_true(end != hex);
	}
	if (name != NULL)
		eb_func(&c->b, name, c->text, at, c->n - at);
	return at;
}

static void
code_read(struct code *c)
{
	c->b.sect[c->text].h.sh_size = c->n;
	c->o = eb_read(&c->b);
	c->cfg = ks_cfg_new(c->o, NULL);
}

static void
code_free(struct code *c)
{
	ks_cfg_free(c->cfg);
	ks_obj_free(c->o);
	eb_free(&c->b);
}

static uint32_t
index_of(const struct code *c, const char *name)
{
	const struct ks_ofunc *f = eb_function(c->o, name);

	assert_non_null(f);
	return (uint32_t)(f - c->o->funcs);
}

/* Everything that must hold of any graph. */
static void
check(const struct ks_cfg *g)
{
	uint32_t insns = 0, edges = 0, *preds;

	assert_true(g->blocks.n > 0);
	assert_int_equal(g->frames.n, g->blocks.n);
	preds = calloc(g->blocks.n, sizeof(*preds));
	for (uint32_t i = 0; i < g->blocks.n; i++) {
		const struct ks_cfg_block *k = &g->blocks.v[i];

		assert_int_equal(k->insn, insns);
		assert_int_equal(k->edge, edges);
		insns += k->ninsn;
		edges += k->nedge;
		for (uint32_t j = 0; j < k->ninsn; j++)
			assert_int_equal(g->insns.v[k->insn + j].block, i);
		if (k->end == KS_CFG_RET || k->end == KS_CFG_TAIL ||
		    k->end == KS_CFG_STOP)
			assert_int_equal(k->nedge, 0);
		if (k->end == KS_CFG_GOES)
			assert_true(k->nedge > 0);
	}
	assert_int_equal(insns, g->insns.n);
	assert_int_equal(edges, g->edges.n);
	for (uint32_t i = 0; i < g->edges.n; i++) {
		assert_true(g->edges.v[i].to < g->blocks.n);
		preds[g->edges.v[i].to]++;
	}
	for (uint32_t i = 0; i < g->blocks.n; i++)
		assert_int_equal(preds[i], g->blocks.v[i].npred);
	free(preds);
}

static const struct ks_cfg *
build(struct code *c, const char *name)
{
	const struct ks_cfg *g = ks_cfg_build(c->cfg, index_of(c, name));

	check(g);
	return g;
}

/* --- blocks ------------------------------------------------------------ */

static void
test_diamond(void **state)
{
	struct code c;
	const struct ks_cfg *g;

	(void)state;
	code_new(&c, true);
	/* test %edi,%edi; je 1f; inc %eax; jmp 2f; 1: dec %eax; 2: ret */
	add(&c, "f", "85 ff 74 04 ff c0 eb 02 ff c8 c3");
	code_read(&c);
	g = build(&c, "f");
	assert_int_equal(g->blocks.n, 4);
	assert_int_equal(g->blocks.v[0].ninsn, 2);
	assert_int_equal(g->blocks.v[0].nedge, 2);
	assert_int_equal(g->edges.v[0].kind, KS_EDGE_FALL);
	assert_int_equal(g->edges.v[1].kind, KS_EDGE_TAKEN);
	/* The join comes last, and has both ways in. */
	assert_int_equal(g->blocks.v[3].off, 10);
	assert_int_equal(g->blocks.v[3].npred, 2);
	assert_int_equal(g->blocks.v[3].end, KS_CFG_RET);
	assert_int_equal(g->bad.n, 0);
	assert_false(g->frame_odd);
	code_free(&c);
}

static void
test_loop_to_entry(void **state)
{
	struct code c;
	const struct ks_cfg *g;

	(void)state;
	code_new(&c, true);
	/* f: dec %edi; jne f; ret */
	add(&c, "f", "ff cf 75 fc c3");
	code_read(&c);
	g = build(&c, "f");
	assert_int_equal(g->blocks.n, 2);
	assert_int_equal(g->blocks.v[0].npred, 1);
	assert_int_equal(g->edges.v[0].to, 1);
	assert_int_equal(g->edges.v[1].to, 0);
	code_free(&c);
}

/* A jump into an instruction is another reading of the same bytes. */
static void
test_overlap(void **state)
{
	struct code c;
	const struct ks_cfg *g;

	(void)state;
	code_new(&c, true);
	/* je .+3 into the immediate of mov $0xc3c3c3c3,%eax; ret */
	add(&c, "f", "74 01 b8 c3 c3 c3 c3 c3");
	code_read(&c);
	g = build(&c, "f");
	assert_int_equal(g->bad.n, 0);
	assert_int_equal(g->blocks.n, 3);
	assert_int_equal(g->insns.n, 4);
	code_free(&c);
}

static void
test_bad_bytes(void **state)
{
	struct code c;
	const struct ks_cfg *g;

	(void)state;
	code_new(&c, true);
	add(&c, "f", "85 ff 75 01 c3 0f 04");
	add(&c, "past", "90 90 89 f8");
	code_read(&c);
	g = build(&c, "f");
	assert_int_equal(g->bad.n, 1);
	assert_int_equal(g->bad.v[0].off, 5);
	assert_string_equal(g->bad.v[0].why, "no known instruction");
	/* Two ways: one returns, the other is lost. */
	assert_int_equal(g->blocks.n, 3);
	assert_true((g->blocks.v[1].end == KS_CFG_LOST) !=
	    (g->blocks.v[2].end == KS_CFG_LOST));
	g = build(&c, "past");
	assert_int_equal(g->bad.n, 1);
	assert_string_equal(g->bad.v[0].why, "code runs past its section");
	code_free(&c);
}

static void
test_build_at(void **state)
{
	struct code c;
	const struct ks_cfg *g;

	(void)state;
	code_new(&c, true);
	add(&c, "f", "c3 90 ff c0 c3");
	code_read(&c);
	g = ks_cfg_build_at(c.cfg, eb_function(c.o, "f")->sect, 2);
	check(g);
	assert_int_equal(g->func, KS_NONE);
	assert_int_equal(g->off, 2);
	assert_int_equal(g->insns.n, 2);
	assert_int_equal(g->insns.v[0].in.op, KS_OP_INC);
	code_free(&c);
}

/* --- the stack --------------------------------------------------------- */

static void
test_depth(void **state)
{
	static const int32_t sp[] = { -8, -16, -16, -48, -48, -8 };
	struct code c;
	const struct ks_cfg *g;

	(void)state;
	code_new(&c, true);
	/* push %rbp; mov %rsp,%rbp; sub $32,%rsp; nop; leave; ret */
	add(&c, "f", "55 48 89 e5 48 83 ec 20 90 c9 c3");
	/* push %rax; ret */
	add(&c, "odd", "50 c3");
	/* push %rbp; mov %rsp,%rbp; and $-32,%rsp; push %rax; leave; ret */
	add(&c, "realigns", "55 48 89 e5 48 83 e4 e0 50 c9 c3");
	/* test %edi,%edi; je 1f; push %rax; 1: nop; ret */
	add(&c, "differs", "85 ff 74 01 50 90 c3");
	code_read(&c);
	g = build(&c, "f");
	assert_int_equal(g->insns.n, 6);
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(g->insns.v[i].spbase, KS_SP_CFA);
		assert_int_equal(g->insns.v[i].sp, sp[i]);
	}
	assert_false(g->frame_odd);
	assert_true(build(&c, "odd")->frame_odd);
	g = build(&c, "realigns");
	assert_int_equal(g->insns.v[2].spnew, KS_SP_REALIGNED);
	assert_int_equal(g->insns.v[3].spbase, KS_SP_REALIGNED);
	assert_int_equal(g->insns.v[3].sp, 0);
	assert_int_equal(g->insns.v[4].sp, -8);
	assert_int_equal(g->insns.v[5].spbase, KS_SP_CFA);
	assert_int_equal(g->from[KS_SP_REALIGNED].off, -16);
	assert_false(g->frame_odd);
	g = build(&c, "differs");
	assert_int_equal(g->insns.v[g->insns.n - 1].spbase, KS_SP_UNKNOWN);
	code_free(&c);
}

static void
test_depth32(void **state)
{
	struct code c;
	const struct ks_cfg *g;

	(void)state;
	code_new(&c, false);
	/* push %ebx; sub $8,%esp; add $8,%esp; pop %ebx; ret */
	add(&c, "f", "53 83 ec 08 83 c4 08 5b c3");
	code_read(&c);
	g = build(&c, "f");
	assert_int_equal(g->insns.v[0].sp, -4);
	assert_int_equal(g->insns.v[1].sp, -8);
	assert_int_equal(g->insns.v[2].sp, -16);
	assert_int_equal(g->insns.v[4].sp, -4);
	assert_false(g->frame_odd);
	code_free(&c);
}

/* --- functions that do not return -------------------------------------- */

static void
test_noreturn(void **state)
{
	static char chain[48][8];
	struct code c;

	(void)state;
	code_new(&c, true);
	add(&c, "ends", "85 ff 74 02 0f 0b cc");
	add(&c, "returns", "85 ff 74 02 0f 0b c3");
	/* call ends; ret: the ret is not reached */
	add(&c, "calls", "e8 ed ff ff ff c3");
	add(&c, "jumps", "eb f8");
	add(&c, "through", "ff e0");
	add(&c, "itself", "e8 fb ff ff ff c3");
	add(&c, "spins", "eb fe");
	/* Each calls the next; the last one ends. */
	for (int i = 0; i < 48; i++) {
		snprintf(chain[i], sizeof(chain[i]), "c%d", i);
		add(&c, chain[i], "e8 01 00 00 00 c3");
	}
	add(&c, "last", "0f 0b");
	code_read(&c);
	assert_true(ks_cfg_noreturn(c.cfg, index_of(&c, "ends")));
	assert_false(ks_cfg_noreturn(c.cfg, index_of(&c, "returns")));
	assert_true(ks_cfg_noreturn(c.cfg, index_of(&c, "calls")));
	assert_true(ks_cfg_noreturn(c.cfg, index_of(&c, "jumps")));
	assert_false(ks_cfg_noreturn(c.cfg, index_of(&c, "through")));
	/* Recursion is in doubt, and so is what is nested too deep. */
	assert_false(ks_cfg_noreturn(c.cfg, index_of(&c, "itself")));
	assert_true(ks_cfg_noreturn(c.cfg, index_of(&c, "spins")));
	assert_false(ks_cfg_noreturn(c.cfg, index_of(&c, "c0")));
	assert_true(ks_cfg_noreturn(c.cfg, index_of(&c, "c47")));
	assert_int_equal(build(&c, "calls")->insns.n, 1);
	assert_int_equal(build(&c, "calls")->blocks.v[0].end, KS_CFG_STOP);
	code_free(&c);
}

/* --- jump tables ------------------------------------------------------- */

/* Linked: no relocations, entries count by their value. */
static void
test_linked_table(void **state)
{
	static const uint64_t table[] = { 0x401010, 0x401012, 0x401014,
	    0x402000 };
	struct code c;
	const struct ks_cfg *g;
	unsigned data;

	(void)state;
	code_new(&c, true);
	c.b.linked = true;
	c.b.type = ET_EXEC;
	data = eb_sect(&c.b, ".rodata", SHF_ALLOC, table, sizeof(table));
	c.b.sect[c.text].h.sh_addr = 0x401000;
	c.b.sect[data].h.sh_addr = 0x402000;
	/* cmp $1,%edi; ja +13; mov %edi,%eax; jmp *0x402000(,%rax,8) */
	add(&c, NULL, "83 ff 01 77 0b 89 f8 ff 24 c5 00 20 40 00 90 90");
	add(&c, NULL, "ff c0 ff c8 c3 c3");
	eb_func(&c.b, "f", c.text, 0x401000, c.n);
	code_read(&c);
	g = build(&c, "f");
	for (uint32_t i = 0, n = 0; i < g->edges.n; i++) {
		n += g->edges.v[i].kind == KS_EDGE_TABLE;
		/* Two by the comparison; the third is another table's. */
		if (i == g->edges.n - 1)
			assert_int_equal(n, 2);
	}
	assert_int_equal(g->unknown_jumps, 0);
	code_free(&c);
}

/* --- code that is made to harm ----------------------------------------- */

/* Many functions that jump into the middle of a large one. */
static void
test_foreign_code(void **state)
{
	static uint8_t big[80000];
	struct eb b;
	struct ks_obj *o;
	struct ks_cfg_builder *cfg;
	unsigned text;
	uint64_t total = 0;
	bool refused = false;

	(void)state;
	memset(big, 0x90, sizeof(big));
	big[sizeof(big) - 1] = 0xc3;
	for (uint32_t i = 0; i < 40; i++) {
		int32_t rel = 1000 - 5 * (int32_t)(i + 1);

		big[5 * i] = 0xe9;
		memcpy(&big[5 * i + 1], &rel, 4);
	}
	eb_new(&b, true);
	text = eb_sect(&b, ".text", EB_TEXT, big, sizeof(big));
	for (uint32_t i = 0; i < 40; i++)
		eb_func(&b, "f", text, 5 * i, 5);
	eb_func(&b, "large", text, 200, sizeof(big) - 200);
	o = eb_read(&b);
	cfg = ks_cfg_new(o, NULL);
	for (uint32_t i = 0; i < o->nfunc; i++) {
		const struct ks_cfg *g = ks_cfg_build(cfg, i);

		check(g);
		total += g->insns.n;
		refused = refused || (g->bad.n != 0 && strcmp(g->bad.v[0].why,
		    "too much code outside the function") == 0);
	}
	assert_true(refused);
	assert_true(total < 4 * sizeof(big));
	ks_cfg_free(cfg);
	ks_obj_free(o);
	eb_free(&b);
}

static uint32_t
next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

/* Random code: graphs are whole, and so are the units made from them. */
static void
test_random(void **state)
{
	uint64_t seed = 20240611;
	uint64_t nodes = 0;

	(void)state;
	for (int round = 0; round < 300; round++) {
		static const uint8_t likely[] = { 0xe8, 0xe9, 0xeb, 0x74,
		    0x0f, 0x48, 0x89, 0x8b, 0xff, 0x24, 0x50, 0x58, 0x83,
		    0xec, 0xc4, 0xc3, 0x41, 0x44 };
		struct ks_findings *f = ks_findings_new();
		struct ks_unit *u = NULL;
		struct ks_error err = { "" };
		struct code c;
		uint64_t at = 0;

		code_new(&c, round % 4 != 0);
		for (size_t i = 0; i < 600; i++) {
			uint32_t r = next_random(&seed);

			c.bytes[c.n++] = r % 3 == 0 ? (uint8_t)(r >> 8) :
			    r % 3 == 1 ? (uint8_t)(r >> 8) % 64 :
			    likely[(r >> 8) % sizeof(likely)];
		}
		for (int i = 0; i < 20; i++) {
			uint64_t size = 1 + next_random(&seed) % 30;

			eb_func(&c.b, "f", c.text, at, size);
			at += size;
		}
		code_read(&c);
		for (uint32_t i = 0; i < c.o->nfunc; i++) {
			check(ks_cfg_build(c.cfg, i));
			c.o->funcs[i].flags |= KS_OFUNC_MATTERS;
		}
		if (ks_obj_lower(c.o, NULL, f, &u, &err) != KS_OK)
			fail_msg("%s", err.text);
		for (size_t i = 0; i < u->funcs.n; i++)
			nodes += u->funcs.v[i].nodes.n;
		ks_unit_free(u);
		ks_findings_free(f);
		code_free(&c);
	}
	assert_true(nodes > 10000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_diamond),
		cmocka_unit_test(test_loop_to_entry),
		cmocka_unit_test(test_overlap),
		cmocka_unit_test(test_bad_bytes),
		cmocka_unit_test(test_build_at),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_depth32),
		cmocka_unit_test(test_noreturn),
		cmocka_unit_test(test_linked_table),
		cmocka_unit_test(test_foreign_code),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
