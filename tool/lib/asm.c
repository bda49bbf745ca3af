/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Inline assembly: register names, constraints, clobbers, and mnemonics that
 * name no register or tell more than their registers do.
 *
 * Case is ignored and comments are skipped.  Lines end at a newline or ';';
 * a label before an instruction is passed over.  Instructions in .byte form
 * are decoded (asm_bytes.c).
 *
 * Known limits: AT&T syntax.
 * Reference: Intel SDM vol. 2; gcc manual, "Machine Constraints".
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "asm_bytes.h"
#include "ks/asm.h"
#include "ks/graph.h"

static bool
begins(const char *s, const char *prefix)
{
	return (strncmp(s, prefix, strlen(prefix)) == 0);
}

/* "xmm7" for "xmm". */
static bool
numbered(const char *r, const char *prefix)
{
	return (begins(r, prefix) &&
	    isdigit((unsigned char)r[strlen(prefix)]));
}

/* R: lower case, at a register's name. */
static void
x86_register(struct ks_asm *a, const char *r)
{
	if (numbered(r, "xmm"))
		ks_asm_use(a, KS_RC_XMM, KS_ISA_BIT(SSE));
	else if (numbered(r, "ymm"))
		ks_asm_use(a, KS_RC_YMM, KS_ISA_BIT(AVX));
	else if (numbered(r, "zmm"))
		ks_asm_use(a, KS_RC_ZMM, KS_ISA_BIT(AVX512F));
	else if (numbered(r, "mm"))
		ks_asm_use(a, KS_RC_MMX, KS_ISA_BIT(MMX));
	else if (numbered(r, "tmm"))
		ks_asm_use(a, KS_RC_TILE, KS_ISA_BIT(AMX));
	else if (r[0] == 'k' && r[1] >= '0' && r[1] <= '7' &&
	    !isalnum((unsigned char)r[2]))
		ks_asm_use(a, KS_RC_MASK, KS_ISA_BIT(AVX512F));
	else if (begins(r, "st") && !isalnum((unsigned char)r[2]) &&
	    r[2] != '_')
		ks_asm_use(a, KS_RC_X87, KS_ISA_BIT(X87));
}

/* A malloc'd copy in lower case. */
static char *
lower(const char *text, size_t size)
{
	char *s = ks_xmalloc(size + 1);

	for (size_t i = 0; i < size; i++)
		s[i] = (char)tolower((unsigned char)text[i]);
	s[size] = '\0';
	return (s);
}

void
ks_asm_clobber(struct ks_asm *a, const char *text, size_t size)
{
	char *s = lower(text, size), *r = s;

	while (*r == '%')
		r++;
	if (a->x86)
		x86_register(a, r);
	else if (r[0] != '\0' && strchr("vqdszp", r[0]) != NULL &&
	    isdigit((unsigned char)r[1]))
		ks_asm_use(a, KS_RC_XMM, KS_ISA_BIT(NEON));
	free(s);
}

static void
x86_constraint(struct ks_asm *a, const char *c, size_t size)
{
	const char *end;

	for (size_t i = 0; i < size; i++)
		switch (c[i]) {
		case 'x': case 'v':
			ks_asm_use(a, KS_RC_XMM, KS_ISA_BIT(SSE));
			break;
		case 'y':
			ks_asm_use(a, KS_RC_MMX, KS_ISA_BIT(MMX));
			break;
		case 'f': case 't': case 'u':
			ks_asm_use(a, KS_RC_X87, KS_ISA_BIT(X87));
			break;
		case 'k':
			ks_asm_use(a, KS_RC_MASK, KS_ISA_BIT(AVX512F));
			break;
		case 'Y':	/* two letters */
			if (++i < size && c[i] == 'k')
				ks_asm_use(a, KS_RC_MASK, KS_ISA_BIT(AVX512F));
			else if (i < size && strchr("z0tim2", c[i]) != NULL)
				ks_asm_use(a, KS_RC_XMM, KS_ISA_BIT(SSE));
			break;
		case '[':	/* an operand's name */
			while (i < size && c[i] != ']')
				i++;
			break;
		case '{':	/* a register */
			if ((end = memchr(c + i, '}', size - i)) == NULL)
				return;
			ks_asm_clobber(a, c + i + 1,
			    (size_t)(end - (c + i + 1)));
			i = (size_t)(end - c);
			break;
		}
}

