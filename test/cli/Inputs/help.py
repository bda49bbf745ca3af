# SPDX-License-Identifier: BSD-2-Clause
"""The --help of each command: status 0, sorted options, and the manual has
every option."""
import os
import re
import subprocess
import sys

ksimd = sys.argv[1]
SRC = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")


def run(*args):
    return subprocess.run([ksimd] + list(args), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)


top = run("--help")
commands = re.findall(r"^  (\w[\w-]*) +\S", top.stdout, re.M)
assert {"obj", "solve", "rules"} <= set(commands), commands
for command in commands:
    result = run(command, "--help")
    assert result.returncode == 0, (command, result)
    assert result.stderr == "", (command, result.stderr)
    assert result.stdout.startswith("usage: ksimd " + command), result.stdout
    if command == "rules":      # has subcommands
        continue
    options = re.findall(r"^  (?:-\w, |    )--([\w-]+)", result.stdout, re.M)
    assert "help" in options and options == sorted(options), options
    pages = ""
    for page in ("ksimd.1", "ksimd-%s.1" % command):
        path = os.path.join(SRC, "docs", "man", page)
        if os.path.exists(path):
            with open(path) as f:
                pages += f.read()
    for option in options:
        if option != "help" or command == "obj":
            assert "-" + option in pages, (command, option)
