# SPDX-License-Identifier: BSD-2-Clause
"""Builds bench/lists, runs it, and prints tables.

usage: lists.py [-q]      (in the top folder; bench/lists.sh does that)

Rounds are interleaved: each measures every contender once, in one process, so
that a slow moment hits all.  Ratios are taken within a round.  Times are CPU
time of one thread; those of the jobs are wall clock, and mean little on a busy
machine.  What the CPU or the system lacks is UNAVAILABLE.
"""
import os
import re
import statistics
import sys

sys.path.insert(0, os.path.join("bench", "report"))
import measure  # noqa: E402
from measure import AES, call, compile_one, spread, student, summary  # noqa

OUT = os.path.join("build", "bench", "lists")
HERE = os.path.join("bench", "lists")
LACKS = "this CPU has no AES-NI, or the system no XSAVE"
SIZES = [64 << n for n in range(11)]
# Name, XCR0 bits, variant that works (its number in enum aesni_variant).
STATES = [("x87+SSE, 8 blocks", 0x3, 1), ("AVX, 8 blocks", 0x7, 1),
          ("AVX-512, 8 blocks", 0xe7, 1), ("AVX, VAES-256", 0x7, 2),
          ("AVX-512, VAES-512", 0xe7, 3)]
# A line of cost.def: which rows give its cycles, and its KiB.
COSTS = {"SSE": ("x87+SSE, 8 blocks", "x87+SSE, 8 blocks"),
         "AVX": ("AVX, 8 blocks", "AVX, VAES-256"),
         "AVX-512": ("AVX-512, 8 blocks", "AVX-512, VAES-512")}
CONTENDERS = ["software", "old", "new", "VAES-256", "VAES-512"]
THEN = {"software": 59.61, "old": 97.29, "new": 221.26}
RATIOS = [("old", "software", 1.63), ("new", "old", 2.27),
          ("new", "software", 3.71), ("VAES-256", "new", None),
          ("VAES-512", "new", None)]


def rows(*command):
    """The lines of numbers that a run printed; None for what is lacking."""
    return [[None if w == "-" else float(w) for w in line.split()]
            for line in call(*command).splitlines()]


def lacking(row):
    return row == [None]


def build():
    """The program, with the two files of part 2 by compiler and level."""
    os.makedirs(OUT, exist_ok=True)
    objects = [compile_one("clang-19", os.path.join(AES, name),
                           os.path.join(OUT, name[:-2] + ".o"))
               for name in measure.EXAMPLE]
    objects += [compile_one("clang-19", os.path.join(HERE, name),
                            os.path.join(OUT, name[:-2] + ".o"), "-pthread")
                for name in ("lists.c", "brackets.c")]
    sizes = {}
    for compiler in ("gcc", "clang-19"):
        for level in ("O2", "O3"):
            tag = "%s_%s" % (compiler.split("-")[0], level)
            for name, source in (
                    ("wrap2", os.path.join(AES, "aesni_wrap2.c")),
                    ("rolled", os.path.join(HERE, "rolled.c"))):
                output = os.path.join(OUT, "%s_%s.o" % (name, tag))
                compile_one(
                    compiler, source, output, "-" + level, "-msse2", "-maes",
                    "-Daesni_xts_encrypt=wrap2_" + tag,
                    "-Daesni_xts_decrypt=decrypt_" + tag,
                    "-Daesni_xts_setkey=setkey_" + tag,
                    "-Drolled_xts_encrypt=rolled_" + tag)
                objects.append(output)
                m = re.search(r" ([0-9a-f]+) T %s_%s$" % (name, tag),
                              call("nm", "-S", output), re.M)
                sizes[name, tag] = int(m.group(1), 16)
    program = os.path.join(OUT, "lists")
    call("clang-19", "-pthread", "-o", program, *objects)
    return program, sizes


def column(name, values, then):
    print("%-18s %10s %8s %10s" % (
        name, *(("UNAVAILABLE", "") if values is None else
                ("%.2f" % statistics.median(values),
                 "%.2f" % spread(values))),
        "" if then is None else "%.2f" % then))


