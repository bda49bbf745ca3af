/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads the command line of gcc or clang as far as "ksimd cc" must know it:
 * what step it is, what goes in and comes out, and which files beside the
 * object get their names from it.
 *
 *   1. Response files are expanded (for reading; the compiler gets what was
 *      given).
 *   2. Each word is an option, an option's argument or an input.  Options
 *      whose argument is a word of its own are in a table, so that the
 *      argument is no input.
 *   3. Inputs are C or not, by -x or by their suffix, as the compilers have
 *      it.
 *
 * Limits: an option with an argument of its own that the table lacks makes
 * that argument an input; it is taken for one of the linker's unless it has
 * a compiler's suffix.  Configuration files (clang --config) are not read.
 *
 * Reference: GCC manual, "Option Summary"; clang's command line reference.
 */
#include "cc_priv.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_DEPTH	32	/* of response files */

/* Options whose argument is the next word; sorted. */
static const char *const separate[] = {
	"--assert", "--config", "--include-directory", "--language",
	"--output", "--param", "--serialize-diagnostics", "--sysroot",
	"--target", "-A", "-B", "-D", "-F", "-G", "-I", "-L", "-MF", "-MJ",
	"-MQ", "-MT", "-T", "-Tbss", "-Tdata", "-Ttext", "-U", "-V",
	"-Xanalyzer", "-Xarch_device", "-Xarch_host", "-Xassembler",
	"-Xclang", "-Xlinker", "-Xopenmp-target", "-Xpreprocessor",
	"-aux-info", "-b", "-cxx-isystem", "-dumpbase", "-dumpbase-ext",
	"-dumpdir", "-e", "-framework", "-gcc-toolchain",
	"-gen-cdb-fragment-path", "-idirafter", "-iframework",
	"-imacros", "-imultiarch", "-imultilib", "-include", "-include-pch",
	"-iprefix", "-iquote", "-isysroot", "-isystem", "-isystem-after",
	"-ivfsoverlay", "-iwithprefix", "-iwithprefixbefore",
	"-iwithsysroot", "-l", "-mllvm", "-o", "-resource-dir", "-rpath",
	"-serialize-diagnostics", "-specs", "-target", "-u",
	"-working-directory", "-wrapper", "-x", "-z",
};

/* Options that leave no object behind; a '*' at the end: all that follows. */
static const char *const no_object[] = {
	"-E", "-M", "-MM", "-S", "-fsyntax-only", "-###", "-emit-llvm",
	"-emit-ast", "-emit-interface-stubs", "-rewrite-objc",
	"-dumpversion", "-dumpfullversion", "-dumpmachine", "-dumpspecs",
	"-print-*", "--print-*", "--help*", "-help*", "--target-help",
	"--version", "--analyze", "--assemble", "--dependencies",
	"--precompile", "--preprocess", "--user-dependencies",
};

/* Options that make debug locations. */
static const char *const debug_on[] = {
	"-g", "-g1", "-g2", "-g3", "-ggdb*", "-glldb*", "-gdwarf*", "-gline-*",
	"-gmlt", "-gfull", "-gused", "-gbtf", "-gctf*", "-gstabs*",
	"-gcodeview",
};

/* Suffixes that a compiler takes for source that is no C. */
static const char *const other_suffixes[] = {
	"C", "cc", "cp", "cxx", "cpp", "CPP", "c++", "ii", "m", "mi", "mm",
	"M", "mii", "h", "hh", "H", "hp", "hxx", "hpp", "HPP", "h++", "tcc",
	"s", "S", "sx", "asm", "bc", "ll", "cl", "cu", "cui", "cppm", "f",
	"F", "for", "fpp", "f90", "F90", "f95", "F95", "f03", "F03", "f08",
	"F08", "go", "d", "di", "adb", "ads", "rs", "mod",
};

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

static bool
match(const char *word, const char *pattern)
{
	size_t n = strlen(pattern);

	if (n > 0 && pattern[n - 1] == '*')
		return strncmp(word, pattern, n - 1) == 0;
	return strcmp(word, pattern) == 0;
}

static bool
match_any(const char *word, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (match(word, list[i]))
			return true;
	return false;
}

static int
cmp_string(const void *key, const void *elem)
{
	return strcmp(key, *(const char *const *)elem);
}

static bool
takes_word(const char *option)
{
	/* -Xarch_x86_64 OPTION, for any architecture. */
	return bsearch(option, separate, COUNT(separate), sizeof(separate[0]),
	    cmp_string) != NULL || strncmp(option, "-Xarch_", 7) == 0;
}

/* --- words ------------------------------------------------------------ */

static int
add_word(struct cc_args *a, const char *word, int arg, unsigned depth,
    struct ks_error *err)
{
	struct cc_words inner = { 0 };
	char *data;
	size_t size;
	int rc = KS_OK;

