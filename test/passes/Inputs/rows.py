#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What the pass says of every src row of the labelled cases.

usage: rows.py CLANG OPT LINK PLUGIN CASES LEVEL...

Each file is compiled to IR at each level, before any pass has run, and given
to print<ksimd>.  What is reported must be what the row expects of its source:
"clean" neither need nor finding, "needs" the need alone, ids at least one of
them and no other.  Findings are the function's whose first line is the last
one before theirs.  Exit 1 on any difference or if no row was compared.
"""
import collections
import csv
import os
import re
import sys
import tempfile

clang, opt, link, plugin, folder, *levels = sys.argv[1:]
sys.path.insert(0, folder)
import builds  # noqa: E402
import run_case  # noqa: E402

UNSEEN = run_case.ADVICE | run_case.NO_CODE  # advice is not shown
words = run_case.words_of
run = run_case.run

os.chdir(folder)
temp = tempfile.TemporaryDirectory()


def flags(word):
    f = builds.WORDS[word]
    return f(True) if callable(f) else f


def must(*command):
    r = run(command)
    if r.returncode != 0:
        sys.exit("%s\n%s" % (" ".join(command), r.stderr))


def starts(ir):
    """(file, first line, name) of each function, sorted."""
    with open(ir) as f:
        text = f.read()
    files = dict(re.findall(r'^!(\d+) = !DIFile\(filename: "([^"]*)"', text,
                            re.M))
    subs = {}
    for number, name, file, line in re.findall(
            r'^!(\d+) = distinct !DISubprogram\(name: "([^"]*)".*?'
            r'file: !(\d+), line: (\d+)', text, re.M):
        subs[number] = files[file], int(line), name
    return sorted(subs[n] for n in re.findall(
        r'^define .*!dbg !(\d+) \{$', text, re.M))


def owner(functions, file, line):
    best = ""
    for f, first, name in functions:
        if f == file and first <= line:
            best = name
    return best


def check(source, build, profile, mate, level):
    inputs = [source] + ([mate.rsplit(":", 1)[0]] if mate else [])
    irs = []
    for n, name in enumerate(inputs):
        ir = os.path.join(temp.name, "%d.ll" % n)
        must(clang, "-" + level, "-g", *flags(build), "-Xclang",
             "-disable-llvm-passes", "-S", "-emit-llvm", name, "-o", ir)
        irs.append(ir)
    functions = sorted(sum((starts(ir) for ir in irs), []))
    if mate:
        ir = os.path.join(temp.name, "linked.ll")
        must(link, "-S", *irs, "-o", ir)
        irs = [ir]
    contract = os.path.join(temp.name, "out.contract")
    command = [opt, "-load-pass-plugin=" + plugin, "-ksimd-profile=" + profile,
               "-ksimd-emit-contract=" + contract]
    for c in ("cases.contract", os.path.splitext(source)[0] + ".contract"):
        if os.path.exists(c):
            command.append("-ksimd-contract=" + c)
    r = run(command + ["-passes=print<ksimd>", "-disable-output", irs[0]])
    if r.returncode != 0:
        sys.exit("%s: exit %d\n%s" % (source, r.returncode, r.stderr))
    found = collections.defaultdict(set)
    for line in r.stderr.splitlines():
        m = re.match(r"(\S+?):(\d+)(?::\d+)?: (error|warning): .*"
                     r"\[([a-z-]+)\]$", line)
        if m:
            found[owner(functions, m[1], int(m[2]))].add(m[4])
    with open(contract) as f:
        needs = {line.split()[1] for line in f if line.startswith("needs ")}
    os.unlink(contract)
    return found, needs


groups = collections.OrderedDict()
with open("manifest.tsv", newline="") as f:
    for row in csv.DictReader(f, delimiter="\t"):
        if row["layer"] == "src" and row["expect"] != "unscored":
            mate = (words(row["note"], "with") or [""])[0]
            key = (row["file"], row["build"], row["profile"], mate)
            groups.setdefault(key, []).append(row)

count = wrong = 0
for key, rows in groups.items():
    for level in levels:
        found, needs = check(*key, level)
        for row in rows:
            name, want = row["function"], set(row["expect"].split(","))
            if not want - UNSEEN:
                continue
            ids = want - {"clean", "needs"}
            got = set(found.get(name, ()))
            ok = got <= ids | set(words(row["note"], "may"))
            if "clean" in want:
                ok = ok and name not in needs
            else:
                ok = ok and ("needs" not in want or name in needs)
                ok = ok and (not ids or bool(got & ids))
            count += 1
            if not ok:
                wrong += 1
                print("%s -%s: %s: expected %s, got %s" % (
                    row["file"], level, name, row["expect"], ",".join(
                        sorted(got) + ["needs"] * (name in needs)) or "clean"))
print("%d rows, %d wrong" % (count, wrong))
sys.exit(1 if wrong or not count else 0)
