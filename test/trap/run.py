#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""trap-test: the verdicts of ksimd obj against real traps.

Generated programs (gen.c) and the labelled cases of test/cases are compiled
by gcc and clang at several levels, judged by ksimd obj, linked into the
harness of examples/aesni/boot, and run in QEMU with CR0.TS set outside
regions.  What traps must have been reported.

1. Each object is judged before anything else; then its symbols get a prefix
   of their own, so that all objects fit into one kernel.
2. An address that trapped is found in the kernel's symbol table: an object,
   a function, an offset.  The return addresses on the stack at that moment
   are found the same way.
3. A trap in function F is accounted for if
     exact     the error simd-outside-region is at this very instruction;
     stretch   one is at an instruction before it in the same basic block,
               with no call between: one is reported for both;
     caller    F has the note needs-region, and a caller on the stack has an
               error about regions;
     root      F has that note, and so has what the harness called: it was
               called outside;
     tail      F has that note, and a function of the same program has such
               an error: its frame is gone after a tail call;
     after     F has an error of another kind about regions (one held on some
               paths only, one left twice), after which anything may follow.
   If none holds, the verdict was unsound, and the run fails.
4. A program that left the registers changed without a trap, left a region
   open, left one that was not entered or nested wrongly must have errors that
   say so.
5. Programs without any event must give the same result whatever compiled
   them.
6. With --confined, as many programs without a fault are compiled by ksimd cc
   with clang: it must give the object, and nothing may happen in it.
7. Errors about SIMD in functions where nothing trapped are counted.

