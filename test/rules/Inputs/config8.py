#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares "ksimd rules make" with what FreeBSD 15.1's config(8) does.

usage: config8.py KSIMD EDGE.TSV

Each row of the table is an input, put at the end of conf/files.amd64 in a
small tree, and what config(8) made of it: exit status, message, objects and
rule.  The status must be zero where config(8)'s is and 1 where it is not;
the message must be a line of standard error, word for word; the objects and
the rule those of the output.  Where config(8) stops, our own line must name
a place.

The messages were recorded as text: a carriage return reads as a newline.
"""
import os
import re
import subprocess
import sys
import tempfile

FIXED = {
    "conf/files": "fixed/base.c standard\nfixed/aesni.c optional aesni\n",
    "conf/files.shared": "shared/s.c optional aesni | myopt\n",
}
FIRST = "x86only.c standard\n"
OWN = {"base.o", "aesni.o", "x86only.o"}    # of the lines above
ARGS = ["--device", "aesni", "--option", "HAMMER", "--option", "MAXUSERS=0"]


def unescape(s):
    c = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "\\": "\\"}
    return re.sub(r"\\(.)", lambda m: c[m.group(1)], s)


def run(ksimd, text):
    with tempfile.TemporaryDirectory() as top:
        os.mkdir(top + "/conf")
        files = dict(FIXED)
        files["conf/files.amd64"] = FIRST + text
        for name, content in files.items():
            with open(f"{top}/{name}", "w", newline="") as f:
                f.write(content)
        p = subprocess.run([ksimd, "rules", "make", *ARGS], cwd=top,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           timeout=20)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def parse(out):
    """Objects and rules of the output, those of the fixed lines left out."""
    joined = out.replace("\\\n\t", "")
    objs = joined[len("OBJS+="):joined.index("\nCFILES+=")].split()
    rules = out[out.index("\nBEFORE_DEPEND+=") + 1:].split("\n", 1)[1]
    rules = [r.strip("\n") for r in re.split(r"\n(?=[^\t\n][^\n]*:)", rules)]
    rules = [r for r in rules if r and r.split(":")[0] not in OWN]
    return [o for o in objs if o not in OWN], rules


def check(ksimd, row):
    case, text, status, message, objects, rule = row
    rc, out, err = run(ksimd, unescape(text))
    bad = []
    if rc != int(status):
        bad.append(f"status {rc}, want {status}")
    message = unescape(message)
    printed = err.replace("\r", "\n")
    if message and f"\n{message}\n" not in "\n" + printed:
        bad.append(f"message {err!r}, want {message!r}")
    if rc != 0:
        if out:
            bad.append(f"output {out!r} beside an error")
        if not re.search(r"^conf/files\.amd64:\d+:\d+: error: ", err, re.M):
            bad.append(f"no place in {err!r}")
        return bad
    objs, rules = parse(out)
    if objs != objects.split():
        bad.append(f"objects {objs}, want {objects!r}")
    want = unescape(rule)
    if rules != ([want] if want else []):
        bad.append(f"rules {rules!r}, want {want!r}")
    # A row without object, rule and message is a silent drop: we say so.
    silent = not objects and not rule and not message
    if silent and case not in NO_DROP and "warning: " not in err:
        bad.append("dropped in silence")
    return bad


# Nothing is lost in these: a comment, and conditions that are false as written.
NO_DROP = {"and miss", "hash glued first", "option with value"}


def main():
    ksimd, table = os.path.abspath(sys.argv[1]), sys.argv[2]
    with open(table, newline="") as f:
        rows = [l.rstrip("\n").split("\t") for l in f][1:]
    failed = 0
    for row in rows:
        bad = check(ksimd, row)
        failed += bool(bad)
        for b in bad:
            print(f"{row[0]}: {b}")
    print(f"{len(rows) - failed} of {len(rows)} rows as config(8)")
    return 1 if failed or len(rows) != 48 else 0


sys.exit(main())
