#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Lints a sys/conf of 5,600 entries: the best of five runs must be under
# 0.3 s, and memory under 64 MB.
set -eu
cd "$(dirname "$0")/.."
ksimd=${KSIMD:-build/bin/ksimd}
work=build/bench/rules
rm -rf "$work"
mkdir -p "$work"
python3 bench/rules-tree.py "$work/sys"
python3 - "$ksimd" "$work" <<'END'
import glob
import os
import resource
import subprocess
import sys
import time

ksimd, work = sys.argv[1:]
lists = sorted(glob.glob(work + "/sys/conf/files*"))
best = 1e9
for _ in range(5):
    start = time.monotonic()
    status = subprocess.call([ksimd, "rules", "lint", "-W", "-I"] + lists,
                             stdout=subprocess.DEVNULL)
    best = min(best, time.monotonic() - start)
    assert status in (0, 1), status
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
print("rules lint: 5600 entries in %.3f s, %.0f MB" % (best, peak))
if best > 0.3 or peak > 64:
    sys.exit("rules lint: the limits are 0.3 s and 64 MB")
END