void
ks_asm_constraint(struct ks_asm *a, const char *text, size_t size)
{
	const char *end = memchr(text, '[', size);

	if (a->x86) {
		x86_constraint(a, text, size);
		return;
	}
	/* w, x and y are halves of the vector registers' set. */
	if (end != NULL)
		size = (size_t)(end - text);
	if ((end = memchr(text, '{', size)) != NULL) {
		ks_asm_clobber(a, end + 1, size - (size_t)(end + 1 - text));
		size = (size_t)(end - text);
	}
	for (size_t i = 0; i < size; i++)
		if (strchr("wxy", text[i]) != NULL)
			ks_asm_use(a, KS_RC_XMM, KS_ISA_BIT(NEON));
}

/* --- mnemonics ----------------------------------------------------------------- */

enum { USE, SAVE, RESTORE };

struct mnemonic {
	const char *prefix;
	uint8_t what;
	uint16_t classes;
	ks_isaset isa;
};

/* The first prefix that fits counts; a "v" may stand before each. */
static const struct mnemonic mnemonics[] = {
	{ "fxsave", SAVE, KS_RC_XMM, 0 },
	{ "xsave", SAVE, KS_RC_XMM, 0 },
	{ "fnsave", SAVE, KS_RC_X87, 0 },
	{ "fsave", SAVE, KS_RC_X87, 0 },
	{ "fnstcw", SAVE, KS_RC_X87, 0 },
	{ "fstcw", SAVE, KS_RC_X87, 0 },
	{ "fnstsw", SAVE, KS_RC_X87, 0 },
	{ "fstsw", SAVE, KS_RC_X87, 0 },
	{ "fnstenv", SAVE, KS_RC_X87, 0 },
	{ "stmxcsr", SAVE, KS_RC_MXCSR, 0 },
	{ "fxrstor", RESTORE, KS_RC_XMM, 0 },
	{ "xrstor", RESTORE, KS_RC_XMM, 0 },
	{ "frstor", RESTORE, KS_RC_X87, 0 },
	{ "fldcw", RESTORE, KS_RC_X87, 0 },
	{ "fldenv", RESTORE, KS_RC_X87, 0 },
	{ "ldmxcsr", RESTORE, KS_RC_MXCSR, 0 },
	{ "fninit", RESTORE, KS_RC_X87, 0 },
	{ "finit", RESTORE, KS_RC_X87, 0 },
	{ "fnclex", RESTORE, KS_RC_X87, 0 },
	{ "fclex", RESTORE, KS_RC_X87, 0 },
	{ "emms", RESTORE, KS_RC_MMX, 0 },
	{ "femms", RESTORE, KS_RC_MMX, 0 },
	{ "vzero", USE, KS_RC_YMM, KS_ISA_BIT(AVX) },
	{ "xstore", USE, KS_RC_UNIT, KS_ISA_BIT(PADLOCK) },
	{ "xcrypt", USE, KS_RC_UNIT, KS_ISA_BIT(PADLOCK) },
	{ "xsha", USE, KS_RC_UNIT, KS_ISA_BIT(PADLOCK) },
	{ "montmul", USE, KS_RC_UNIT, KS_ISA_BIT(PADLOCK) },
	{ "aesenc", USE, KS_RC_XMM, KS_ISA_BIT(AES) },
	{ "aesdec", USE, KS_RC_XMM, KS_ISA_BIT(AES) },
	{ "aesimc", USE, KS_RC_XMM, KS_ISA_BIT(AES) },
	{ "aeskeygen", USE, KS_RC_XMM, KS_ISA_BIT(AES) },
	{ "pclmul", USE, KS_RC_XMM, KS_ISA_BIT(PCLMUL) },
	{ "sha1", USE, KS_RC_XMM, KS_ISA_BIT(SHA) },
	{ "sha256", USE, KS_RC_XMM, KS_ISA_BIT(SHA) },
	{ "tile", USE, KS_RC_TILE, KS_ISA_BIT(AMX) },
	{ "ldtilecfg", USE, KS_RC_TILE, KS_ISA_BIT(AMX) },
	{ "fwait", USE, KS_RC_X87, KS_ISA_BIT(X87) },
	{ "cvtt", USE, KS_RC_XMM, KS_ISA_BIT(SSE) },
	{ "cvts", USE, KS_RC_XMM, KS_ISA_BIT(SSE) },
};

