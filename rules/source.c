/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A quick look at C and assembly files.
 *
 *   1. A file is cut into identifiers and directives; comments and strings
 *      are skipped.  What it names is kept per file: headers, intrinsics,
 *      guards, calls of a region's functions.
 *   2. Looking at a file joins it with all that it includes and that is
 *      found: beside the includer, or in the folders given.  Headers of the
 *      compiler are named, not opened.
 *
 * The table of intrinsics goes by their names: a prefix for each set that
 * has names of its own, and the first row that fits counts.  Names are as
 * in Intel's Intrinsics Guide.
 *
 * Limit: an intrinsic that no row fits needs what its register width says.
 */
#include "source.h"

#include <ctype.h>
#include <dirent.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

struct include { const char *name; uint32_t line; bool angle; };

struct file {
	const char *path;	/* NULL: not there */
	struct ks_source is;	/* of this file alone */
	KS_VEC(struct include) includes;
	unsigned visit;
};

struct ks_srcset {
	struct ks_arena		*arena;
	struct ks_strtab	*paths;		/* id - 1: index in files */
	KS_VEC(struct file)	 files;
	struct ks_strtab	*region;	/* names of enter and leave */
	unsigned		 visit;
};

static const struct { const char *pattern; ks_isaset isa; } table[] = {
	{ "_mm*_aes*_epi128", 0 },		/* see wide_aes */
	{ "_mm_aes*", KS_ISA_BIT(AES) },
	{ "_mm_clmulepi64_si128", KS_ISA_BIT(PCLMUL) },
	{ "_mm*_clmulepi64_epi128", KS_ISA_BIT(VPCLMUL) },
	{ "_mm_sha1*", KS_ISA_BIT(SHA) },
	{ "_mm_sha256*", KS_ISA_BIT(SHA) },
	{ "_mm*_gf2p8*", KS_ISA_BIT(GFNI) },
	{ "_mm512_*", KS_ISA_BIT(AVX512F) },
	{ "_mm*_mask*", KS_ISA_BIT(AVX512F) },
	{ "_mm*_ternarylogic*", KS_ISA_BIT(AVX512F) },
	{ "_mm256_set*", KS_ISA_BIT(AVX) },
	{ "_mm256_load*", KS_ISA_BIT(AVX) },
	{ "_mm256_store*", KS_ISA_BIT(AVX) },
	{ "_mm256_lddqu*", KS_ISA_BIT(AVX) },
	{ "_mm256_stream_si256", KS_ISA_BIT(AVX) },
	{ "_mm256_cast*", KS_ISA_BIT(AVX) },
	{ "_mm256_zero*", KS_ISA_BIT(AVX) },
	{ "_mm256_undefined*", KS_ISA_BIT(AVX) },
	{ "_mm256_extractf128*", KS_ISA_BIT(AVX) },
	{ "_mm256_insertf128*", KS_ISA_BIT(AVX) },
	{ "_mm256_permute2f128*", KS_ISA_BIT(AVX) },
	{ "_mm256_insert_epi*", KS_ISA_BIT(AVX) },
	{ "_mm256_extract_epi*", KS_ISA_BIT(AVX) },
	{ "_mm256_cvtepi32_p[sd]", KS_ISA_BIT(AVX) },
	{ "_mm256_cvt*p[sd]_epi32", KS_ISA_BIT(AVX) },
	{ "_mm256_test*", KS_ISA_BIT(AVX) },
	{ "_mm256_f*m*_p[sd]", KS_ISA_BIT(AVX) },
	{ "_mm256_*_p[sd]", KS_ISA_BIT(AVX) },
	{ "_mm256_*epi*", KS_ISA_BIT(AVX2) },
	{ "_mm256_*epu*", KS_ISA_BIT(AVX2) },
	{ "_mm256_*_si256", KS_ISA_BIT(AVX2) },
	{ "_mm256_*i128*", KS_ISA_BIT(AVX2) },
	{ "_mm256_*", KS_ISA_BIT(AVX) },
	{ "_mm_crc32*", KS_ISA_BIT(SSE42) },
	{ "_mm_cmp[ei]str*", KS_ISA_BIT(SSE42) },
	{ "_mm_cmpgt_epi64", KS_ISA_BIT(SSE42) },
	{ "_mm_blend*", KS_ISA_BIT(SSE41) },
	{ "_mm_extract_epi8", KS_ISA_BIT(SSE41) },
	{ "_mm_extract_epi32", KS_ISA_BIT(SSE41) },
	{ "_mm_extract_epi64", KS_ISA_BIT(SSE41) },
	{ "_mm_insert_epi8", KS_ISA_BIT(SSE41) },
	{ "_mm_insert_epi32", KS_ISA_BIT(SSE41) },
	{ "_mm_insert_epi64", KS_ISA_BIT(SSE41) },
	{ "_mm_mullo_epi32", KS_ISA_BIT(SSE41) },
	{ "_mm_mul_epi32", KS_ISA_BIT(SSE41) },
	{ "_mm_test*", KS_ISA_BIT(SSE41) },
	{ "_mm_cmpeq_epi64", KS_ISA_BIT(SSE41) },
	{ "_mm_packus_epi32", KS_ISA_BIT(SSE41) },
	{ "_mm_cvtep[iu]8_*", KS_ISA_BIT(SSE41) },
	{ "_mm_cvtep[iu]16_*", KS_ISA_BIT(SSE41) },
	{ "_mm_cvtep[iu]32_epi64", KS_ISA_BIT(SSE41) },
	{ "_mm_m[ia][nx]_epi8", KS_ISA_BIT(SSE41) },
	{ "_mm_m[ia][nx]_ep[iu]32", KS_ISA_BIT(SSE41) },
	{ "_mm_m[ia][nx]_epu16", KS_ISA_BIT(SSE41) },
	{ "_mm_stream_load_si128", KS_ISA_BIT(SSE41) },
	{ "_mm_shuffle_epi8", KS_ISA_BIT(SSSE3) },
	{ "_mm_alignr_epi8", KS_ISA_BIT(SSSE3) },
	{ "_mm_abs_epi*", KS_ISA_BIT(SSSE3) },
	{ "_mm_sign_epi*", KS_ISA_BIT(SSSE3) },
	{ "_mm_hadd_epi*", KS_ISA_BIT(SSSE3) },
	{ "_mm_hsub_epi*", KS_ISA_BIT(SSSE3) },
	{ "_mm_maddubs_epi16", KS_ISA_BIT(SSSE3) },
	{ "_mm_mulhrs_epi16", KS_ISA_BIT(SSSE3) },
	{ "_mm_lddqu_si128", KS_ISA_BIT(SSE3) },
	{ "_mm_*_p[sd]", KS_ISA_BIT(SSE) },
	{ "_mm_*_s[sd]", KS_ISA_BIT(SSE) },
	{ "_mm_*epi*", KS_ISA_BIT(SSE2) },
	{ "_mm_*epu*", KS_ISA_BIT(SSE2) },
	{ "_mm_*si128*", KS_ISA_BIT(SSE2) },
	{ "_mm_*", KS_ISA_BIT(SSE) },
};

