# SPDX-License-Identifier: BSD-2-Clause
"""Compiles labelled cases (../../cases/README.md) through ksimd cc.

usage: run_cc.py KSIMD CLANG CASES [FILE BUILD]

Each C file with a row for clang is compiled with ksimd cc at each level, and
linked with -flto=thin.  What that says, and what "ksimd obj" says of the
object, must be what the rows promise:

- A refusal names functions, and each of them is at fault by a row: by its
  source, or by the object that the compiler alone makes of it.  SIMD that
  only the compiler brought outside of a region is no reason to refuse.
- Those functions are then left out, down to their declaration, and the rest
  is compiled again, until there is an object.  So each function at fault is
  named, or seen in an object, and each other one is seen in one.
- In that object, a row with an error is clean, or has the need that its source
  has; "needs" holds if the source needs a region, else the compiler made the
  need, and the row is clean now; other rows hold as they are.
- A function at fault by its source is named at each level.
- Advice is compared at the levels that the rows were made for.

Exit 1 on any difference, or if nothing was compared.  The last line is a
summary; with all cases, one line each is before it.
"""
import collections
import csv
import json
import os
import re
import sys
import tempfile

KSIMD, CLANG, CASES = sys.argv[1:4]
sys.path.insert(0, CASES)
import builds  # noqa: E402
import run_case  # noqa: E402

LEVELS = ["O0", "O1", "O2", "O3", "Os"]
# What the pass keeps the compiler from; of others the proof is refused.
CURED = {"simd-outside-region"}
MACRO = {"freebsd": "-D_KERNEL", "linux": "-D__KERNEL__"}
# What the pass makes of a function.  Its need is not the function's.
PART = re.compile(r"\.(region|inside)\b")
Case = collections.namedtuple("Case", "file build profile mate")


def severities():
    lines = run_case.run([KSIMD, "list-checks"]).stdout.splitlines()
    return {line.split()[0]: line.split()[1] for line in lines}


SEVERITY = severities()


def read_rows():
    with open("manifest.tsv", newline="") as f:
        return [r for r in csv.DictReader(f, delimiter="\t")
                if r["layer"] in ("obj", "src") and r["file"].endswith(".c")
                and r["compiler"] != "gcc" and r["expect"] != "unscored"]


def case_of(row):
    mate = (run_case.words_of(row["note"], "with") or [""])[0]
    return Case(row["file"], row["build"], row["profile"], mate)


def words(row):
    return row["expect"].split(",")


def faults_of(row):
    """What is wrong of it; "clean,ID" only allows an ID."""
    return set() if "clean" in words(row) else (
        set(words(row)) - {"needs"} - run_case.ADVICE)


def errors_of(row):
    """What a proof is refused for."""
    return {w for w in faults_of(row) if SEVERITY[w] == "error"}


class Labels:
    """What the rows say of the functions of one case."""

    def __init__(self, rows, case):
        mine = [r for r in rows if r["file"] == case.file]
        self.rows = [r for r in mine if r["layer"] == "obj" and
                     case_of(r) == case]
        self.source = {r["function"]: r for r in mine if r["layer"] == "src"}
        self.clean = {r["function"] for r in mine if r["expect"] == "clean"}
        self.by_source = {f for f, r in self.source.items()
                          if errors_of(r) - run_case.NO_CODE}
        # What is a warning here, clang itself may refuse.
        self.at_fault = {r["function"] for r in self.rows
                         if faults_of(r) - self.cured(r)}
        self.at_fault |= {f for f, r in self.source.items() if faults_of(r)}

    def cured(self, row):
        source = self.source.get(row["function"])
        return set() if source is None or faults_of(source) else CURED

    def needs(self, function):
        """By its source; without a row of that, in each build."""
        if function in self.source:
            return "needs" in words(self.source[function])
        return function not in self.clean

    def now(self, row):
        """What the row expects of a proven object."""
        want = [w for w in words(row) if w not in errors_of(row)]
        if "needs" in want and not self.needs(row["function"]):
            want.remove("needs")
        return ",".join(want) or "clean"


def note_at(row, level):
    """Strictness is about advice: at -O0 clang hides what was asked."""
    return row["note"] if level != "O0" else row["note"].replace("strict", "")


DEFINITION = r"^(%s)\([^{};]*\)\n(\{\n.*?^\}$)"


def without(text, functions):
    """The source with declarations for these functions; lines keep their
    numbers."""
    for name in functions:
        text, n = re.subn(DEFINITION % re.escape(name), lambda m: m[0][
            :m.start(2) - m.start()].rstrip() + ";\n" + "\n" * m[2].count(
                "\n"), text, flags=re.M | re.S)
        if n != 1:
            raise run_case.Failure("no definition of " + name)
    return text


def owners(text):
    """Which function a line is in."""
    found = {}
    for m in re.finditer(DEFINITION % r"\w+", text, re.M | re.S):
        first = text.count("\n", 0, m.start()) + 1
        for line in range(first, first + m[0].count("\n") + 1):
            found[line] = m[1]
    return found


def named(text, sources):
    """Functions that a refusal is about: those with errors, or if there are
    none, with a need that nothing declares."""
    errors, needs = set(), set()
    for line in text.splitlines():
        m = re.match(r"(\S+?):(\d+)(?::\d+)?: error: ", line)
        if m and m[1] in sources:
            errors.add(sources[m[1]].get(int(m[2]), line))
            continue
        m = re.match(r"ld\.lld: error: .*: in function ([\w.]+) ", line)
        if m:
            errors.add(run_case.base_name(m[1]))
        m = re.match(r"\S+:([\w.]+)\+0x[0-9a-f]+: (error|note): .*"
                     r"\[([a-z-]+)\]$", line)
        if m and m[2] == "error":
            errors.add(run_case.base_name(m[1]))
        elif m and m[3] == "needs-region":
            needs.add(run_case.base_name(m[1]))
    return errors or needs


