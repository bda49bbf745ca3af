# SPDX-License-Identifier: BSD-2-Clause
"""fails.py STATUS TEXT COMMAND...: the command exits with STATUS, prints
nothing on standard output and one line on standard error that holds TEXT."""
import subprocess
import sys

status, text, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
result = subprocess.run(command, stdout=subprocess.PIPE,
                        stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
error = result.stderr.decode("utf-8", "backslashreplace")
if (result.returncode != status or result.stdout or error.count("\n") != 1 or
        text not in error or not error.startswith("ksimd: error: ")):
    print("status %d, output %r, error:\n%s" % (
        result.returncode, result.stdout, error))
    sys.exit(1)