ks_isaset
ks_intrinsic_isa(const char *name)
{
	if (strncmp(name, "_mm", 3) != 0)
		return 0;
	if (fnmatch(table[0].pattern, name, 0) == 0)
		return KS_ISA_BIT(VAES);
	for (size_t i = 1; i < sizeof(table) / sizeof(table[0]); i++)
		if (fnmatch(table[i].pattern, name, 0) == 0)
			return table[i].isa;
	return 0;
}

struct ks_srcset *
ks_srcset_new(const struct ks_profile *p)
{
	struct ks_srcset *s = ks_xmalloc(sizeof(*s));

	memset(s, 0, sizeof(*s));
	s->arena = ks_arena_new();
	s->paths = ks_strtab_new();
	s->region = ks_strtab_new();
	for (size_t i = 0; p != NULL && i < p->rules.n; i++)
		if (p->rules.v[i]->role == KS_ROLE_ENTER ||
		    p->rules.v[i]->role == KS_ROLE_LEAVE)
			ks_intern(s->region,
			    p->rules.v[i]->name);
	return s;
}

void
ks_srcset_free(struct ks_srcset *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->files.n; i++)
		ks_vec_free(&s->files.v[i].includes);
	ks_vec_free(&s->files);
	ks_strtab_free(s->paths);
	ks_strtab_free(s->region);
	ks_arena_free(s->arena);
	free(s);
}

/* --- one file ----------------------------------------------------------- */

/* Headers that come with the compiler and declare intrinsics. */
static bool
compiler_header(const char *name)
{
	return fnmatch("?mmintrin.h", name, 0) == 0 ||
	    strcmp(name, "immintrin.h") == 0 ||
	    strcmp(name, "x86intrin.h") == 0 ||
	    strcmp(name, "arm_neon.h") == 0 ||
	    strcmp(name, "arm_sve.h") == 0 ||
	    strcmp(name, "arm_acle.h") == 0;
}

