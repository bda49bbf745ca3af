/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Breaks objects and gives them to all of "ksimd obj": every prefix of each
 * file, and many copies with a few bytes changed.  Whatever comes in, there
 * must be a verdict or one line of error, in ten seconds, without a leak.
 * Built with AddressSanitizer and UndefinedBehaviorSanitizer.
 *
 * usage: mangle [-n copies] object ...
 *
 * 1. Inputs are numbered: prefixes by their length, then copies; the number
 *    is the seed of what is changed, so that each can be made again.
 * 2. A child process runs a batch of them and leaves at its end, which is
 *    when leaks are found.  An alarm ends it if one input takes too long.
 * 3. If a child fails, the input that it had come to is named, and written
 *    to mangle-NUMBER.o; the rest is run all the same.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "obj_priv.h"

#define BATCH	2000
#define SECONDS	10	/* for one input */

/* ks: the text of docs/checks.md, which reports do not need. */
const char ks_checks_md[] = "";

static struct ks_profile *profile;

/* What a child tells its parent. */
struct shared {
	volatile unsigned long at;		/* input being run */
	volatile unsigned long verdicts, errors;
};
static struct shared *shared;

/* --- one input --------------------------------------------------------------- */

static int
judge(struct ks_obj *o, void *ctx, struct ks_error *err)
{
	struct ks_report_opts opts = { .format = KS_FMT_JSON, .all = true,
	    .advice = true, .output = "/dev/null" };
	struct ks_findings *f = ks_findings_new();
	struct ks_solve_opts so = { .closed = false };
	struct ks_verdict v = { 0 };
	struct ks_unit *u = NULL;
	int rc;

	(void)ctx;
	rc = ks_obj_scan(o, profile, false, NULL, err);
	if (rc == 0)
		rc = ks_obj_lower(o, profile, f, &u, err);
	if (rc == 0)
		rc = ks_solve(&u, 1, profile, &so, f, &v, err);
	if (rc == 0) {
		ks_obj_check_relocs(o, profile, 0xffffffff80000000, f);
		ks_obj_check_stack(o, profile, f);
		ks_obj_add_lines(o, NULL, f);
		rc = ks_findings_finish(f, &opts, err);
	}
	if (rc == 0)
		rc = ks_report(f, &opts, err);
	ks_vec_free(&v.assumptions);
	ks_unit_free(u);
	ks_findings_free(f);
	ks_obj_free(o);
	return rc;
}

static void
run(const uint8_t *data, size_t size)
{
	struct ks_error err = { "" };
	int rc;

	alarm(SECONDS);
	rc = ks_obj_open_memory("broken.o", data, size, judge, NULL, &err);
	alarm(0);
	if (rc == KS_EINTERNAL) {
		fprintf(stderr, "internal error: %s\n", err.text);
		abort();
	}
	if (rc != 0 && (err.text[0] == '\0' ||
	    strchr(err.text, '\n') != NULL)) {
		fprintf(stderr, "error %d without one line of text\n", rc);
		abort();
	}
	if (rc == 0)
		shared->verdicts++;
	else
		shared->errors++;
}

/* --- making inputs -------------------------------------------------------------- */

struct input {
	const char *path;
	uint8_t	*data;
	size_t	 size;
	unsigned long copies;
};

static uint64_t
next(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

/*
 * Input I: malloc'd, of exactly its size, so that a read behind its end is
 * seen.  Half of the changes go to the file's ends, where the headers are.
 */
static uint8_t *
make(const struct input *in, unsigned long i, size_t *size)
{
	uint64_t s = (i + 1) * 0x9e3779b97f4a7c15u;
	uint8_t *p;
	size_t n;

	*size = i < in->size ? i : in->size;
	p = malloc(*size > 0 ? *size : 1);
	if (p == NULL)
		abort();
	memcpy(p, in->data, *size);
	if (i < in->size)
		return p;
	n = 1 + next(&s) % 4;
	while (n-- > 0) {
		uint64_t r = next(&s) >> 8, at = next(&s) >> 8;

		switch (r % 4) {
		case 0:
			at %= 64;
			break;
		case 1:
			at = in->size - 1 - at % (in->size / 4 + 1);
			break;
		default:
			at %= in->size;
		}
		if (r / 4 % 2 == 0)
			p[at] ^= (uint8_t)(1u << r / 8 % 8);
		else
			p[at] = (uint8_t)(r >> 16);
	}
	return p;
}

/* --- batches ------------------------------------------------------------------------ */

/* Runs inputs FIRST to LAST - 1 in a child; false: it failed. */
static bool
batch(const struct input *in, unsigned long first, unsigned long last)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		abort();
	if (pid == 0) {
		for (unsigned long i = first; i < last; i++) {
			uint8_t *p;
			size_t n;

			shared->at = i;
			p = make(in, i, &n);
			run(p, n);
			free(p);
		}
		shared->at = last;
		ks_profile_free(profile);
		free(in->data);
		exit(0);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			abort();
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	if (WIFSIGNALED(status))
		fprintf(stderr, "%s: %s\n", in->path,
		    WTERMSIG(status) == SIGALRM ? "too slow" :
		    strsignal(WTERMSIG(status)));
	return false;
}

static void
keep(const struct input *in, unsigned long i)
{
	char name[64];
	uint8_t *p;
	FILE *f;
	size_t n;

	snprintf(name, sizeof(name), "mangle-%lu.o", i);
	p = make(in, i, &n);
	f = fopen(name, "wb");
	if (f != NULL) {
		fwrite(p, 1, n, f);
		fclose(f);
	}
	free(p);
	fprintf(stderr, "%s: input %lu failed, see %s\n", in->path, i, name);
}

static unsigned
mangle(const struct input *in)
{
	unsigned long end = in->size + in->copies, i = 0;
	unsigned failed = 0;

	shared->verdicts = shared->errors = 0;
	while (i < end && failed < 10) {
		unsigned long last = end - i < BATCH ? end : i + BATCH;

		if (batch(in, i, last)) {
			i = last;
			continue;
		}
		failed++;
		if (shared->at >= last) {
			fprintf(stderr, "%s: leak in inputs %lu to %lu\n",
			    in->path, i, last - 1);
			i = last;
		} else {
			keep(in, shared->at);
			i = shared->at + 1;
		}
	}
	printf("%s: %zu bytes, %lu inputs: %lu verdicts, %lu errors, "
	    "%u failures\n", in->path, in->size, i, shared->verdicts,
	    shared->errors, failed);
	/* A reader that refuses all would pass, too. */
	if (shared->verdicts < in->copies / 10) {
		fprintf(stderr, "%s: too few verdicts\n", in->path);
		failed++;
	}
	return failed;
}

int
main(int argc, char **argv)
{
	struct input in = { .copies = 10000 };
	struct ks_error err;
	unsigned failed = 0;
	char *data;
	int c;

	while ((c = getopt(argc, argv, "n:")) != -1) {
		if (c != 'n')
			return 2;
		in.copies = strtoul(optarg, NULL, 10);
	}
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	profile = ks_profile_new();
	if (shared == MAP_FAILED || optind == argc ||
	    ks_profile_load(profile, "linux", &err) != 0)
		return 2;
	for (int i = optind; i < argc; i++) {
		in.path = argv[i];
		if (ks_read_file(in.path, &data, &in.size, &err) != 0) {
			fprintf(stderr, "%s\n", err.text);
			return 2;
		}
		in.data = (uint8_t *)data;
		failed += mangle(&in);
		free(data);
	}
	ks_profile_free(profile);
	return failed != 0;
}