	/* What cannot be read is an input of that name, to them as well. */
	if (word[0] != '@' || access(word + 1, R_OK) != 0 ||
	    ks_read_file(word + 1, &data, &size, NULL) != KS_OK) {
		if (strcmp(word, "--") == 0 && a->end == SIZE_MAX) {
			a->end = a->words.n;
			a->fixed |= depth > 0;
		}
		*ks_vec_push(&a->words) = word;
		*ks_vec_push(&a->origins) = (struct cc_origin){
		    depth == 0 ? arg : -1, false };
		return KS_OK;
	}
	if (depth == MAX_DEPTH) {
		free(data);
		return ks_error(err, KS_EUSAGE, "%s: response files contain "
		    "each other", word + 1);
	}
	cc_response_words(a->arena, data, size, &inner);
	free(data);
	for (size_t i = 0; i < inner.n && rc == KS_OK; i++)
		rc = add_word(a, inner.v[i], arg, depth + 1, err);
	ks_vec_free(&inner);
	return rc;
}

/* --- inputs ----------------------------------------------------------- */

static enum cc_lang
lang_of_x(const char *x)
{
	if (strcmp(x, "c") == 0 || strcmp(x, "cpp-output") == 0)
		return CC_LANG_C;
	return CC_LANG_OTHER;
}

static enum cc_lang
lang_of_name(const char *name)
{
	const char *slash = strrchr(name, '/');
	const char *dot = strrchr(slash != NULL ? slash : name, '.');

	if (dot == NULL)
		return CC_LANG_NONE;
	if (strcmp(dot, ".c") == 0 || strcmp(dot, ".i") == 0)
		return CC_LANG_C;
	for (size_t i = 0; i < COUNT(other_suffixes); i++)
		if (strcmp(dot + 1, other_suffixes[i]) == 0)
			return CC_LANG_OTHER;
	return CC_LANG_NONE;
}

static void
add_input(struct cc_args *a, size_t at, const char *x)
{
	const char *name = a->words.v[at];

	*ks_vec_push(&a->inputs) = (struct cc_input){ name,
	    x != NULL ? lang_of_x(x) : lang_of_name(name), at };
}

/* --- options ---------------------------------------------------------- */

static void
add_macro(struct cc_args *a, const char *text, bool defined)
{
	const char *end = strpbrk(text, "=(");

	*ks_vec_push(&a->macros) = (struct cc_macro){ end == NULL ?
	    ks_strdup(a->arena, text) :
	    ks_strndup(a->arena, text, (size_t)(end - text)), defined };
}

/* What -Wp,A,B hands to the preprocessor. */
static void
preprocessor_words(struct cc_args *a, const char *list)
{
	char *text = ks_strdup(a->arena, list), *save = NULL;
	size_t n = 0;
	bool deps = false;

	for (char *w = strtok_r(text, ",", &save); w != NULL;
	    w = strtok_r(NULL, ",", &save), n++) {
		if (strcmp(w, "-MD") == 0 || strcmp(w, "-MMD") == 0)
			deps = true;
		else if (strncmp(w, "-D", 2) == 0 && w[2] != '\0')
			add_macro(a, w + 2, true);
		else if (strncmp(w, "-U", 2) == 0 && w[2] != '\0')
			add_macro(a, w + 2, false);
	}
	if (deps && n == 2)
		a->deps_wp = true;
	else if (deps)
		a->deps_wp_odd = true;
}

/* Options with an argument, joined or not: VALUE. */
static void
valued(struct cc_args *a, const char *option, const char *value,
    const char **x)
{
	if (strcmp(option, "-o") == 0)
		a->output = value;
	else if (strcmp(option, "-x") == 0)
		*x = strcmp(value, "none") == 0 ? NULL : value;
	else if (strcmp(option, "-D") == 0)
		add_macro(a, value, true);
	else if (strcmp(option, "-U") == 0)
		add_macro(a, value, false);
	else if (strcmp(option, "-MF") == 0)
		a->dep_file = true;
	else if (strcmp(option, "-MT") == 0 || strcmp(option, "-MQ") == 0)
		a->dep_target = true;
	else if (strcmp(option, "-target") == 0)
		a->triple = value;
	else if (strncmp(option, "-dump", 5) == 0)
		a->dump_names = true;
}