class Refused(Exception):
    def __init__(self, functions, text):
        super().__init__(text)
        self.functions = functions


class Build:
    """One case at one level, in a folder of its own."""

    def __init__(self, case, level, lto, folder):
        self.case, self.level, self.lto = case, level, lto
        self.folder = folder
        self.contracts = ["cases.contract"]

    def path(self, name):
        return os.path.join(self.folder, name)

    def given(self):
        found = ["--profile", self.case.profile]
        for path in self.contracts:
            found += ["--contract", path]
        return found

    def cc(self, command, sources):
        r = run_case.run([KSIMD, "cc"] + self.given() + ["--"] + command)
        if r.returncode == 1:
            raise Refused(named(r.stderr, sources), r.stderr)
        if r.returncode != 0:
            raise run_case.Failure("exit %d: %s\n%s" % (
                r.returncode, " ".join(command), r.stderr))

    def command(self, name, build):
        return builds.command(
            CASES, CLANG, True, self.level, build, self.path(name),
            self.path(name + ".o")) + [MACRO[self.case.profile]]

    def compile(self, name, build, leave_out):
        with open(name) as f:
            text = without(f.read(), leave_out)
        with open(self.path(name), "w") as f:
            f.write(text)
        self.cc(self.command(name, build) + ["-flto=thin"] * self.lto,
                {self.path(name): owners(text)})
        return self.path(name + ".o")

    def facts(self, name, build):
        """What the source says, for proofs of more than it."""
        out = self.path(name + ".contract")
        flags = self.command(name, build)[1:]
        at = flags.index("-c")
        del flags[at:at + 4]  # the names of source and object
        r = run_case.run([KSIMD, "check", "--emit-contract=" + out] +
                         self.given() + [self.path(name), "--"] + flags)
        if r.returncode not in (0, 1):
            raise run_case.Failure("check: exit %d\n%s" % (
                r.returncode, r.stderr))
        self.contracts.append(out)

    def objects(self, leave_out):
        objects, case = [], self.case
        if case.mate:
            mate = case.mate.rsplit(":", 1)
            objects.append(self.compile(*mate, ()))
            self.facts(*mate)
        objects.append(self.compile(case.file, case.build, leave_out))
        if not self.lto:
            return objects
        linked = self.path("linked.o")
        self.cc([CLANG, "-" + self.level, "-flto=thin", "-fuse-ld=lld",
                 "-nostdlib", "-r"] + ["-m32"] * case.build.endswith("32") +
                objects + ["-o", linked], {})
        return [linked]


def findings_of(build, objects):
    """As run_case has them, without the needs and the advice of parts."""
    found, noted = run_case.findings_of(
        KSIMD, build.case.profile, build.contracts, objects, lambda f: f)
    folded = collections.defaultdict(set)
    for function, ids in found.items():
        folded[run_case.base_name(function)] |= (
            ids - run_case.ADVICE if PART.search(function) else ids)
    return folded, {run_case.base_name(f) for f in noted
                    if not PART.search(f)}


def check(labels, case, level, lto, count):
    """Yields what is wrong."""
    out = set()
    while True:
        with tempfile.TemporaryDirectory() as folder:
            build = Build(case, level, lto, folder)
            try:
                objects = build.objects(sorted(out))
                names = run_case.symbols_of(objects)
                found, noted = findings_of(build, objects)
                break
            except Refused as r:
                for f in sorted(r.functions - labels.at_fault | r.functions &
                                out):
                    yield "%s is refused" % f
                if not r.functions or not r.functions <= labels.at_fault - out:
                    yield str(r)
                    return
                out |= r.functions
            except run_case.Failure as failure:
                yield str(failure)
                return
    for f in sorted(labels.by_source - out):
        yield "%s is not refused" % f
    count["refused"] += len(out)
    for row in labels.rows:
        function, now = row["function"], labels.now(row)
        if function in out or not (function.startswith(".") or
                                   function in names):
            continue
        count[now if now == row["expect"] else "made " + now] += 1
        seen = run_case.difference(dict(
            row, expect=now, note=note_at(row, level)), found, noted)
        if seen is not None:
            yield "%s: want %s, got %s" % (function, now, seen)


def summary(count):
    return ", ".join("%d %s" % (count[k], k) for k in sorted(count))


def main():
    os.chdir(CASES)
    rows = read_rows()
    cases = sorted({case_of(r) for r in rows})
    if sys.argv[4:]:
        cases = [c for c in cases if [c.file, c.build] == sys.argv[4:]]
    total, wrong = collections.Counter(), 0
    for case in cases:
        labels, count = Labels(rows, case), collections.Counter()
        runs = [(level, False) for level in LEVELS] + [
            (level, True) for level in ("O0", "O2", "O3")]
        if case.build.startswith("flags-"):  # has a level of its own
            runs = [("", False), ("O2", True)]
        for level, lto in runs:
            for what in check(labels, case, level, lto, count):
                wrong += 1
                print("WRONG %s %s %s -%s%s: %s" % (
                    *case[:3], level, " -flto=thin" * lto, what))
        print("%s %s %s: %s" % (*case[:3], summary(count)))
        total += count
    print("all: %s, %d wrong" % (summary(total), wrong))
    return 1 if wrong or not sum(total.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
