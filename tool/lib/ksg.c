/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Words of the text form of event graphs; see ksg(5).
 */
#include "ksg.h"

#include <string.h>

#define TABLE(name, ...)						\
	static const char *const name##_list[] = { __VA_ARGS__ };	\
	const struct ksg_words name = {					\
		name##_list, sizeof(name##_list) / sizeof(name##_list[0]) \
	}

TABLE(ksg_events, "nop", "set", "simd", "save", "restore", "call", "enter",
    "leave", "query", "thread", "assert", "sleep", "return", "end", "bound");
TABLE(ksg_fronts, "src", "ir", "obj");
TABLE(ksg_means, "thread", "region", "atomic", "may-enter", "exact");
TABLE(ksg_func_flags, "needs", "held", "trust", "partial", "abi",
    "inline");
TABLE(ksg_sym_flags, "local", "weak", "", "exported", "addr-taken",
    "escapes", "noreturn", "needs", "named");
TABLE(ksg_place_flags, "volatile", "escaped", "memory", "vector");
TABLE(ksg_classes, "x87", "mmx", "xmm", "ymm", "zmm", "mask", "tile",
    "mxcsr", "unit");

/* What may follow a value. */
TABLE(attrs, "classes", "isa", "aux", "dst", "val", "text",
    "at", "in", "off", "tail", "noreturn", "clobber", "abi", "key", "target",
    "means", "if", "gate");

int
ksg_find(const struct ksg_words *t, const char *word, size_t len)
{
	for (unsigned i = 0; i < t->n; i++)
		if (len > 0 && strncmp(t->words[i], word, len) == 0 &&
		    t->words[i][len] == '\0')
			return (int)i;
	return -1;
}

bool
ksg_is_attr(const char *word)
{
	return ksg_find(&attrs, word, strlen(word)) >= 0;
}

static bool
name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || (c != '\0' && strchr("_.%$@", c));
}

bool
ksg_bare(const char *name)
{
	size_t n;

	if (*name == '\0' || (*name >= '0' && *name <= '9'))
		return false;
	for (n = 0; name[n] != '\0'; n++)
		if (!name_char(name[n]))
			return false;
	/* The two words that start a value. */
	return !ksg_is_attr(name) && strcmp(name, "test") != 0 &&
	    strcmp(name, "zext") != 0;
}
