/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Instructions that inline assembly spells by bytes: .byte 0x0f,0x01,0xca.
 *
 * 1. Sections are followed, since tables beside the code (exceptions, jump
 *    labels, alternatives' lengths) are bytes, too.  A section is code if
 *    its flags have an x, or if it has none and a name that code has.
 * 2. Neighbouring data directives make one run.  An operand that is not a
 *    plain number has bytes that are not known.
 * 3. A run is decoded from its start, one instruction behind the other.
 *    Known bytes must decide the opcode; the others may be what they like.
 * 4. What opcode it is tells whether SIMD state is used, saved or restored.
 *
 * What cannot be decoded is taken to be SIMD: never silence.  Prefixes alone
 * belong to the instruction in the next line, which tells for itself.
 *
 * Known limits: .fill, .skip and their like are taken to be padding.
 * Reference: Intel SDM vol. 2, appendix A; the GNU assembler's manual,
 * "Section", "PushSection"; VIA PadLock programming guide.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "asm_bytes.h"
#include "ks/decode.h"
#include "ks/graph.h"

static bool
prefix(const struct ks_asm *a, uint8_t c)
{
	switch (c) {
	case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65:
	case 0x66: case 0x67: case 0xf0: case 0xf2: case 0xf3:
		return (true);
	default:
		return (!a->i386 && (c & 0xf0) == 0x40);	/* REX */
	}
}

/* Group 15 and its like: S saves, R restores, by the ModRM's opcode. */
static bool
by_group(struct ks_asm *a, const char *groups, uint8_t modrm, unsigned classes)
{
	char c = groups[modrm >> 3 & 7];

	if (modrm >= 0xc0 || (c != 'S' && c != 'R'))
		return (false);
	a->classes |= classes;
	a->saves |= c == 'S';
	a->restores |= c == 'R';
	return (true);
}

static bool
x87(struct ks_asm *a, uint8_t op, uint8_t modrm)
{
	if (op == 0xd9 && by_group(a, "....RRSS", modrm, KS_RC_X87))
		return (true);
	if (op == 0xdd && by_group(a, "....R.SS", modrm, KS_RC_X87))
		return (true);
	if ((op == 0xdb && (modrm == 0xe2 || modrm == 0xe3)) ||
	    (op == 0xdf && modrm == 0xe0)) {
		a->classes |= KS_RC_X87;
		a->restores |= op == 0xdb;
		a->saves |= op == 0xdf;
		return (true);
	}
	return (false);
}

/* An 0f instruction; P is behind that byte, N long. */
static void
two_byte(struct ks_asm *a, const uint8_t *p, size_t n)
{
	uint8_t op = p[0], next = n > 1 ? p[1] : 0;

	if (op == 0xae && by_group(a, "SR..SRS.", next, KS_RC_XMM))
		return;
	if (op == 0xae && by_group(a, "..RS....", next, KS_RC_MXCSR))
		return;
	if (op == 0xc7 && by_group(a, "...RSS..", next, KS_RC_XMM))
		return;
	if (op == 0x77 || op == 0x0e) {
		a->classes |= KS_RC_MMX;
		a->restores = true;
	} else if (op == 0xa6 || op == 0xa7) {
		ks_asm_use(a, KS_RC_UNIT, KS_ISA_BIT(PADLOCK));
	} else if ((op == 0x38 && next >= 0xdb && next <= 0xdf) ||
	    (op == 0x3a && next == 0xdf)) {
		ks_asm_use(a, KS_RC_XMM, KS_ISA_BIT(AES));
	} else if (op == 0x3a && next == 0x44) {
		ks_asm_use(a, KS_RC_XMM, KS_ISA_BIT(PCLMUL));
	} else if ((op == 0x38 && next >= 0xc8 && next <= 0xcd) ||
	    (op == 0x3a && next == 0xcc)) {
		ks_asm_use(a, KS_RC_XMM, KS_ISA_BIT(SHA));
	} else {
		ks_asm_use(a, KS_RC_XMM, KS_ISA_BIT(SSE));
	}
}

/* P, N long, is an instruction that may touch SIMD state. */
static void
simd(struct ks_asm *a, const uint8_t *p, size_t n)
{
	size_t i = 0;

	while (i + 1 < n && prefix(a, p[i]))
		i++;
	if (p[i] == 0x0f && i + 1 < n)
		two_byte(a, p + i + 1, n - i - 1);
	else if (p[i] == 0x62)
		ks_asm_use(a, KS_RC_ZMM, KS_ISA_BIT(AVX512F));
	else if (p[i] == 0xc4 && i + 3 < n && (p[i + 1] & 0x1f) == 2 &&
	    (p[i + 3] == 0x49 || p[i + 3] == 0x4b || p[i + 3] == 0x5c ||
	    p[i + 3] == 0x5e))
		ks_asm_use(a, KS_RC_TILE, KS_ISA_BIT(AMX));
	else if (p[i] == 0xc4 || p[i] == 0xc5)
		ks_asm_use(a, KS_RC_YMM, KS_ISA_BIT(AVX));
	else if (p[i] == 0x9b || (p[i] & 0xf8) == 0xd8) {
		if (!x87(a, p[i], i + 1 < n ? p[i + 1] : 0))
			ks_asm_use(a, KS_RC_X87, KS_ISA_BIT(X87));
	} else
		ks_asm_use(a, KS_RC_XMM, KS_ISA_BIT(SSE));
}

/* How many bytes behind the opcode's first at P decide what it is. */
static size_t
deciding(const uint8_t *p)
{
	switch (*p) {
	case 0x0f:
		return ((p[1] & 0xf0) == 0x80 ? 1 :
		    p[1] == 0x38 || p[1] == 0x3a ? 3 : 2);
	case 0x62:
		return (6);
	case 0xc4:
		return (4);
	case 0xc5:
		return (3);
	case 0xe8: case 0xe9: case 0xeb: case 0x68: case 0x6a:
		return (0);
	default:
		return ((*p & 0xf0) == 0x70 || (*p & 0xf8) == 0xb8 ? 0 : 1);
	}
}

/* Are those bytes known of the instruction of LEN at I? */
static bool
known(const struct ks_bytes *b, const struct ks_asm *a, size_t i, size_t len)
{
	size_t op = i, last;

	while (op + 1 < i + len && prefix(a, b->v[op]))
		op++;
	last = op + (b->v[op] == 0x0f && op + 1 == i + len ? 0 :
	    deciding(b->v + op));
	for (size_t k = i; k < i + len && k <= last; k++)
		if (b->open[k])
			return (false);
	return (true);
}

static void
decode(struct ks_bytes *b, struct ks_asm *a)
{
	struct ks_dec d;
	size_t i = 0;

	while (i < b->n) {
		size_t rest = i;
		unsigned len = a->i386 ?
		    ks_decode32(b->v + i, b->n - i, &d) :
		    ks_decode64(b->v + i, b->n - i, &d);

		if (len != 0 && known(b, a, i, len)) {
			if (d.flags & KS_DEC_SIMD)
				simd(a, b->v + i, len);
			i += len;
			continue;
		}
		while (rest < b->n && !b->open[rest] && prefix(a, b->v[rest]))
			rest++;
		if (rest < b->n)
			ks_asm_use(a, KS_RC_XMM, 0);
		break;
	}
	b->n = 0;
}

/* --- directives ---------------------------------------------------------------- */

/* S behind word W, which ends there; else NULL. */
static const char *
behind(const char *s, const char *w)
{
	size_t n = strlen(w);

	if (strncmp(s, w, n) != 0 || isalnum((unsigned char)s[n]) ||
	    s[n] == '_' || s[n] == '.')
		return (NULL);
	s += n;
	while (isspace((unsigned char)*s))
		s++;
	return (s);
}

static void
push(struct ks_bytes *b, uint8_t v, bool open)
{
	if (b->n == b->cap) {
		b->cap = 2 * b->cap + 16;
		b->v = ks_xrealloc(b->v, b->cap);
		b->open = ks_xrealloc(b->open, b->cap);
	}
	b->v[b->n] = v;
	b->open[b->n++] = open;
}

/* Numbers of SIZE bytes, with commas between. */
static void
values(struct ks_bytes *b, const char *s, unsigned size)
{
	for (;;) {
		const char *end = s + strcspn(s, ",#");
		unsigned long long k;
		bool open;
		char *p;

		while (isspace((unsigned char)*s))
			s++;
		k = strtoull(s, &p, 0);
		open = p == s;
		while (isspace((unsigned char)*p))
			p++;
		open |= p != end;
		for (unsigned i = 0; i < size; i++)
			push(b, open ? 0 : (uint8_t)(k >> (8 * i)), open);
		if (*end != ',')
			return;
		s = end + 1;
	}
}

/* Is the section that S names, with or without flags, code? */
static bool
is_code(const char *s)
{
	const char *flags = strchr(s, ',');
	size_t n = flags != NULL ? (size_t)(flags - s) : strlen(s);

	if (flags != NULL && (flags = strchr(flags, '"')) != NULL)
		return (memchr(flags + 1, 'x', strcspn(flags + 1, "\"")) !=
		    NULL);
	for (size_t i = 0; i + 4 <= n; i++)
		if (strncmp(s + i, "text", 4) == 0)
			return (true);
	return (n >= 6 && strncmp(s, ".fixup", 6) == 0);
}

static bool
section(struct ks_bytes *b, const char *s)
{
	const char *name;
	bool now = b->data[b->depth];

	if ((name = behind(s, ".pushsection")) != NULL) {
		if (b->depth + 1 < KS_ASM_SECTIONS)
			b->depth++;
		b->data[b->depth] = !is_code(name);
	} else if ((name = behind(s, ".section")) != NULL) {
		b->before = now;
		b->data[b->depth] = !is_code(name);
	} else if (behind(s, ".popsection") != NULL) {
		b->depth -= b->depth > 0;
	} else if (behind(s, ".previous") != NULL) {
		b->data[b->depth] = b->before;
		b->before = now;
	} else if (behind(s, ".text") != NULL || behind(s, ".data") != NULL ||
	    behind(s, ".bss") != NULL) {
		b->before = now;
		b->data[b->depth] = s[1] != 't';
	} else {
		return (false);
	}
	return (true);
}

bool
ks_bytes_line(struct ks_bytes *b, struct ks_asm *a, const char *s)
{
	static const struct { const char *word; unsigned size; } data[] = {
		{ ".byte", 1 }, { ".2byte", 2 }, { ".4byte", 4 },
		{ ".8byte", 8 }, { ".word", 2 }, { ".value", 2 },
		{ ".short", 2 }, { ".hword", 2 }, { ".long", 4 },
		{ ".int", 4 }, { ".quad", 8 },
	};
	static const char *const others[] = { ".ascii", ".asciz", ".string",
	    ".octa", ".incbin", ".insn", ".uleb128", ".sleb128" };
	const char *rest;

	if (*s == '\0' || *s == '#')
		return (true);
	for (size_t i = 0; i < sizeof(data) / sizeof(data[0]); i++)
		if ((rest = behind(s, data[i].word)) != NULL) {
			if (!b->data[b->depth])
				values(b, rest, data[i].size);
			return (true);
		}
	decode(b, a);
	if (section(b, s))
		return (true);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (behind(s, others[i]) != NULL) {
			if (!b->data[b->depth])
				ks_asm_use(a, KS_RC_XMM, 0);
			return (true);
		}
	return (false);
}

void
ks_bytes_end(struct ks_bytes *b, struct ks_asm *a)
{
	decode(b, a);
	free(b->v);
	free(b->open);
}