static void
directive(struct ks_srcset *s, struct file *f, const char *p,
    const char *end, uint32_t line)
{
	char word[256];
	size_t n = 0;

	p++;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	if (end - p > 8 && memcmp(p, "include", 7) == 0) {
		p += 7;
		while (p < end && *p != '"' && *p != '<' && *p != '\n')
			p++;
		if (p == end || *p == '\n')
			return;
		for (const char *q = p + 1; q < end && *q != '"' &&
		    *q != '>' && *q != '\n' && n < sizeof(word) - 1; q++)
			word[n++] = *q;
		word[n] = '\0';
		*ks_vec_push(&f->includes) = (struct include){
		    ks_strdup(s->arena, word), line, *p == '<' };
		if (compiler_header(word) && f->is.header == NULL) {
			f->is.header = f->includes.v[f->includes.n - 1].name;
			f->is.line = line;
			f->is.header_in = f->path;
		}
	} else if (end - p > 7 && memcmp(p, "define", 6) == 0) {
		for (p += 6; p < end && (*p == ' ' || *p == '\t'); p++)
			;
		for (; p < end && (isalnum((unsigned char)*p) || *p == '_') &&
		    n < sizeof(word) - 1; p++)
			word[n++] = *p;
		word[n] = '\0';
		f->is.gcc_guard |= strcmp(word, "_MM_MALLOC_H_INCLUDED") == 0;
		f->is.clang_guard |= strcmp(word, "__MM_MALLOC_H") == 0;
	}
}

static void
identifier(struct ks_srcset *s, struct file *f, const char *p, size_t n,
    uint32_t line)
{
	char word[128];

	if (n >= sizeof(word) || n < 3)
		return;
	memcpy(word, p, n);
	word[n] = '\0';
	if (memcmp(word, "_mm", 3) == 0) {
		ks_isaset isa = ks_intrinsic_isa(word);

		if (isa != 0 && f->is.intrinsic == NULL) {
			f->is.intrinsic = ks_strdup(s->arena, word);
			if (f->is.line == 0)
				f->is.line = line;
		}
		f->is.needs |= isa;
	} else if (strcmp(word, "target") == 0 ||
	    strcmp(word, "__target__") == 0) {
		f->is.targets = true;
	} else if (strcmp(word, "float") == 0 ||
	    strcmp(word, "double") == 0) {
		f->is.fp = true;
	} else if (strstr(word, "asm") != NULL ||
	    strstr(word, "vector_size") != NULL ||
	    strncmp(word, "__builtin_ia32", 14) == 0) {
		f->is.opaque = true;
	} else if (f->is.enter == NULL &&
	    ks_intern_find(s->region, word) != 0) {
		f->is.enter = ks_strdup(s->arena, word);
		f->is.enter_line = line;
		f->is.enters = true;
	}
}

/* Behind the comment or literal at P, or P. */
static const char *
skip_text(const char *p, const char *end, uint32_t *line)
{
	const char *start = p;
	char quote;

	if (p + 1 < end && p[0] == '/' && p[1] == '*') {
		for (p += 2; p + 1 < end && (p[0] != '*' || p[1] != '/'); p++)
			*line += *p == '\n';
		return p + 1 < end ? p + 2 : end;
	}
	if (p + 1 < end && p[0] == '/' && p[1] == '/') {
		while (p < end && *p != '\n')
			p++;
		return p;
	}
	if (*p != '"' && *p != '\'')
		return start;
	for (quote = *p++; p < end && *p != quote && *p != '\n'; p++)
		p += *p == '\\' && p + 1 < end;
	return p < end && *p == quote ? p + 1 : p;
}

/* AArch64 vector registers: v0.16b, q3, z1.d, .arch ...+crypto */
static bool
neon_operand(const char *p, const char *end)
{
	const char *q = p + 1;

	if ((*p != 'v' && *p != 'q') || !isdigit((unsigned char)*q))
		return false;
	while (q < end && isdigit((unsigned char)*q))
		q++;
	return q - p <= 3 && (*p == 'v' ? *q == '.' :
	    strchr(", ]\t\n}", *q) != NULL);
}

static void
read_c(struct ks_srcset *s, struct file *f, const char *text, size_t size)
{
	const char *p = text, *end = text + size, *next;
	uint32_t line = 1;
	bool fresh = true, assembly;
	size_t len = strlen(f->path);

	assembly = len > 2 && (strcmp(f->path + len - 2, ".S") == 0 ||
	    strcmp(f->path + len - 2, ".s") == 0);
	while (p < end) {
		next = skip_text(p, end, &line);
		if (next > p) {
			p = next;
			continue;
		}
		if (*p == '\n') {
			line++;
			fresh = true;
			p++;
		} else if (*p == '#' && fresh) {
			directive(s, f, p, end, line);
			/* Strings of an include are no strings. */
			while (p < end && *p != '\n' && !(p[0] == '/' &&
			    p + 1 < end && p[1] == '*'))
				p++;
		} else if (isalpha((unsigned char)*p) || *p == '_') {
			const char *q = p;

			if (assembly && !f->is.fp_asm)
				f->is.fp_asm = neon_operand(p, end);
			while (q < end && (isalnum((unsigned char)*q) ||
			    *q == '_'))
				q++;
			identifier(s, f, p, (size_t)(q - p), line);
			p = q;
			fresh = false;
		} else {
			fresh = fresh && isspace((unsigned char)*p);
			p++;
		}
	}
}

