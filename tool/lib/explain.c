/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/checks.md, which is compiled in, by section.  A check's section
 * begins at the line "## ID" and ends before the next line that begins with
 * "## "; a line in a fenced block never begins so.
 */
#include "ks/finding.h"

#include <stdlib.h>
#include <string.h>

extern const char ks_checks_md[];	/* made by cmake/EmbedText.cmake */

const char *
ks_version(void)
{
	return KS_VERSION;
}

char *
ks_check_help(enum ks_diag d)
{
	const char *id = ks_diags[d].id, *p = ks_checks_md, *start, *end;
	size_t n = strlen(id);
	char *text;

	while ((p = strstr(p, "\n## ")) != NULL) {
		p += 4;
		if (strncmp(p, id, n) == 0 && p[n] == '\n')
			break;
	}
	if (p == NULL)
		return NULL;
	start = p + n;
	start += strspn(start, "\n");
	/* The line break before the next heading is kept, blank lines not. */
	end = strstr(start - 1, "\n## ");
	if (end == NULL)
		end = start + strlen(start);
	while (end > start && end[-1] == '\n')
		end--;
	text = ks_xmalloc((size_t)(end - start) + 2);
	memcpy(text, start, (size_t)(end - start));
	memcpy(text + (end - start), "\n", 2);
	return text;
}