def device(program, rounds, result):
    print("\nDevice of 64 MiB in memory, 4 KiB sectors, AES-128-XTS, MB/s of "
          "CPU time,\n%d rounds; beside the commit of 2012/13" % rounds)
    table = [rows(program, "device")[0] for _ in range(rounds)]
    if lacking(table[0]):
        print("UNAVAILABLE: " + LACKS)
        return
    by = {name: None if values[0] is None else list(values)
          for name, values in zip(CONTENDERS, zip(*table))}
    print("%-18s %10s %8s %10s" % ("", "today", "+/-", "then"))
    for name in CONTENDERS:
        column(name, by[name], THEN.get(name))
    out = result["device"] = {"MB/s": {}, "ratio": {}, "then": THEN}
    for name in CONTENDERS:
        out["MB/s"][name] = by[name] and summary(by[name])
    for a, b, then in RATIOS:
        ratio = by[a] and by[b] and [x / y for x, y in zip(by[a], by[b])]
        column("%s / %s" % (a, b), ratio, then)
        out["ratio"]["%s/%s" % (a, b)] = {
            "today": ratio and summary(ratio), "then": then}


def jobs(program, rounds, result):
    print("\nJobs, wall clock, %d rounds, %d processors here; beside the mail "
          "of 2020\n(8 jobs, 10 cores): 530 and 2825 MiB/s, ratio 5.3" % (
              rounds, os.cpu_count()))
    result["jobs"] = []
    print("%4s %10s %10s %10s %8s %6s %9s" % (
        "jobs", "software", "new", "VAES-512", "new/soft", "+/-", "VAES/soft"))
    for n in range(1, 9):
        table = [rows(program, "jobs", str(n))[0] for _ in range(rounds)]
        if lacking(table[0]):
            print("UNAVAILABLE: " + LACKS)
            return
        soft, new, wide = zip(*table)
        ratio = [b / a for a, b in zip(soft, new)]
        best = None if wide[0] is None else [
            b / a for a, b in zip(soft, wide)]
        result["jobs"].append({
            "jobs": n, "software MB/s": summary(soft),
            "new MB/s": summary(new),
            "VAES-512 MB/s": best and summary(wide),
            "new/software": summary(ratio),
            "VAES-512/software": best and summary(best)})
        print("%4d %10.1f %10.1f %10s %8.1f %6.1f %9s" % (
            n, statistics.median(soft), statistics.median(new),
            "UNAVAIL." if best is None else "%.1f" % statistics.median(wide),
            statistics.median(ratio), spread(ratio),
            "" if best is None else "%.1f" % statistics.median(best)))


def levels(program, rounds, sizes, result):
    print("\n-O2 and -O3, MB/s of CPU time, mean and standard deviation of %d "
          "runs;\nthe thread of 2012: 1751.56 +/- 3.56 and 2240.32 +/- 5.70, "
          "+27.9 %% at 95 %%" % rounds)
    table = rows(program, "levels", str(rounds))
    if lacking(table[0]):
        print("UNAVAILABLE: " + LACKS)
        return
    speeds = list(zip(*table))
    result["levels"] = {}
    keys = [(name, compiler) for name in ("wrap2", "rolled")
            for compiler in ("gcc", "clang")]
    for i, (name, compiler) in enumerate(keys):
        a, b = speeds[2 * i], speeds[2 * i + 1]
        gain, half = student(a, b)
        differs = abs(gain) > half
        size = [sizes[name, "%s_%s" % (compiler, o)] for o in ("O2", "O3")]
        result["levels"]["%s, %s" % (name, compiler)] = {
            "O2": summary(a), "O3": summary(b), "gain %": gain,
            "half interval %": half, "differs at 95 %": differs,
            "bytes of code": size}
        print("%-6s %-5s %8.1f +/- %-6.1f %8.1f +/- %-6.1f %+6.1f %% +/- "
              "%.1f %%%s, %d and %d bytes"
              % (name, compiler, statistics.mean(a), statistics.stdev(a),
                 statistics.mean(b), statistics.stdev(b), gain, half,
                 "" if differs else ", no difference", *size))
    print("wrap2 is aesni_wrap2.c: its eight blocks and all rounds are spelt "
          "out, and -O3\nfinds no loop to unroll in what counts.  rolled is the "
          "same written as loops over\narrays (bench/lists/rolled.c): where "
          "the level decides who unrolls them, it\ndecides the speed.")