Limits: arguments drive one path each; a fault on a path that no run takes is
not seen.  QEMU lets emms pass with CR0.TS set; the canary sees it.
"""
import argparse
import bisect
import collections
import concurrent.futures
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
BOOT = os.path.join(TOP, "examples", "aesni", "boot")
CASES = os.path.join(TOP, "test", "cases")
sys.path.insert(0, CASES)
import builds                                           # noqa: E402
import run_case                                         # noqa: E402

KERNEL = ("-std=gnu11 -ffreestanding -fno-pic -mcmodel=kernel -mno-red-zone "
          "-fwrapv -fno-strict-aliasing -fno-common -fno-omit-frame-pointer "
          "-fno-asynchronous-unwind-tables -fno-stack-protector").split()
NOSIMD = ["-mno-mmx", "-mno-sse", "-msoft-float"]
# A generated unit is a SIMD file with brackets in it: the worst of both.
SIMD = [["-msse2"], ["-msse2"], ["-mavx2"]]
LEVELS = {"gcc": ["-O2", "-O3", "-O1", "-Os"],
          "clang": ["-O3", "-O1", "-Os", "-O2"]}
UNIT = 25                       # programs in one object
RIGHT = 1 << 31                 # seeds of programs without a fault, from here
RUNS = ["ab00cd", "ab35cd", "ab9:cd", "ab7?cd", "kab5>cd"]

REGION_IDS = {"simd-outside-region", "simd-compiler-made", "region-not-left",
              "leave-outside-region", "region-nested", "region-sleeps",
              "region-differs-on-join", "contract-violated"}
# What must have been reported for an event that is no trap.
EVENT_IDS = {
    "leave": {"leave-outside-region", "region-differs-on-join",
              "region-nested"},
    "nest": {"region-nested", "region-not-left", "region-differs-on-join"},
    "open": {"region-not-left", "region-differs-on-join", "region-nested"},
    "sleep": {"region-sleeps"},
    "canary": REGION_IDS,
}


class Failure(Exception):
    pass


def call(command, timeout=300, **more):
    result = subprocess.run(command, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True,
                            timeout=timeout, **more)
    if result.returncode != 0:
        raise Failure("%s\n%s%s" % (" ".join(command), result.stdout,
                                    result.stderr))
    return result.stdout


class Object:
    """One judged object and what the harness calls in it."""

    def __init__(self, path, what, entries):
        self.path, self.what, self.entries = path, what, entries
        self.errors = {}        # function -> {(id, offset)}
        self.needs = set()      # functions with the note
        self.prefix = ""
        self.callee = None

    def judge(self, ksimd, profile, contracts, inputs):
        command = [ksimd, "obj", "--all", "--profile", profile,
                   "--format", "json"]
        for path in contracts:
            command += ["--contract", path]
        result = subprocess.run(command + inputs, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True,
                                timeout=300)
        if result.returncode not in (0, 1):
            raise Failure("%s: status %d\n%s" % (
                self.what, result.returncode, result.stderr))
        for text in result.stdout.splitlines():
            one = json.loads(text)
            function = one.get("function")
            if function is None:
                continue
            if one["severity"] == "error":
                self.errors.setdefault(function, set()).add(
                    (one["id"], one.get("offset")))
            elif one["id"] == "needs-region":
                self.needs.add(function)

    def rename(self, number):
        """Prefix all that is defined here."""
        self.prefix = "k%d_" % number
        names = set()
        for text in call(["nm", "--defined-only", self.path]).splitlines():
            names.add(text.split()[-1])
        table = self.path + ".names"
        with open(table, "w") as out:
            for name in sorted(names):
                out.write("%s %s%s\n" % (name, self.prefix, name))
        call(["objcopy", "--redefine-syms=" + table, self.path])
        os.remove(table)
        self.entries = [e for e in self.entries if e[0] in names]
        for name in ("dml_calc",):
            if name in names:
                self.callee = self.prefix + name

    def ids(self, functions):
        return {one for f in functions for one, _ in
                self.errors.get(f, ())}


def program_of(function):
    """Generated: the number of its program; cases: nothing."""
    match = re.match(r"(?:trap_|p)(\d+)(?:_|\.|$)", function)
    return match.group(1) if match else None


def build_unit(args, compiler, index, first, count):
    """One object of generated programs."""
    confined = compiler == "confined"
    level = LEVELS["clang" if confined else compiler][
        (index + args.rotate) % 4]
    flags = KERNEL + SIMD[index % 3] + [level, "-w", "-I", HERE]
    stem = os.path.join(args.work, "%s-%d" % (compiler, first))
    source = os.path.join(args.work, "u%d.c" % first)
    prefix = [args.ksimd, "cc", "--profile", "freebsd", "--",
              args.compilers["clang"], "-D_KERNEL"] if confined else [
                  args.compilers[compiler]]
    call(prefix + flags + ["-c", source, "-o", stem + ".o"])
    names = ["trap_%d" % i for i in range(first, first + count)]
    one = Object(stem + ".o", "%s %s %s seeds %d to %d" % (
        compiler, level, flags[len(KERNEL)], first, first + count - 1),
        [(name, runs) for name in names for runs in RUNS])
    one.judge(args.ksimd, "freebsd", [], [one.path])
    return one


def build_case(args, index, source, build, key, calls):
    """One labelled case as one compiler makes it; None if it has no calls."""
    compiler, level, profile, mate = key
    is_clang = compiler == "clang-19"
    inputs = [(source, build)]
    if mate:
        inputs.append(tuple(mate.rsplit(":", 1)))
    folder = os.path.join(args.work, "case%d" % index)
    os.makedirs(folder, exist_ok=True)
    binary = args.compilers["clang" if is_clang else "gcc"]
    paths = []
    for n, (name, words) in enumerate(inputs):
        output = os.path.join(folder, "%d.o" % n)
        call(builds.command(CASES, binary, is_clang, level, words, name,
                            output), cwd=CASES)
        paths.append(output)
    one = Object(os.path.join(args.work, "case%d.o" % index),
                 "%s %s %s -%s %s" % (source, build, compiler, level,
                                      profile), calls)
    stem = os.path.splitext(source)[0]
    contracts = [os.path.join(CASES, name)
                 for name in ("cases.contract", stem + ".contract")
                 if os.path.exists(os.path.join(CASES, name))]
    one.judge(args.ksimd, profile, contracts, paths)
    call(["ld.bfd", "-r", "-o", one.path] + paths)
    shutil.rmtree(folder)
    return one


def case_jobs(args):
    """(source, build, key, calls) of all cases that can be called."""
    calls, skipped = collections.defaultdict(list), {}
    with open(os.path.join(HERE, "cases.tsv"), newline="") as f:
        rows = csv.DictReader((t for t in f if not t.startswith("#")),
                              delimiter="\t")
        for row in rows:
            how = row["arguments"]
            if how.startswith("-"):
                skipped[row["file"], row["function"]] = how[2:]
            else:
                calls[row["file"]].append((row["function"], how))
    known = set(skipped) | {(f, c[0]) for f in calls for c in calls[f]}
    jobs, seen, unknown = [], set(), set()
    with open(os.path.join(CASES, "manifest.tsv"), newline="") as f:
        for row in csv.DictReader(f, delimiter="\t"):
            if row["layer"] != "obj":
                continue
            if (row["file"], row["function"]) not in known:
                unknown.add("%s %s" % (row["file"], row["function"]))
            at = row["file"], row["build"]
            if at in seen or row["file"] not in calls:
                continue
            seen.add(at)
            groups = list(run_case.groups_of(*at))
            if not args.all_levels:
                kept, have = [], collections.Counter()
                for key in groups:
                    have[key[0], key[2]] += 1
                for n, key in enumerate(groups):
                    if (n + len(jobs)) % have[key[0], key[2]] == 0:
                        kept.append(key)
                groups = kept
            jobs += [at + (key, calls[row["file"]]) for key in groups]
    if unknown:
        raise Failure("not in cases.tsv: " + ", ".join(sorted(unknown)))
    return jobs, len(skipped)


def link(args, objects, number):
    """The kernel of these objects; returns its path and what runs in it."""
    table = os.path.join(args.work, "table.S")
    runs = []
    with open(table, "w") as out:
        out.write("\t.section .rodata\n\t.globl trap_runs\ntrap_runs:\n")
        for one in objects:
            for name, how in one.entries:
                runs.append((one, name, how))
                out.write("\t.quad %s%s, 9f, %s\n"
                          "\t.pushsection .rodata.str\n9:\t.asciz \"%s\"\n"
                          "\t.popsection\n" % (one.prefix, name,
                                               one.callee or "0", how))
        out.write("\t.quad 0, 0, 0\n")
    call([args.compilers["gcc"], "-c", table, "-o", table + ".o"])
    kernel = os.path.join(args.work, "kernel%d" % number)
    call(["ld.bfd", "-static", "-z", "noexecstack", "-z",
          "max-page-size=4096", "--no-warn-rwx-segments", "-T",
          os.path.join(BOOT, "boot.ld"), "-o", kernel] + args.harness +
         [table + ".o"] + [one.path for one in objects])
    return kernel, runs


def boot(args, kernel):
    """The harness's lines."""
    command = [args.qemu, "-accel", "tcg", "-cpu", "max", "-m", "512",
               "-machine", "pc", "-nodefaults", "-no-reboot", "-display",
               "none", "-device", "isa-debug-exit,iobase=0xf4,iosize=1",
               "-serial", "stdio", "-monitor", "none", "-kernel", kernel]
    result = subprocess.run(command, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, timeout=args.timeout)
    if result.returncode != 1:              # exit 0 is (0 << 1) | 1
        raise Failure("%s: QEMU's status %d\n%s\n%s" % (
            kernel, result.returncode, result.stdout[-2000:], result.stderr))
    return result.stdout.replace("\r", "").splitlines()