/* x87 mnemonics all begin with f; no others do but these. */
static const char *const x87[] = {
	"fabs", "fadd", "fbld", "fbstp", "fchs", "fcmov", "fcom", "fcos",
	"fdecstp", "fdiv", "ffree", "fiadd", "ficom", "fidiv", "fild",
	"fimul", "fincstp", "fist", "fisub", "fld", "fmul", "fnop", "fpatan",
	"fprem", "fptan", "frndint", "fscale", "fsin", "fsqrt", "fst", "fsub",
	"ftst", "fucom", "fxam", "fxch", "fxtract", "fyl2x", "f2xm1",
};

/* S, past a word and the blanks behind it, or NULL. */
static char *
past(char *s, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(s, word, n) != 0 || isalnum((unsigned char)s[n]) ||
	    s[n] == '_')
		return (NULL);
	s += n;
	while (isspace((unsigned char)*s))
		s++;
	return (s);
}

static void
instruction(struct ks_asm *a, char *s)
{
	static const char *const prefixes[] = { "rep", "repz", "repe",
	    "lock" };
	char *rest;

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if ((rest = past(s, prefixes[i])) != NULL) {
			instruction(a, rest);
			return;
		}
	for (size_t i = 0; i < sizeof(mnemonics) / sizeof(mnemonics[0]);
	    i++) {
		const struct mnemonic *m = &mnemonics[i];

		if (!begins(s, m->prefix) &&
		    !(s[0] == 'v' && begins(s + 1, m->prefix)))
			continue;
		if (m->what == USE) {
			ks_asm_use(a, m->classes, m->isa);
			return;
		}
		a->classes |= m->classes;
		a->saves |= m->what == SAVE;
		a->restores |= m->what == RESTORE;
		return;
	}
	for (size_t i = 0; i < sizeof(x87) / sizeof(x87[0]); i++)
		if (begins(s, x87[i]))
			ks_asm_use(a, KS_RC_X87, KS_ISA_BIT(X87));
}

/* LINE, past blanks and a label. */
static void
line(struct ks_asm *a, struct ks_bytes *b, char *s)
{
	char *p;

	while (isspace((unsigned char)*s))
		s++;
	p = s;
	while (isalnum((unsigned char)*p) || *p == '_' || *p == '.')
		p++;
	if (*p == ':') {
		s = p + 1;
		while (isspace((unsigned char)*s))
			s++;
	}
	if (!ks_bytes_line(b, a, s))
		instruction(a, s);
}

static void
blank_comments(char *s)
{
	char *end;

	while ((s = strstr(s, "/*")) != NULL) {
		end = strstr(s, "*/");
		end = end != NULL ? end + 2 : s + strlen(s);
		memset(s, ' ', (size_t)(end - s));
	}
}

void
ks_asm_text(struct ks_asm *a, const char *text, size_t size, const char *mark)
{
	struct ks_bytes bytes = { 0 };
	char *s, *p, *next;

	if (!a->x86)
		return;		/* names of general registers look the same */
	s = lower(text, size);
	blank_comments(s);
	for (p = s; (p = strstr(p, mark)) != NULL;) {
		while (*p == '%')
			p++;
		x86_register(a, p);
	}
	/* Intel's syntax has no mark. */
	if (strstr(s, "intel_syntax") != NULL)
		for (p = s; *p != '\0'; p++)
			if (p == s || !(isalnum((unsigned char)p[-1]) ||
			    p[-1] == '_'))
				x86_register(a, p);
	for (p = s; p != NULL; p = next) {
		if ((next = strpbrk(p, ";\n")) != NULL)
			*next++ = '\0';
		line(a, &bytes, p);
	}
	ks_bytes_end(&bytes, a);
	free(s);
}

int
ks_asm_event(const struct ks_asm *a)
{
	if (a->uses)
		return (KS_EV_SIMD);
	return (a->restores ? KS_EV_RESTORE : a->saves ? KS_EV_SAVE :
	    KS_EV_NOP);
}