static void
flag(struct cc_args *a, const char *w)
{
	if (match_any(w, no_object, COUNT(no_object))) {
		a->step = CC_ELSE;
		a->why_else = w;
	} else if (strcmp(w, "-c") == 0 || strcmp(w, "--compile") == 0) {
		if (a->step == CC_LINK)
			a->step = CC_COMPILE;
	} else if (strcmp(w, "-MD") == 0 || strcmp(w, "-MMD") == 0) {
		a->deps = true;
	} else if (match(w, "-flto*")) {
		a->lto = true;
	} else if (strcmp(w, "-fno-lto") == 0) {
		a->lto = false;
	} else if (strcmp(w, "-ffat-lto-objects") == 0) {
		a->fat_lto = true;
	} else if (strcmp(w, "-fno-fat-lto-objects") == 0) {
		a->fat_lto = false;
	} else if (strcmp(w, "-m16") == 0) {
		a->real_mode = true;
	} else if (strcmp(w, "-m32") == 0 || strcmp(w, "-m64") == 0 ||
	    strcmp(w, "-mx32") == 0) {
		a->real_mode = false;
	} else if (strcmp(w, "-r") == 0 || strcmp(w, "-Wl,-r") == 0) {
		a->relocatable = true;
	} else if (strcmp(w, "-nostdlib") == 0) {
		a->nostdlib = true;
	} else if (strcmp(w, "-g0") == 0) {
		a->debug = false;
	} else if (match(w, "-gsplit-dwarf*")) {
		a->split_dwarf = true;
	} else if (strcmp(w, "-gno-split-dwarf") == 0) {
		a->split_dwarf = false;
	} else if (match_any(w, debug_on, COUNT(debug_on))) {
		a->debug = true;
	} else if (strcmp(w, "--coverage") == 0 ||
	    strcmp(w, "-coverage") == 0 || strcmp(w, "-fprofile-arcs") == 0 ||
	    strcmp(w, "-ftest-coverage") == 0) {
		a->coverage = true;
	}
}

/* Options whose argument may be joined: the option itself, or NULL. */
static const char *
joined(const char *w, const char **value)
{
	static const struct { const char *prefix, *option; } forms[] = {
		{ "--output=", "-o" }, { "--target=", "-target" },
		{ "--language=", "-x" }, { "-MF", "-MF" }, { "-MT", "-MT" },
		{ "-MQ", "-MQ" }, { "-o", "-o" }, { "-x", "-x" },
		{ "-D", "-D" }, { "-U", "-U" },
	};

	for (size_t i = 0; i < COUNT(forms); i++) {
		size_t n = strlen(forms[i].prefix);

		if (strncmp(w, forms[i].prefix, n) == 0 && w[n] != '\0') {
			*value = w + n;
			return forms[i].option;
		}
	}
	return NULL;
}

static const char *
short_name(const char *option)
{
	static const struct { const char *from, *to; } names[] = {
		{ "--output", "-o" }, { "--target", "-target" },
		{ "--language", "-x" },
	};

	for (size_t i = 0; i < COUNT(names); i++)
		if (strcmp(option, names[i].from) == 0)
			return names[i].to;
	return option;
}

/* -o at words FROM to LAST. */
static void
note_output(struct cc_args *a, size_t from, size_t last)
{
	for (size_t i = from; i <= last; i++) {
		a->origins.v[i].output = true;
		a->fixed |= a->origins.v[i].arg < 0;
	}
}

/* The option at word I, and its argument; the index of the last word. */
static size_t
option_at(struct cc_args *a, size_t i, const char **x)
{
	const char *w = a->words.v[i], *option, *value;
	size_t last = i;

	if (takes_word(w)) {
		if (i + 1 == a->words.n) {
			a->step = CC_ELSE;
			a->why_else = w;
			return i;
		}
		option = short_name(w);
		value = a->words.v[++last];
	} else if (strncmp(w, "-Wp,", 4) == 0) {
		preprocessor_words(a, w + 4);
		return i;
	} else if ((option = joined(w, &value)) == NULL) {
		flag(a, w);
		return i;
	}
	valued(a, option, value, x);
	if (strcmp(option, "-o") == 0)
		note_output(a, i, last);
	return last;
}

int
cc_args_parse(struct cc_args *a, int argc, char **argv, struct ks_error *err)
{
	const char *x = NULL;
	int rc = KS_OK;

	memset(a, 0, sizeof(*a));
	a->arena = ks_arena_new();
	a->step = CC_LINK;
	a->end = SIZE_MAX;
	for (int i = 0; i < argc && rc == KS_OK; i++)
		rc = add_word(a, argv[i], i, 0, err);
	if (a->end == SIZE_MAX)
		a->end = a->words.n;
	for (size_t i = 0; i < a->words.n && rc == KS_OK; i++) {
		const char *w = a->words.v[i];

		if (i > a->end || w[0] != '-' || w[1] == '\0')
			add_input(a, i, x);
		else if (i < a->end)
			i = option_at(a, i, &x);
	}
	return rc;
}

void
cc_args_free(struct cc_args *a)
{
	ks_vec_free(&a->words);
	ks_vec_free(&a->origins);
	ks_vec_free(&a->inputs);
	ks_vec_free(&a->macros);
	ks_arena_free(a->arena);
}

bool
cc_args_defines(const struct cc_args *a, const char *macro)
{
	for (size_t i = a->macros.n; i > 0; i--)
		if (strcmp(a->macros.v[i - 1].name, macro) == 0)
			return a->macros.v[i - 1].defined;
	return false;
}

bool
cc_args_have(const struct cc_args *a, const char *word)
{
	for (size_t i = 0; i < a->words.n; i++)
		if (strcmp(a->words.v[i], word) == 0)
			return true;
	return false;
}