class Symbols:
    def __init__(self, kernel, objects):
        self.by_prefix = {one.prefix: one for one in objects}
        self.names = []
        for text in call(["nm", "-n", kernel]).splitlines():
            words = text.split()
            if len(words) == 3 and words[1] in "tTwW":
                self.names.append((int(words[0], 16), words[2]))
        self.starts = [a for a, _ in self.names]
        self.reported = set()           # addresses of simd-outside-region
        for start, name in self.names:
            match = re.match(r"k\d+_", name)
            one = self.by_prefix.get(match.group(0)) if match else None
            if one:
                for i, offset in one.errors.get(name[match.end():], ()):
                    if i == "simd-outside-region" and offset is not None:
                        self.reported.add(start + offset)
        self.disassemble(kernel)

    def disassemble(self, kernel):
        """Where instructions are, and where basic blocks begin and end."""
        self.code, self.leaders, self.ends = [], set(), set()
        for text in call(["objdump", "-d", "--no-show-raw-insn",
                          kernel]).splitlines():
            match = re.match(r"([0-9a-f]{16}):\t(\S+)\s*(\S*)",
                             text.strip())
            if not match:
                continue
            address = int(match.group(1), 16)
            self.code.append(address)
            name = match.group(2)
            if name[0] == "j" or name in ("call", "ret", "ud2", "hlt"):
                self.ends.add(address)
                if name[0] == "j" and match.group(3)[:1] != "*":
                    self.leaders.add(int(match.group(3), 16))

    def stretch(self, address):
        """Whether an instruction before it in its block is reported."""
        n = bisect.bisect_left(self.code, address)
        if n == len(self.code) or self.code[n] != address:
            return False
        while n > 0 and self.code[n] not in self.leaders and \
                self.code[n - 1] not in self.ends:
            n -= 1
            if self.code[n] in self.reported:
                return True
        return False

    def find(self, address):
        """(object or None, function, offset)"""
        n = bisect.bisect_right(self.starts, address) - 1
        if n < 0:
            return None, "?", 0
        start, name = self.names[n]
        match = re.match(r"k\d+_", name)
        one = self.by_prefix.get(match.group(0)) if match else None
        return one, name[len(one.prefix):] if one else name, address - start


