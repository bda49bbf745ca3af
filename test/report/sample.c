/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Prints a fixed set of findings in a format: report-sample FORMAT [all]
 * [baseline FILE] [write FILE].  The set has every shape of place, names
 * that no terminal should see, repeats, advice and a duplicate; it is added
 * in an order that no report uses.
 */
#include <string.h>

#include "ks/finding.h"

static void
add_object_findings(struct ks_findings *f)
{
	struct ks_place_text at = { .object = "sub dir/a.o",
	    .section = ".text", .function = "hash", .has_off = true };
	struct ks_place_text step = at;
	struct ks_finding *one;

	/* Three of one kind: text shows two. */
	for (unsigned i = 3; i > 0; i--) {
		at.off = 16 * i;
		one = ks_finding_add(f, KS_D_SIMD_OUTSIDE_REGION, &at,
		    "SIMD state (xmm) is used outside a region");
		ks_finding_event(f, one, "movdqa %xmm0,(%rsp)");
		step.off = 0;
		ks_finding_note(f, one, &step, "the function begins here");
		step.off = 16 * i - 5;
		step.file = "src/a.c";
		step.line = 40 + i;
		step.col = 3;
		ks_finding_note(f, one, &step, "the region was left here");
		step.file = NULL;
		step.line = step.col = 0;
	}
	/* With a line, and in a file name with odd bytes. */
	at.object = "b\033[31m.ko";
	at.function = "f\xff";
	at.file = "/abs/b.c";
	at.line = 7;
	ks_finding_add(f, KS_D_OBJ_RED_ZONE, &at, "-8(%%rsp) is <written> & "
	    "\"read\"\n");
	/* A section, no function. */
	at = (struct ks_place_text){ .object = "sub dir/a.o",
	    .section = ".eh_frame", .off = 0x20, .has_off = true };
	ks_finding_add(f, KS_D_OBJ_RELOC_RANGE, &at,
	    "R_X86_64_32 against .text cannot hold 0xffffffff80000000");
	/* Only an object. */
	at = (struct ks_place_text){ .object = "c.a(m.o)" };
	ks_finding_add(f, KS_D_NEEDS_REGION, &at, "must be called inside");
}

static void
add_source_findings(struct ks_findings *f)
{
	struct ks_place_text at = { .file = "src/b.c", .line = 30, .col = 9,
	    .function = "work" };
	struct ks_place_text type = { .file = "src/b.h", .line = 3,
	    .function = "struct:session" };
	struct ks_finding *one;

	one = ks_finding_add(f, KS_D_REGION_NOT_LEFT, &at,
	    "region is held at return");
	at.line = 20;
	at.col = 5;
	ks_finding_note(f, one, &at, "entered here");
	ks_finding_add(f, KS_D_REGION_IN_LOOP, &at,
	    "a region for each iteration");
	/* The header was seen twice. */
	for (unsigned i = 0; i < 2; i++)
		ks_finding_add(f, KS_D_CONTEXT_EMBEDDED, &type,
		    "'struct fpu_kern_ctx' by value");
	at = (struct ks_place_text){ .function = "nowhere" };
	ks_finding_add(f, KS_D_CONTRACT_UNUSED, &at, "nothing matches");
}

static int
fail(const struct ks_error *err)
{
	fprintf(stderr, "%s\n", err->text);
	return 2;
}

int
main(int argc, char **argv)
{
	static const char *const formats[] = { "text", "json", "sarif", "html" };
	struct ks_report_opts o = { .fail_on = KS_SEV_WARNING,
	    .tool_args = "ksimd obj 'sub dir/a.o'" };
	struct ks_findings *f = ks_findings_new();
	const char *write = NULL;
	struct ks_error err;
	int status;

	for (int i = 1; i < argc; i++) {
		for (unsigned j = 0; j < 4; j++)
			if (strcmp(argv[i], formats[j]) == 0)
				o.format = (enum ks_format)j;
		o.all |= strcmp(argv[i], "all") == 0;
		o.advice |= strcmp(argv[i], "advice") == 0;
		o.color |= strcmp(argv[i], "color") == 0;
		if (i + 1 < argc && strcmp(argv[i], "baseline") == 0)
			o.baseline = argv[i + 1];
		if (i + 1 < argc && strcmp(argv[i], "write") == 0)
			write = argv[i + 1];
		if (i + 1 < argc && strcmp(argv[i], "output") == 0)
			o.output = argv[i + 1];
	}
	add_object_findings(f);
	add_source_findings(f);
	if (ks_findings_finish(f, &o, &err) != KS_OK ||
	    (write != NULL && ks_baseline_write(f, write, &err) != KS_OK) ||
	    ks_report(f, &o, &err) != KS_OK)
		return fail(&err);
	fprintf(stderr, "hidden %zu %zu %zu, stale %zu\n", f->hidden[0],
	    f->hidden[1], f->hidden[2], f->stale);
	status = ks_findings_status(f, &o);
	ks_findings_free(f);
	return status;
}
