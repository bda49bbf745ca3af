#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Time of "ksimd check" beside "clang-19 -fsyntax-only" with the same flags,
# file by file in one run, the two in turn: CPU seconds, and the median of the
# ratios. The files are 20, spread evenly, of a compilation database: KSIMD_CDB,
# or that of Linux 6.1 which linux.sh leaves behind. Its kernel is
# KSIMD_CDB_PROFILE (linux). Without one, they are the labelled cases.
#
# usage: bench/source-speed.sh [BUILD_FOLDER]
set -eu
cd "$(dirname "$0")/.."
exec python3 - "${1:-build}" <<'END'
import json, os, resource, shlex, statistics, subprocess, sys

sys.path.insert(0, os.path.join("bench", "report"))
import measure

ksimd = os.path.join(os.path.abspath(sys.argv[1]), "bin", "ksimd")
clang = "clang-19"
cdb = measure.database()
profile = os.environ.get("KSIMD_CDB_PROFILE", "linux")
ROUNDS = 5
FILES = 20

if cdb:
    with open(cdb) as f:
        units = [(c["file"], c["directory"], c.get("arguments") or
                  shlex.split(c["command"])) for c in json.load(f)]
    units = [units[i * len(units) // FILES] for i in range(FILES)] \
        if len(units) > FILES else units
else:
    sys.path.insert(0, "test/cases")
    import builds
    units = [(n, os.path.abspath("test/cases"), [clang] + builds.WORDS["simd"]
              + ["-c", n]) for n in sorted(os.listdir("test/cases"))
             if n.endswith(".c") and n[0] in "cghv"]


def cpu(command, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    r = subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime -
            before.ru_stime), r.returncode


ratios, ours, theirs = [], 0.0, 0.0
for file, folder, args in units:
    if cdb:
        mine = [ksimd, "check", "--profile", profile, "-p",
                os.path.abspath(cdb), os.path.join(folder, file)]
    else:
        mine = [ksimd, "check", "--profile", "freebsd", file, "--"] + \
            [a for a in args[1:] if a not in ("-c", file)]
    syntax = [clang] + [a for a in args[1:] if a != "-c"] + ["-fsyntax-only"]
    pairs = []
    for _ in range(ROUNDS):
        a, status = cpu(mine, folder)
        b, other = cpu(syntax, folder)
        if status > 1 or other != 0:
            break
        pairs.append((a, b))
    if not pairs:
        print("%s: cannot be compiled, left out" % file)
        continue
    a = statistics.median(p[0] for p in pairs)
    b = statistics.median(p[1] for p in pairs)
    ratios.append(a / b)
    ours += a
    theirs += b
if not ratios:
    sys.exit("no file could be compiled")
print("%d files: ksimd check %.2f s, clang -fsyntax-only %.2f s, "
      "median ratio %.2f (%.2f to %.2f)" %
      (len(ratios), ours, theirs, statistics.median(ratios), min(ratios),
       max(ratios)))
END