class Totals:
    def __init__(self):
        self.how = collections.Counter()        # traps, by account
        self.events = collections.Counter()
        self.unsound = []
        self.failed = []
        self.proven = self.objects = self.runs = self.programs = 0
        self.reported = self.trapped = 0        # functions with SIMD errors
        self.regions = self.preempted = self.single = 0


def account(one, root, trap, symbols):
    """How a trap is accounted for, the function, and the functions on the
    stack; None for how if it is not."""
    def ours(other):
        return other is not None and other.prefix == one.prefix

    where, function, offset = symbols.find(trap[0])
    stack = [function] if ours(where) else []
    for address in trap[1]:
        there, name, _ = symbols.find(address - 1)
        if ours(there):
            stack.append(name)
    if where is None:
        # A stub of simd_work(): a contract says what it needs.
        noted = function in ("simd_work", "aes16", "blocks_simd")
    elif not ours(where):
        return None, function, stack
    else:
        mine = one.errors.get(function, set())
        if ("simd-outside-region", offset) in mine:
            return "exact", function, stack
        if one.errors and symbols.stretch(trap[0]):
            return "stretch", function, stack
        noted = function in one.needs
    if noted:
        if one.ids(stack) & REGION_IDS:
            return "caller", function, stack
        if root in one.needs:
            return "root", function, stack
        mates = [f for f in one.errors if program_of(f) == program_of(root)]
        if one.ids(mates) & REGION_IDS:
            return "tail", function, stack
    if ours(where) and one.ids([function]) & (
            REGION_IDS - {"simd-outside-region", "simd-compiler-made"}):
        return "after", function, stack
    return None, function, stack


def parse(lines):
    """Events by run: {run: [(event, rip, chain)]}, results, last line."""
    events, results, last = collections.defaultdict(list), {}, None
    for text in lines:
        words = text.split()
        if not words:
            continue
        if words[0] == "!":
            events[int(words[1])].append(
                (words[2], int(words[3], 16),
                 [int(w, 16) for w in words[4:]]))
        elif words[0] == "=":
            results[int(words[1])] = words[2]
        elif words[0] == "-":
            results[int(words[1])] = None
        elif words[0] == "runs":
            last = dict(zip(words[::2], words[1::2]))
    if last is None or int(last["runs"]) != len(results):
        raise Failure("the harness did not run everything:\n" +
                      "\n".join(lines[-5:]))
    return events, results, last