static size_t
load(struct ks_srcset *s, const char *path)
{
	uint32_t id = ks_intern_find(s->paths, path);
	struct file f = { 0 };
	char *text;
	size_t size;

	if (id != 0)
		return id - 1;
	ks_intern(s->paths, path);
	if (ks_read_file(path, &text, &size, NULL) == KS_OK) {
		f.path = ks_strdup(s->arena, path);
		f.is.found = true;
		read_c(s, &f, text, size);
		free(text);
	}
	*ks_vec_push(&s->files) = f;
	return s->files.n - 1;
}

/* --- a file and what it includes ---------------------------------------- */

static size_t
find_include(struct ks_srcset *s, const char *path,
    const struct include *inc, const char *const *dirs, size_t n)
{
	const char *slash = strrchr(path, '/');
	size_t i;

	if (!inc->angle) {
		i = load(s, slash == NULL ? inc->name : ks_printf(s->arena,
		    "%.*s/%s", (int)(slash - path), path, inc->name));
		if (s->files.v[i].path != NULL)
			return i;
	}
	for (size_t d = 0; d < n; d++) {
		i = load(s, ks_printf(s->arena, "%s/%s", dirs[d], inc->name));
		if (s->files.v[i].path != NULL)
			return i;
	}
	return SIZE_MAX;
}

static void
join(struct ks_srcset *s, size_t at, const char *const *dirs, size_t n,
    unsigned depth, struct ks_source *out)
{
	const struct ks_source *is = &s->files.v[at].is;

	s->files.v[at].visit = s->visit;
	out->needs |= is->needs;
	if (out->intrinsic == NULL)
		out->intrinsic = is->intrinsic;
	if (out->header == NULL && is->header != NULL) {
		out->header = is->header;
		out->header_in = is->header_in;
	}
	out->gcc_guard |= is->gcc_guard;
	out->clang_guard |= is->clang_guard;
	out->targets |= is->targets;
	out->fp |= is->fp;
	out->opaque |= is->opaque;
	out->enters |= is->enters;
	for (size_t i = 0; i < s->files.v[at].includes.n; i++) {
		struct include inc = s->files.v[at].includes.v[i];
		size_t sub;

		if (compiler_header(inc.name))
			continue;
		/* The compiler's own and the system's are not of interest. */
		if (inc.angle && (strncmp(inc.name, "sys/", 4) == 0 ||
		    strncmp(inc.name, "linux/", 6) == 0))
			continue;
		sub = find_include(s, s->files.v[at].path, &inc, dirs, n);
		if (sub == SIZE_MAX)
			out->complete &= inc.angle;
		else if (s->files.v[sub].visit != s->visit && depth < 16)
			join(s, sub, dirs, n, depth + 1, out);
	}
}

void
ks_source_look(struct ks_srcset *s, const char *path,
    const char *const *dirs, size_t n, struct ks_source *out)
{
	size_t at = load(s, path);

	*out = s->files.v[at].is;
	out->complete = out->found;
	if (!out->found)
		return;
	s->visit++;
	join(s, at, dirs, n, 0, out);
}

bool
ks_source_has_header(struct ks_srcset *s, const char *path)
{
	char *text;
	size_t size;
	bool any;
	size_t at;

	if (ks_read_file(path, &text, &size, NULL) != KS_OK)
		return false;
	any = strstr(text, "mmintrin.h") != NULL ||
	    strstr(text, "x86intrin.h") != NULL ||
	    strstr(text, "arm_neon.h") != NULL || strstr(text, "_mm") != NULL;
	free(text);
	if (!any)
		return false;
	at = load(s, path);
	return s->files.v[at].is.header != NULL ||
	    s->files.v[at].is.intrinsic != NULL;
}

bool
ks_source_dir_enters(struct ks_srcset *s, const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	bool any = false;

	while (d != NULL && !any && (e = readdir(d)) != NULL) {
		size_t n = strlen(e->d_name), at;

		if (n < 3 || (strcmp(e->d_name + n - 2, ".c") != 0 &&
		    strcmp(e->d_name + n - 2, ".h") != 0))
			continue;
		at = load(s, ks_printf(s->arena, "%s/%s", dir, e->d_name));
		any = s->files.v[at].is.enters;
	}
	if (d != NULL)
		closedir(d);
	return any;
}
