#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Puts faults into right code, one at a time, and asks ksimd check of each.

usage: mutate.py --ksimd KSIMD [--sample N] [--verbose]

1. Sites are the calls of the profile's enter, leave and query functions in
   functions that are right: all of the example, and those called good_* of
   test/cases and test/src.
2. Mutants of an enter or leave: removed, doubled, and moved over the next or
   the previous statement.  Of a query: 0, 1, and the opposite of it.
3. A mutant is reported by an error, a warning or a need of the callers that
   the file has not without it, of whatever id, counted by id and function.
   One that does not compile is no mutant.
4. Each survivor must be in test/mutate.survivors, which says why it breaks no
   rule; and each line there must be a survivor.

--sample N: each N-th mutant only; survivors that are not among them are not
missed then.  Exit 1 on a survivor that is not listed, and on a stale line.
"""
import argparse
import collections
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
CASES = os.path.join(HERE, "cases")
SURVIVORS = os.path.join(HERE, "mutate.survivors")
sys.path.insert(0, CASES)
import builds  # noqa: E402

Source = collections.namedtuple("Source", "path profile flags extra all")
Mutant = collections.namedtuple("Mutant", "source name text")

ENTER = ("fpu_kern_enter", "kernel_fpu_begin", "kernel_fpu_begin_mask",
         "dc_fpu_begin", "DC_FP_START", "kfpu_begin", "fpu_kernel_enter",
         "efi_fpu_begin")
LEAVE = ("fpu_kern_leave", "kernel_fpu_end", "dc_fpu_end", "DC_FP_END",
         "kfpu_end", "fpu_kernel_exit", "efi_fpu_end")
QUERY = ("is_fpu_kern_thread", "irq_fpu_usable", "may_use_simd",
         "crypto_simd_usable", "dc_is_fp_enabled")


def sources():
    """All right code, and how it is checked."""
    example = os.path.join(ROOT, "examples", "aesni")
    for path in sorted(glob.glob(example + "/*.c")):
        with open(path) as f:
            if "fpu_kern_enter" not in f.read():
                continue
        # With what it calls, which is in other files.
        yield Source(path, "freebsd", [
            "-std=gnu11", "-ffreestanding", "-D_KERNEL",
            "-D_MM_MALLOC_H_INCLUDED", "-msse4.1", "-maes",
            "-I" + example, "-I" + example + "/kern",
            "-include", "kernel.h"],
            sorted(glob.glob(example + "/aesni_wrap*.c")), True)
    for path in sorted(glob.glob(CASES + "/*.c")):
        yield from case(path)
    for path in sorted(glob.glob(HERE + "/src/*/*.c")):
        with open(path) as f:
            run = f.readline()
        m = re.search(r"%ksimd check (.*?)%s -- (.*?) 2>&1", run)
        profile = re.search(r"--profile (\S+)", run)
        if not m or not profile or "%t" in run:
            continue
        flags = []
        for word in m.group(2).split():
            word = word.replace("%cases", CASES).replace("%src", ROOT)
            flags += {"%base": builds.BASE, "%simd": builds.SIMD}.get(
                word, [word])
        yield Source(path, profile.group(1), flags, [], False)


def case(path):
    name = os.path.basename(path)
    with open(CASES + "/manifest.tsv") as f:
        rows = [line.rstrip("\n").split("\t") for line in f]
    for row in rows:
        if row[0] == name and row[2] == "src":
            flags = builds.WORDS[row[1]]
            flags = flags(True) if callable(flags) else flags
            extra = []
            own = os.path.splitext(path)[0] + ".contract"
            for contract in (CASES + "/cases.contract", own):
                if os.path.exists(contract):
                    extra += ["--contract", contract]
            with_ = re.search(r"with=([^;: ]+)", row[8] if len(row) > 8
                              else "")
            if with_:
                extra.append(os.path.join(CASES, with_.group(1)))
            yield Source(path, row[5], flags, extra, False)
            return


def functions(lines):
    """(name, first line, last line) of each, in KNF or on one line."""
    start = None
    for i, line in enumerate(lines):
        if re.match(r"\w.*\)\s*\{.*\}\s*$", line):
            m = re.search(r"(\w+)\(", line)
            yield m.group(1), i, i
        elif line.endswith("\\"):
            continue
        elif line.startswith("{"):
            head = " ".join(lines[max(0, i - 4):i])
            names = re.findall(r"(\w+)\s*\((?!\()", head.split("}")[-1])
            start = ([n for n in names if n != "__attribute__"] or ["?"])[-1], i
            for back in range(i - 1, max(-1, i - 5), -1):
                m = re.match(r"(\w+)\(", lines[back])
                if m:
                    start = m.group(1), i
                    break
        elif re.match(r"\w[^;]*\)\s*\{\s*$", line):
            start = re.search(r"(\w+)\(", line).group(1), i
        elif line.startswith("}") and start:
            yield start[0], start[1], i
            start = None


def macros(lines):
    """Macros whose body is a block: functions are made with them."""
    for i, line in enumerate(lines):
        m = re.match(r"#define (\w+)\(.*\\$", line)
        if m and lines[i + 1].startswith("{"):
            end = i + 1
            while lines[end].endswith("\\"):
                end += 1
            yield m.group(1), i + 1, end


def call_end(text, at):
    """Behind the ')' of the call whose name begins at AT."""
    depth = 0
    for i in range(text.index("(", at), len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return i + 1
    raise ValueError("no end")


def next_statement(text, at, end):
    """The end of the statement that begins behind AT, or None."""
    depth = 0
    i = at
    while i < end:
        c = text[i]
        if text.startswith("//", i):
            i = text.index("\n", i)
            continue
        if text.startswith("/*", i):
            i = text.index("*/", i) + 2
            continue
        if c == "\\":
            i += 1
            continue
        if c in "({":
            depth += 1
        elif c in ")}":
            depth -= 1
            if depth < 0:
                return None
            if c == "}" and depth == 0 and \
                    not re.match(r"\s*else\b", text[i + 1:]):
                return i + 1
        elif c == ";" and depth == 0 and \
                not re.match(r"\s*else\b", text[i + 1:]):
            return i + 1
        i += 1
    return None


def statements(text, lo, hi):
    """Spans of the statements of all blocks in text[lo:hi]."""
    for i in range(lo, hi):
        if text[i] == "{":
            at = i + 1
            while True:
                end = next_statement(text, at, hi)
                if end is None:
                    break
                yield at, end
                at = end


def mutants(source):
    with open(source.path) as f:
        text = f.read()
    lines = text.split("\n")
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line) + 1)
    for name, first, last in list(functions(lines)) + list(macros(lines)):
        if not source.all and not name.startswith("good"):
            continue
        lo, hi = offsets[first], offsets[last + 1] - 1
        yield from mutate_function(source, text, name, lo, hi)


def code_only(text, at):
    """Not in a comment."""
    line = text.rindex("\n", 0, at) + 1
    return "//" not in text[line:at] and \
        text.rfind("/*", 0, at) <= text.rfind("*/", 0, at) + 1


def mutate_function(source, text, name, lo, hi):
    spans = sorted(set(statements(text, lo, hi)))
    count = collections.Counter()
    words = ENTER + LEAVE + QUERY
    for m in re.finditer(r"\b(%s)\s*\(" % "|".join(words), text[lo:hi]):
        at, word = lo + m.start(), m.group(1)
        if not code_only(text, at):
            continue
        end = call_end(text, at)
        count[word] += 1
        label = "%s: %s: %s %d" % (os.path.relpath(source.path, ROOT), name,
                                   word, count[word])

        def make(op, new):
            return Mutant(source, "%s: %s" % (label, op), new)

        call = text[at:end]
        if word in QUERY:
            yield make("0", text[:at] + "0" + text[end:])
            yield make("1", text[:at] + "1" + text[end:])
            yield make("opposite", text[:at] + "!" + call + text[end:])
            continue
        yield make("removed", text[:at] + "(void)0" + text[end:])
        yield make("doubled", text[:at] + "(" + call + ", " + call + ")" +
                   text[end:])
        # The statement around the call, one that is nothing else.
        own = [s for s in spans if s[0] <= at < s[1] and
               text[s[0]:at].strip(" \t\n\\") == ""]
        if not own:
            continue
        s = own[-1]
        after = [x for x in spans if x[0] == s[1]]
        before = [x for x in spans if x[1] == s[0]]
        if after:
            x = after[0]
            yield make("moved down", text[:s[0]] + text[x[0]:x[1]] +
                       text[s[0]:s[1]] + text[x[1]:])
        if before:
            x = before[0]
            yield make("moved up", text[:x[0]] + text[s[0]:s[1]] +
                       text[x[0]:x[1]] + text[s[1]:])


def check(args, source, path):
    command = [args.ksimd, "check", "--all", "--format", "json", "--profile",
               source.profile] + source.extra + [path, "--", "-O2"] + \
        source.flags + ["-I" + os.path.dirname(source.path)]
    r = subprocess.run(command, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, text=True, cwd=CASES)
    if r.returncode not in (0, 1):
        return None
    found = collections.Counter()
    for line in r.stdout.splitlines():
        j = json.loads(line)
        if j["severity"] != "note" or j["id"] == "needs-region":
            found[j["id"], j.get("function", "")] += 1
    return found


def run(args, mutant, base, folder, number):
    path = os.path.join(folder, "%d.c" % number)
    with open(path, "w") as f:
        f.write(mutant.text)
    found = check(args, mutant.source, path)
    os.unlink(path)
    if found is None:
        return "broken"
    return "reported" if found - base else "alive"


def survivors():
    listed = {}
    with open(SURVIVORS) as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                name, reason = line.rstrip("\n").rsplit(" = ", 1)
                listed[name] = reason
    return listed


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("--ksimd", required=True, type=os.path.abspath)
    p.add_argument("--sample", type=int, default=1)
    p.add_argument("--verbose", action="store_true")
    args = p.parse_args()
    todo = []
    bases = {}
    for source in sources():
        mine = list(mutants(source))
        if not mine:
            continue
        todo += mine
    todo = todo[::args.sample]
    for m in todo:
        if m.source.path not in bases:
            bases[m.source.path] = check(args, m.source, m.source.path)
            if bases[m.source.path] is None:
                sys.exit("%s: cannot be checked" % m.source.path)
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(
            lambda x: run(args, x[1], bases[x[1].source.path], folder, x[0]),
            enumerate(todo)))
    listed = survivors()
    alive = [m.name for m, r in zip(todo, results) if r == "alive"]
    bad = 0
    for m, r in zip(todo, results):
        if args.verbose:
            print("%s: %s" % (r, m.name))
        if r == "alive" and m.name not in listed:
            print("survives: " + m.name)
            bad += 1
        elif r != "alive" and m.name in listed:
            print("listed, and %s: %s" % (r, m.name))
            bad += 1
    if args.sample == 1:
        for name in sorted(set(listed) - {m.name for m in todo}):
            print("listed, and no mutant: " + name)
            bad += 1
    reported = results.count("reported")
    equivalent = len([n for n in alive if n in listed])
    print("%d files, %d mutants: %d reported, %d break no rule, %d do not "
          "compile, %d missed; score %.1f %%" % (
              len({m.source.path for m in todo}), len(todo), reported,
              equivalent, results.count("broken"), len(alive) - equivalent,
              100.0 * reported / max(1, reported + len(alive) - equivalent)))
    sys.exit(1 if bad or not reported else 0)


main()
