/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the reporters share.  A reporter makes whole pieces (a finding, a
 * part of a document) and puts each into the sink, which writes it at once or keeps
 * it until all went well.
 */
#ifndef KS_REPORT_H
#define KS_REPORT_H

#include <jansson.h>

#include "ks/finding.h"

struct ks_sink {
	bool	 direct;	/* to fd, one write a piece */
	int	 fd;
	int	 error;		/* errno of the first failed write */
	char	*buf;		/* not direct: everything so far, n bytes */
	size_t	 n, size;
};

void	ks_sink_put(struct ks_sink *s, const char *data, size_t size);

void	ks_report_text(const struct ks_findings *f,
	    const struct ks_report_opts *o, struct ks_sink *s);
void	ks_report_json(const struct ks_findings *f,
	    const struct ks_report_opts *o, struct ks_sink *s);
void	ks_report_sarif(const struct ks_findings *f,
	    const struct ks_report_opts *o, struct ks_sink *s);
void	ks_report_html(const struct ks_findings *f,
	    const struct ks_report_opts *o, struct ks_sink *s);

/*
 * S as printable UTF-8: control characters and bytes that are no UTF-8
 * become \xNN.  Names come from objects that nobody vouches for.  malloc'd.
 */
char	*ks_printable(const char *s);

/*
 * "file:line:col", or for objects "file.o:func+0x12" ("file.o:.sect+0x12"
 * without a function); as much of it as is known.  malloc'd, printable.
 */
char	*ks_place_string(const struct ks_place_text *at);
/* The source part of a place alone, NULL if there is none. */
char	*ks_source_string(const struct ks_place_text *at);

/* report_source.c: the line of a place that is no object's, and a caret. */
struct ks_sources *ks_sources_new(void);
void	ks_sources_free(struct ks_sources *s);
void	ks_sources_put(struct ks_sources *s, FILE *out,
	    const struct ks_place_text *at, const char *on, const char *off);

/* Under that line: TEXT at AT's column, or '~' up to END if it is empty. */
void	ks_sources_fix(struct ks_sources *s, FILE *out,
	    const struct ks_place_text *at, const char *text, uint32_t end);

/* JSON values; the reference is the caller's. */
json_t	*ks_json_str(const char *s);
/* Sets KEY to S unless S is NULL. */
void	ks_json_set_str(json_t *o, const char *key, const char *s);
void	ks_json_put(struct ks_sink *s, json_t *o, size_t flags);

#endif