def compare(kernel, objects, runs, lines, total):
    symbols = Symbols(kernel, objects)
    events, results, last = parse(lines)
    total.runs += len(runs)
    total.regions += int(last["regions"], 16)
    total.preempted += int(last["preempted"], 16)
    total.single += int(last["traps"], 16)
    if int(last["misaligned"], 16):
        total.failed.append("traps on a misaligned stack")
    hot = collections.defaultdict(set)      # object -> functions in a trap
    bad = collections.defaultdict(set)      # object -> roots with an event
    # Self-test: with no findings at all, each trap must be unaccounted for.
    blind = {one: Object(one.path, one.what, one.entries) for one in objects}
    for one in objects:
        blind[one].prefix = one.prefix
    seen, clean = set(), collections.defaultdict(dict)
    for number, (one, root, how) in enumerate(runs):
        generated = program_of(root) is not None
        family_ids = one.ids(
            [f for f in one.errors if not generated or
             program_of(f) == program_of(root)])
        what = "%s: %s(%s)" % (one.what, root, how)
        kinds = {event for event, _, _ in events[number]}
        for event, rip, chain in events[number]:
            if event == "simd":
                by, function, stack = account(one, root, (rip, chain),
                                              symbols)
                hot[one].update(stack)
                if (one, rip) not in seen:
                    seen.add((one, rip))
                    total.how[by] += by is not None
                    if account(blind[one], root, (rip, chain),
                               symbols)[0] is not None:
                        total.failed.append(what + ": a trap in an object "
                                            "without findings passes")
                if by is None:
                    total.unsound.append(
                        "%s: trap at %s+0x%x, no finding" % (
                            what, function, symbols.find(rip)[2]))
                continue
            total.events[event] += 1
            if event == "canary" and "simd" in kinds:
                continue
            if event in EVENT_IDS and not EVENT_IDS[event] & family_ids and \
                    not (event == "canary" and root in one.needs):
                total.unsound.append("%s: %s, no finding" % (what, event))
            if event in ("align", "fault") and generated:
                total.failed.append("%s: %s at %x in %s" % (
                    what, event, rip, symbols.find(rip)[1]))
        if kinds:
            bad[one].add(root)
        elif generated:
            clean[root, how][one.what] = results[number]
    for (root, how), got in clean.items():
        if len(set(got.values())) > 1:
            total.failed.append("%s(%s): results differ: %s" % (
                root, how, got))
    for one in objects:
        total.objects += 1
        roots = {name for name, _ in one.entries}
        total.programs += len(roots)
        for root in roots:
            mine = [f for f in one.errors if program_of(root) is None and
                    f == root or program_of(root) is not None and
                    program_of(f) == program_of(root)]
            if not one.ids(mine) & REGION_IDS and root not in one.needs:
                total.proven += 1
        for f, found in one.errors.items():
            if any(i == "simd-outside-region" for i, _ in found):
                total.reported += 1
                total.trapped += f in hot[one]


def report(total, args, seconds):
    traps = sum(total.how.values())
    silent = total.reported - total.trapped
    print("%d programs in %d objects (gcc and clang%s, %s), %d runs, "
          "%.0f seconds" % (total.programs, total.objects,
                            ", confined" if args.confined else "",
                            "-O1 -O2 -O3 -Os", total.runs, seconds))
    print("%d regions entered, %d preempted" % (total.regions,
                                               total.preempted))
    print("%d addresses trapped, %d times in all; accounted for: %s" % (
        traps, total.single, ", ".join("%s %d" % (k, total.how[k]) for k in (
            "exact", "stretch", "caller", "root", "tail", "after"))))
    print("other events: " + (", ".join("%s %d" % p for p in sorted(
        total.events.items())) or "none"))
    print("proven programs: %d of %d" % (total.proven, total.programs))
    print("functions with simd-outside-region: %d; never trapped in these "
          "runs: %d (%.1f %%)" % (total.reported, silent, 100.0 * silent /
                                  max(1, total.reported)))
    for text in (total.unsound + total.failed)[:40]:
        print("FAILED " + text)
    print("unsound verdicts: %d; other failures: %d" % (
        len(total.unsound), len(total.failed)))
    if args.json:
        with open(args.json, "w") as out:
            json.dump({"programs": total.programs, "objects": total.objects,
                       "runs": total.runs, "seed": args.seed,
                       "traps": dict(total.how),
                       "events": dict(total.events),
                       "proven": total.proven, "reported": total.reported,
                       "never_trapped": silent,
                       "unsound": len(total.unsound),
                       "failed": len(total.failed)}, out, indent=1)
            out.write("\n")


