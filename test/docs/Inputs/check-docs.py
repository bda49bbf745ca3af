# SPDX-License-Identifier: BSD-2-Clause
"""diags.def, docs/checks.md and the tests tell of the same checks."""
import csv
import os
import re
import sys

SRC = sys.argv[1]


def read(*names):
    with open(os.path.join(SRC, *names), encoding="utf-8") as f:
        return f.read()


rows = re.findall(r'^DIAG\((\w+), "([^"]+)", (\w+),\s*([\w\s|]+),',
                  read("tool", "include", "ks", "diags.def"), re.M)
ids = [row[1] for row in rows]
assert len(ids) >= 20
assert len(ids) == len(re.findall(r"^DIAG", read(
    "tool", "include", "ks", "diags.def"), re.M)), "a row was not understood"
assert ids == sorted(set(ids)), "diags.def is not sorted"
for name, one, _, _ in rows:
    assert name == one.upper().replace("-", "_"), name

headings = re.findall(r"^## (.*)$", read("docs", "checks.md"), re.M)
assert headings == ids, sorted(set(headings) ^ set(ids)) or "order"
for section in re.split(r"^## ", read("docs", "checks.md"), flags=re.M)[1:]:
    name = section.split("\n")[0]
    for word in ("Cure:", "Silence:"):
        assert word in section, (name, word)
    assert re.search(r"^    \S", section, re.M), name + ": no example"

# What the code can report; a front end of its own has its own tests.
code = ""
for folder in (("tool", "lib"), ("tool", "obj"), ("rules",)):
    for name in sorted(os.listdir(os.path.join(SRC, *folder))):
        if name.endswith(".c"):
            code += read(*folder, name)
reported = [row[1] for row in rows
            if re.search(r"\bKS_D_%s\b" % row[0], code)]
if not os.path.isdir(os.path.join(SRC, "test", "src")):
    # No source front end: nobody can see what sources alone show.
    reported = [row[1] for row in rows if row[1] in reported and
                ("KS_AT_OBJ" in row[3] or "KS_AT_ALL" in row[3])]
assert len(reported) >= 15, reported

# A test: a file that is named after the id, or a labelled case.
tested = set()
with open(os.path.join(SRC, "test", "cases", "manifest.tsv"), newline="") as f:
    for row in csv.DictReader(f, delimiter="\t"):
        if row["layer"] in ("obj", "src"):
            tested.update(row["expect"].split(","))
            if "needs" in row["expect"].split(","):
                tested.add("needs-region")
for folder in ("cli", "engine", "obj", "rules", "src"):
    for path, _, files in os.walk(os.path.join(SRC, "test", folder)):
        for name in files:
            for one in ids:
                if re.match(re.escape(one) + r"(-[\w-]+)?\.", name):
                    tested.add(one)
missing = [one for one in reported if one not in tested]
assert not missing, "no test: " + ", ".join(missing)
