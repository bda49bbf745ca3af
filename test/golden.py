# SPDX-License-Identifier: BSD-2-Clause
"""golden.py EXPECTED ACTUAL: fails, with a diff, unless the files are equal.

With KSIMD_REBASE set, ACTUAL becomes EXPECTED instead: see rebase.sh.
"""
import difflib
import os
import shutil
import sys

expected, actual = sys.argv[1:]
if os.environ.get("KSIMD_REBASE"):
    shutil.copyfile(actual, expected)
    sys.exit(0)
texts = []
for path in (expected, actual):
    with open(path, encoding="utf-8", errors="backslashreplace") as f:
        texts.append(f.readlines())
diff = list(difflib.unified_diff(texts[0], texts[1], expected, actual))
sys.stdout.writelines(diff)
if diff:
    print("if that is right: test/rebase.sh, and review what git diff shows")
sys.exit(1 if diff else 0)