def batch(args, pool, number, first, count, with_cases, total):
    """Build, judge, link, boot and compare."""
    jobs = []
    for start in range(first, first + count, UNIT):
        size = min(UNIT, first + count - start)
        with open(os.path.join(args.work, "u%d.c" % start), "w") as out:
            out.write(call([args.gen, str(start), str(size)]))
        for compiler in ("gcc", "clang"):
            jobs.append(pool.submit(build_unit, args, compiler,
                                    start // UNIT, start, size))
        if args.confined:
            right = start + RIGHT
            with open(os.path.join(args.work, "u%d.c" % right), "w") as out:
                out.write(call([args.gen, "-b", "0", str(right), str(size)]))
            jobs.append(pool.submit(build_unit, args, "confined",
                                    start // UNIT, right, size))
    if with_cases:
        cases, skipped = case_jobs(args)
        print("%d objects of labelled cases; %d functions are not called "
              "(cases.tsv says why)" % (len(cases), skipped))
        for index, case in enumerate(cases):
            jobs.append(pool.submit(build_case, args, index, *case))
    objects = [job.result() for job in jobs]
    for index, one in enumerate(objects):
        one.rename(index)
    objects = [one for one in objects if one.entries]
    kernel, runs = link(args, objects, number)
    lines = boot(args, kernel)
    compare(kernel, objects, runs, lines, total)
    if not total.unsound and not total.failed and not args.keep:
        for name in os.listdir(args.work):
            if name.startswith(("u", "gcc-", "clang-", "confined-", "case",
                                "kernel")):
                os.remove(os.path.join(args.work, name))


def harness(args):
    flags = KERNEL + NOSIMD + ["-O2", "-D_KERNEL", "-Wall", "-Wextra", "-I",
                               BOOT, "-I", os.path.join(BOOT, "..", "kern")]
    args.harness = []
    for path in (os.path.join(BOOT, "boot.S"), os.path.join(BOOT, "boot.c"),
                 os.path.join(BOOT, "fpu.c"),
                 os.path.join(HERE, "harness.c")):
        output = os.path.join(args.work, "h%d.o" % len(args.harness))
        call([args.compilers["gcc"]] + flags + ["-c", path, "-o", output])
        args.harness.append(output)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ksimd", required=True)
    parser.add_argument("--gen", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--gcc", default="gcc")
    parser.add_argument("--clang", default="clang-19")
    parser.add_argument("--qemu", default="qemu-system-x86_64")
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--batch", type=int, default=500)
    parser.add_argument("--all-levels", action="store_true",
                        help="cases at every level, not at one in turn")
    parser.add_argument("--confined", action="store_true",
                        help="programs without a fault through ksimd cc, too")
    parser.add_argument("--rotate", type=int, default=0,
                        help="start at another level")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=int, default=900)
    parser.add_argument("--json")
    parser.add_argument("--keep", action="store_true")
    args = parser.parse_args()
    args.compilers = {"gcc": args.gcc, "clang": args.clang}
    if shutil.which(args.qemu) is None:
        print("UNAVAILABLE: %s is missing (./dev deps)" % args.qemu)
        return 77
    soak = int(os.environ.get("KSIMD_SOAK", "0"))
    if soak:
        args.programs *= 10 * soak
        args.seed = int(time.time()) % 40000 * 100000     # fits 32 bits
        args.all_levels = True
        print("seeds from %d" % args.seed)
    args.work, args.gen, args.ksimd = (
        os.path.abspath(p) for p in (args.work, args.gen, args.ksimd))
    if args.json:
        args.json = os.path.abspath(args.json)
    os.makedirs(args.work, exist_ok=True)
    os.chdir(CASES)
    total, began = Totals(), time.time()
    try:
        harness(args)
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            for number, first in enumerate(range(
                    args.seed, args.seed + args.programs, args.batch)):
                batch(args, pool, number, first,
                      min(args.batch, args.seed + args.programs - first),
                      number == 0, total)
    except Failure as failure:
        print("FAILED %s" % failure)
        return 1
    report(total, args, time.time() - began)
    return 1 if total.unsound or total.failed or not total.how else 0


if __name__ == "__main__":
    sys.exit(main())