def crossing(extra):
    """The first size from which on the extra time stays under 5 %."""
    small = [s for s in SIZES if all(extra[t] < 5 for t in SIZES if t >= s)]
    return small[0] if small else None


def region_row(program, mask, variant, rounds):
    """Medians by size of the extra time in % and in cycles; an empty one."""
    extra, cost = {s: [] for s in SIZES}, {s: [] for s in SIZES}
    empty_ns, empty_cycles, speed = [], [], []
    for _ in range(rounds):
        for size in SIZES:
            got = rows(program, "region", hex(mask), str(size),
                       str(variant))[0]
            if lacking(got):
                return None
            whole, each, ns, cycles, rate = got
            extra[size].append(100 * (each - whole) / whole)
            cost[size].append((each - whole) / ((1 << 20) // size - 1) * rate)
            empty_ns.append(ns)
            empty_cycles.append(cycles)
            if size == SIZES[-1]:
                speed.append((1 << 20) / (whole * rate))
    median = {s: statistics.median(extra[s]) for s in SIZES}
    return {"empty ns": summary(empty_ns), "empty cycles": summary(
                empty_cycles),
            "extra %": {s: summary(extra[s]) for s in SIZES},
            "cycles": {s: summary(cost[s]) for s in SIZES[:-3]},
            "bytes per cycle": summary(speed),
            "bytes under 5 %": crossing(median)}


def regions(program, rounds, result):
    print("\nA region for each unit against one around all of 1 MiB (%d "
          "rounds): what an\nempty region takes, what one takes around 4 KiB "
          "of work, and the extra time in %%\nby the bytes of a unit.  The "
          "mail of 2018: 24 %% with AVX2, 121 %% with AVX-512" % rounds)
    result["regions"] = {}
    print("%-18s %6s %6s %5s" % ("state, work", "empty", "4K", "") +
          "".join("%5s" % (("%d" % s) if s < 1024 else "%dK" % (s // 1024))
                  for s in SIZES) + "  under 5 %")
    for name, mask, variant in STATES:
        row = region_row(program, mask, variant, rounds)
        result["regions"][name] = row
        if row is None:
            print("%-18s UNAVAILABLE on this CPU or system" % name)
            continue
        print("%-18s %6.0f %6.0f  cyc." % (
            name, row["empty cycles"]["median"],
            row["cycles"][4096]["median"]) +
              "".join("%5.0f" % row["extra %"][s]["median"] for s in SIZES) +
              ("  %d KiB" % (row["bytes under 5 %"] // 1024)
               if row["bytes under 5 %"] else "  never"))


def compare_costs(result):
    """What region-in-loop says, beside what was measured."""
    with open(os.path.join("tool", "include", "ks", "cost.def")) as f:
        found = re.findall(r'^KS_REGION_COST\("(.*)", (\d+), (\d+)\)$',
                           f.read(), re.M)
    print("\nThe check region-in-loop says (tool/include/ks/cost.def), and "
          "what is measured here:")
    result["costs"] = {}
    for state, cycles, kib in found:
        a, b = (result["regions"].get(n) for n in COSTS[state])
        if a is None or b is None:
            print("%-8s %s cycles, %s KiB; here UNAVAILABLE" % (
                state, cycles, kib))
            continue
        here = a["empty cycles"]["median"]
        under = b["bytes under 5 %"]
        result["costs"][state] = {
            "said": [int(cycles), int(kib)],
            "measured": [here, under and under // 1024]}
        print("%-8s %s cycles, %s KiB; here %.0f cycles (%+.0f %%), %s" % (
            state, cycles, kib, here, 100 * here / int(cycles) - 100,
            "%d KiB" % (under // 1024) if under else "never under 5 %"))


def main():
    quick = sys.argv[1:] == ["-q"]
    if sys.argv[1:] and not quick:
        sys.exit("usage: lists.py [-q]")
    result = measure.start("lists")
    program, sizes = build()
    device(program, 3 if quick else 15, result)
    jobs(program, 1 if quick else 3, result)
    levels(program, 3 if quick else 20, sizes, result)
    regions(program, 1 if quick else 7, result)
    compare_costs(result)
    measure.save("lists", result)


if __name__ == "__main__":
    main()
