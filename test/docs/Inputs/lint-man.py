# SPDX-License-Identifier: BSD-2-Clause
"""mandoc -T lint over every manual page that git would ship."""
import glob
import os
import subprocess
import sys

pages = sorted(glob.glob(os.path.join(sys.argv[1], "docs", "man", "*.[1-9]")) +
               glob.glob(os.path.join(sys.argv[1], "rules", "*.[1-9]")))
names = {os.path.basename(page) for page in pages}
assert {"ksimd.1", "ksimd-obj.1", "ksg.5", "ksimd.prof.5"} <= names, names
bad = 0
for page in pages:
    run = subprocess.run(["mandoc", "-T", "lint", "-W", "style", page],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True)
    for line in run.stdout.splitlines():
        if "referenced manual not found" in line or "mandoc.db" in line:
            continue
        print(line)
        bad += 1
sys.exit(1 if bad else 0)
