# SPDX-License-Identifier: BSD-2-Clause
#
# Kinds of lit tests.  They are in a module, not in lit.cfg.py, as lit sends
# them to its worker processes by name.
import csv
import os

import lit.formats
import lit.Test
import lit.util


class Scripts(lit.formats.ShTest):
    """Files with RUN lines.  C files without one are programs or inputs."""

    def getTestsInDirectory(self, suite, path_in_suite, lit_config, config):
        for test in super().getTestsInDirectory(
                suite, path_in_suite, lit_config, config):
            source = test.getSourcePath()
            if source.endswith((".c", ".h")):
                with open(source, errors="replace") as f:
                    if "RUN:" not in f.read():
                        continue
            yield test


class Cases(lit.formats.TestFormat):
    """One test for each file and build word of a manifest of cases that has
    a row for one of these compilers."""

    def __init__(self, layers, command, folder=None,
                 compilers=("any", "gcc", "clang-19"), suffix=""):
        self.layers = layers
        self.command = command
        self.folder = folder
        self.compilers = compilers
        self.suffix = suffix

    def getTestsInDirectory(self, suite, path_in_suite, lit_config, config):
        folder = self.folder or suite.getSourcePath(path_in_suite)
        names = set()
        with open(os.path.join(folder, "manifest.tsv"), newline="") as f:
            for row in csv.DictReader(f, delimiter="\t"):
                if (row["layer"] in self.layers and
                        row["compiler"] in self.compilers and
                        row["file"].endswith(self.suffix)):
                    names.add(row["file"] + ":" + row["build"])
        if not names:
            raise ValueError("no cases of " + ", ".join(self.layers))
        for name in sorted(names):
            yield lit.Test.Test(suite, path_in_suite + (name,), config)

    def execute(self, test, lit_config):
        command = self.command + test.path_in_suite[-1].rsplit(":", 1)
        out, err, status = lit.util.executeCommand(
            command, env=test.config.environment)
        text = " ".join(command) + "\n" + out + err
        return (lit.Test.FAIL if status else lit.Test.PASS), text
