/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs the compiler, and dies as it dies.
 *
 * A signal that would end this process
 *   - while the compiler runs, is sent on to it unless it came from the
 *     terminal, which sends it to both; when the compiler has ended, the
 *     temporary files go and this process dies of the same signal;
 *   - else, takes the temporary files along at once.
 * Signals that the caller ignores (nohup) stay ignored.
 *
 * Invariant: temporary files are made and registered (output.c), and the
 * child is started and noted, while signals are held.
 */
#include "cc_priv.h"

#include <sys/resource.h>
#include <sys/wait.h>

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static volatile sig_atomic_t got;	/* signal, 0: none */
static volatile pid_t child;
static sigset_t caught, before;

static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
#define NSIGNALS	(sizeof(signals) / sizeof(signals[0]))

static void
die_of(int sig)
{
	struct rlimit none = { 0, 0 };
	sigset_t set;

	/* The dump would be this program's, not the compiler's. */
	setrlimit(RLIMIT_CORE, &none);
	signal(sig, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, sig);
	kill(getpid(), sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	_exit(128 + sig);	/* the signal is of a kind that does not kill */
}

static void
on_signal(int sig, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)context;
	if (child > 0) {
		got = sig;
		if (info->si_code <= 0 && sig != SIGPIPE)
			kill(child, sig);
		errno = saved;
		return;
	}
	cc_output_emergency();
	die_of(sig);
}

void
cc_signals_catch(void)
{
	struct sigaction sa = { .sa_sigaction = on_signal,
	    .sa_flags = SA_SIGINFO };
	struct sigaction old;

	sigemptyset(&caught);
	for (size_t i = 0; i < NSIGNALS; i++)
		sigaddset(&caught, signals[i]);
	sa.sa_mask = caught;
	for (size_t i = 0; i < NSIGNALS; i++)
		if (sigaction(signals[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			sigaction(signals[i], &sa, NULL);
}

void
cc_signals_hold(void)
{
	sigprocmask(SIG_BLOCK, &caught, &before);
}

void
cc_signals_release(void)
{
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void
cc_die(int sig)
{
	cc_signals_hold();
	cc_output_emergency();
	die_of(sig);
	_exit(128 + sig);
}

static void
print_word(const char *w)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";

	if (w[0] != '\0' && w[strspn(w, plain)] == '\0') {
		fputs(w, stderr);
		return;
	}
	fputc('\'', stderr);
	for (; *w != '\0'; w++)
		if (*w == '\'')
			fputs("'\\''", stderr);
		else
			fputc(*w, stderr);
	fputc('\'', stderr);
}

void
cc_print_command(char *const *argv)
{
	for (size_t i = 0; argv[i] != NULL; i++) {
		if (i > 0)
			fputc(' ', stderr);
		print_word(argv[i]);
	}
	fputc('\n', stderr);
}

int
cc_exec(char *const *argv)
{
	struct ks_error err;

	execvp(argv[0], argv);
	ks_error(&err, KS_EIO, "%s: %s", argv[0], strerror(errno));
	return ks_fail(&err, KS_EIO);
}

int
cc_run(char *const *argv, int *sig, struct ks_error *err)
{
	posix_spawnattr_t attr;
	int status = 0, rc;
	pid_t pid;

	*sig = 0;
	fflush(NULL);
	posix_spawnattr_init(&attr);
	cc_signals_hold();
	posix_spawnattr_setsigmask(&attr, &before);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	rc = posix_spawnp(&pid, argv[0], NULL, &attr, argv, environ);
	if (rc == 0)
		child = pid;
	cc_signals_release();
	posix_spawnattr_destroy(&attr);
	if (rc != 0) {
		ks_error(err, KS_EIO, "%s: %s", argv[0], strerror(rc));
		return CC_NOT_RUN;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	child = 0;
	*sig = got;
	if (*sig == 0 && WIFSIGNALED(status))
		*sig = WTERMSIG(status);
	return *sig != 0 ? CC_SIGNALLED : WEXITSTATUS(status);
}
