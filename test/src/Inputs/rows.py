#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs ksimd check on every src row of the labelled cases.

usage: rows.py KSIMD CASES

A row passes if what is reported for its function is what it expects:
"clean" neither note nor finding, "needs" the note alone, ids at least one of
them and no other.  Exit 1 on any difference or if no row was compared.
"""
import collections
import csv
import json
import os
import subprocess
import sys

ADVICE = {"region-in-loop", "region-unbounded", "simd-may-move",
          "isa-unguarded", "isa-flags"}

ksimd, folder = sys.argv[1:]
sys.path.insert(0, folder)
import builds  # noqa: E402

os.chdir(folder)


def words(note, key):
    return [w[len(key) + 1:] for w in note.replace(";", " ").split()
            if w.startswith(key + "=")]


def flags(word):
    f = builds.WORDS[word]
    return f(True) if callable(f) else f


def check(source, build, profile, mate):
    contracts = [c for c in ("cases.contract",
                             os.path.splitext(source)[0] + ".contract")
                 if os.path.exists(c)]
    command = [ksimd, "check", "--advice", "--profile", profile, "--format",
               "json"]
    for c in contracts:
        command += ["--contract", c]
    command += [source] + ([mate.rsplit(":", 1)[0]] if mate else [])
    command += ["--", "-O2"] + flags(build)
    r = subprocess.run(command, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, text=True, timeout=120)
    if r.returncode not in (0, 1):
        sys.exit("%s: exit %d\n%s" % (source, r.returncode, r.stderr))
    found, needs = collections.defaultdict(set), set()
    for line in r.stdout.splitlines():
        j = json.loads(line)
        name = j.get("function", "")
        if j["severity"] in ("error", "warning"):
            found[name].add(j["id"])
        elif j["id"] == "needs-region":
            needs.add(name)
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
    found, needs = check(*key)
    for row in rows:
        name, want = row["function"], set(row["expect"].split(","))
        ids = want - {"clean", "needs"}
        got = set(found.get(name, ()))
        if "strict" not in row["note"]:
            got -= ADVICE - want
        ok = got <= ids | set(words(row["note"], "may"))
        if "clean" in want:
            ok = ok and name not in needs
        else:
            ok = ok and ("needs" not in want or name in needs)
            ok = ok and (not ids or bool(got & ids))
        count += 1
        if not ok:
            wrong += 1
            print("%s: %s: expected %s, got %s" % (
                row["file"], name, row["expect"], ",".join(
                    sorted(got) + ["needs"] * (name in needs)) or "clean"))
print("%d rows, %d wrong" % (count, wrong))
sys.exit(1 if wrong or not count else 0)
