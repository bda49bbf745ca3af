/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * ksimd: the command.  Everything is in subcommands, see the table.
 */
#include <stdio.h>
#include <string.h>

#include "cc/cc.h"
#include "cmd.h"
#include "ks/options.h"
#include "obj.h"
#include "rules.h"

static const struct {
	const char *name;
	const char *summary;
	int	(*run)(int argc, char **argv);
} commands[] = {		/* sorted by name */
	{ "cc", "compile, and give an object only if it is proven",
	    ks_cmd_cc },
#ifdef KS_HAVE_SRC
	{ "check", "check C source", ks_cmd_check },
#endif
	{ "explain", "print what a check means and how to cure its finding",
	    ks_cmd_explain },
	{ "list-checks", "list the checks", ks_cmd_list_checks },
	{ "obj", "check object files and kernel modules", ks_cmd_obj },
	{ "profiles", "list the kernels known", ks_cmd_profiles },
	{ "rules", "make and check build rules for SIMD files",
	    ks_cmd_rules },
	{ "solve", "check event graphs (.ksg files)", ks_cmd_solve },
};
#define NCOMMANDS	(sizeof(commands) / sizeof(commands[0]))

static void
print_help(FILE *f)
{
	fputs("usage: ksimd command [option ...] [operand ...]\n"
	    "Prove that kernel code touches SIMD registers only where it may."
	    "\n\n", f);
	for (size_t i = 0; i < NCOMMANDS; i++)
		fprintf(f, "  %-14s %s\n", commands[i].name,
		    commands[i].summary);
	fputs("\n  --help         print this text\n"
	    "  --version      print the version\n\n"
	    "ksimd command --help lists a command's options.\n"
	    "Exit status: 0 nothing found, 1 findings, 2 usage, input or "
	    "output error,\n3 internal error.\n", f);
}

int
main(int argc, char **argv)
{
	struct ks_error err;

	if (argc < 2) {
		print_help(stderr);
		return KS_EXIT_USAGE;
	}
	for (size_t i = 0; i < NCOMMANDS; i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].run(argc - 1, argv + 1);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		print_help(stdout);
		return ks_flush_stdout();
	}
	if (strcmp(argv[1], "--version") == 0) {
		printf("ksimd %s\n", ks_version());
		return ks_flush_stdout();
	}
	ks_error(&err, KS_EUSAGE,
	    "unknown command '%s' (ksimd --help lists them)", argv[1]);
	return ks_fail(&err, KS_EUSAGE);
}
