# SPDX-License-Identifier: BSD-2-Clause
"""Builds bench/lists with gcc and clang-19, runs it, and prints tables.

usage: report.py [-q]      (in the top folder; bench/lists.sh does that)

Rounds are interleaved: each measures every contender once, so that a slow
moment hits all.  Shown are medians, the half distance between the quartiles
as spread, and medians of ratios within a round.  Means are compared with
Student's t at 95 %, as ministat(1) does.  Times are CPU time of one thread;
those of the jobs are wall clock, and mean little on a busy machine.
"""
import json
import math
import os
import re
import statistics
import subprocess
import sys

OUT = os.path.join("build", "bench", "lists")
AES = os.path.join("examples", "aesni")
SIZES = [64 << n for n in range(11)]
STATES = [("x87+SSE", 0x3), ("AVX", 0x7), ("AVX-512", 0xe7)]
# Two-sided 95 % points of Student's t.
STUDENT = {2: 4.303, 4: 2.776, 6: 2.447, 8: 2.306, 38: 2.024}


def call(*command):
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if result.returncode != 0:
        sys.exit("lists: failed: " + " ".join(command))
    return result.stdout.strip()


def numbers(*command):
    """What a run printed; None if this CPU cannot."""
    text = call(*command)
    return None if text == "unavailable" else [float(w) for w in text.split()]


def build(compiler, level):
    """The program with aesni_wrap2.c at this level."""
    name = os.path.join(OUT, "%s-%s" % (os.path.basename(compiler), level))
    include = ["-I", AES, "-I", os.path.join(AES, "kern"), "-I",
               os.path.join("bench", "lists")]
    objects = []
    for source, flags in (
            (os.path.join(AES, "aesni_wrap2.c"),
             ["-" + level, "-msse2", "-maes"]),
            (os.path.join(AES, "aesni_wrap.c"),
             ["-O2", "-msse2", "-maes"]),
            (os.path.join(AES, "aesni_vaes2.c"),
             ["-O3", "-maes", "-mavx2", "-mvaes", "-mvpclmulqdq"]),
            (os.path.join(AES, "aesni_vaes512.c"),
             ["-O3", "-maes", "-mavx512bw", "-mvaes", "-mvpclmulqdq"]),
            (os.path.join("bench", "lists", "brackets.c"), ["-O2"]),
            (os.path.join("bench", "lists", "lists.c"), ["-O2"]),
            (os.path.join(AES, "aesni.c"), ["-O2"]),
            (os.path.join(AES, "aesni_dispatch.c"), ["-O2"]),
            (os.path.join(AES, "aes_soft.c"), ["-O2"])):
        objects.append("%s-%s.o" % (name, os.path.basename(source)[:-2]))
        call(compiler, "-std=gnu11", *flags, *include, "-c", source, "-o",
             objects[-1])
    call(compiler, "-pthread", "-o", name, *objects)
    return name


def spread(values):
    if len(values) < 4:
        return (max(values) - min(values)) / 2
    q = statistics.quantiles(values, n=4)
    return (q[2] - q[0]) / 2


def summary(values):
    return {"median": statistics.median(values), "spread": spread(values),
            "n": len(values)}


def student(a, b):
    """Difference of means b - a in % of a, and its half interval."""
    df = len(a) + len(b) - 2
    t = STUDENT.get(df, 1.96 if df > 38 else 2.306)
    pooled = math.sqrt(((len(a) - 1) * statistics.variance(a) +
                        (len(b) - 1) * statistics.variance(b)) / df)
    base = statistics.mean(a)
    half = t * pooled * math.sqrt(1 / len(a) + 1 / len(b))
    return 100 * (statistics.mean(b) - base) / base, 100 * half / base


def cpu_name():
    with open("/proc/cpuinfo") as f:
        text = f.read()
    found = [re.search(r"%s\s*: (.*)" % key, text) for key in (
        "model name", "cpu family", "model")]
    return "%s (family %s, model %s)" % tuple(
        m.group(1) if m else "?" for m in found)


def device(program, rounds, result):
    rows = [numbers(program, "device") for _ in range(rounds)]
    if rows[0] is None:
        print("device: UNAVAILABLE, this CPU has no AES-NI")
        return
    soft, old, new = zip(*rows)
    ratios = {"old/soft": [o / s for s, o, _ in rows],
              "new/old": [n / o for _, o, n in rows],
              "new/soft": [n / s for s, _, n in rows]}
    result["device"] = {
        "MB/s": {k: summary(v) for k, v in (
            ("soft", soft), ("old", old), ("new", new))},
        "ratio": {k: summary(v) for k, v in ratios.items()}}
    print("\nDevice of 64 MiB in memory, 4 KiB sectors, AES-128-XTS, MB/s of "
          "CPU time,\n%d rounds; beside the commit of 2012/13" % rounds)
    print("%-10s %10s %8s %10s" % ("", "today", "+/-", "then"))
    for name, values, then in (("software", soft, 59.61),
                               ("old", old, 97.29), ("new", new, 221.26)):
        print("%-10s %10.2f %8.2f %10.2f" % (
            name, statistics.median(values), spread(values), then))
    for name, then in (("old/soft", 1.63), ("new/old", 2.27),
                       ("new/soft", 3.71)):
        print("%-10s %10.2f %8.2f %10.2f" % (
            name, statistics.median(ratios[name]), spread(ratios[name]),
            then))


def jobs(program, rounds, result):
    result["jobs"] = []
    print("\nJobs, wall clock, %d rounds, %d processors here; beside the mail "
          "of 2020\n(8 jobs, 10 cores): 530 and 2825 MiB/s, ratio 5.3" % (
              rounds, os.cpu_count()))
    print("%4s %12s %12s %8s %8s" % ("jobs", "soft MB/s", "new MB/s", "ratio",
                                     "+/-"))
    for n in range(1, 9):
        rows = [numbers(program, "jobs", str(n)) for _ in range(rounds)]
        if rows[0] is None:
            print("UNAVAILABLE, this CPU has no AES-NI")
            return
        soft, new = zip(*rows)
        ratio = [b / a for a, b in rows]
        result["jobs"].append({"jobs": n, "soft MB/s": summary(soft),
                               "new MB/s": summary(new),
                               "ratio": summary(ratio)})
        print("%4d %12.1f %12.1f %8.1f %8.1f" % (
            n, statistics.median(soft), statistics.median(new),
            statistics.median(ratio), spread(ratio)))


def levels(rounds, result):
    names = [(c, o) for c in ("gcc", "clang-19") for o in ("O2", "O3")]
    programs = {k: build(*k) for k in names}
    speeds = {k: [] for k in names}
    for _ in range(rounds):
        for k in names:
            got = numbers(programs[k], "speed")
            if got is None:
                print("\n-O2 and -O3: UNAVAILABLE, this CPU has no AES-NI")
                return
            speeds[k] += got
    result["levels"] = {}
    print("\naesni_wrap2.c at -O2 and -O3, MB/s of CPU time, mean and "
          "standard deviation\nof %d runs; the thread of 2012: 1751.56 and 2240.32, "
          "+27.9 %% at 95 %%" % rounds)
    for compiler in ("gcc", "clang-19"):
        a, b = speeds[compiler, "O2"], speeds[compiler, "O3"]
        gain, half = student(a, b)
        means = abs(gain) > half
        result["levels"][compiler] = {
            "O2": summary(a), "O3": summary(b), "gain %": gain,
            "half interval %": half, "differs at 95 %": means}
        print("%-9s %9.2f +/- %-8.2f %9.2f +/- %-8.2f %+6.1f %% +/- %.1f %%%s"
              % (compiler, statistics.mean(a), statistics.stdev(a),
                 statistics.mean(b), statistics.stdev(b), gain, half,
                 "" if means else "  no difference at 95 %"))


def regions(program, rounds, result):
    result["regions"] = {}
    print("\nA region for each unit against one around all of 1 MiB (new "
          "code, %d rounds):\nwhat an empty region takes, and the extra time "
          "in %% by the bytes of a unit;\nthe mail of 2018: 24 %% with AVX2, "
          "121 %% with AVX-512" % rounds)
    print("%-8s %5s %6s" % ("state", "ns", "cycles") +
          "".join("%6s" % (("%d" % s) if s < 1024 else "%dK" % (s // 1024))
                  for s in SIZES) + "  under 5 %")
    for name, mask in STATES:
        extra, empty, cycles = {s: [] for s in SIZES}, [], []
        available = True
        for _ in range(rounds):
            for size in SIZES:
                got = numbers(program, "region", hex(mask), str(size))
                if got is None:
                    available = False
                    break
                extra[size].append(100 * (got[1] - got[0]) / got[0])
                empty.append(got[2])
                cycles.append(got[3])
            if not available:
                break
        if not available:
            print("%-8s UNAVAILABLE on this CPU or system" % name)
            continue
        median = {s: statistics.median(extra[s]) for s in SIZES}
        # The first size from which on all are under 5 %.
        small = [s for s in SIZES
                 if all(median[t] < 5 for t in SIZES if t >= s)]
        result["regions"][name] = {
            "ns per region": summary(empty),
            "cycles per region": summary(cycles),
            "extra %": {s: summary(extra[s]) for s in SIZES},
            "bytes under 5 %": small[0] if small else None}
        print("%-8s %5.0f %6.0f" % (name, statistics.median(empty),
                                    statistics.median(cycles)) +
              "".join("%6.0f" % median[s] for s in SIZES) +
              ("  %d bytes" % small[0] if small else "  never"))


def main():
    quick = sys.argv[1:] == ["-q"]
    if sys.argv[1:] and not quick:
        sys.exit("usage: report.py [-q]")
    os.makedirs(OUT, exist_ok=True)
    result = {"cpu": cpu_name(), "processors": os.cpu_count(),
              "load": os.getloadavg()[0],
              "compilers": {c: call(c, "--version").splitlines()[0]
                            for c in ("gcc", "clang-19")}}
    print("CPU: %s, %d processors, load %.1f at start" % (
        result["cpu"], result["processors"], result["load"]))
    program = build("clang-19", "O3")
    device(program, 3 if quick else 9, result)
    jobs(program, 1 if quick else 3, result)
    levels(3 if quick else 20, result)
    regions(program, 1 if quick else 7, result)
    path = os.path.join("build", "bench", "lists.json")
    with open(path, "w") as f:
        json.dump(result, f, indent=1)
        f.write("\n")
    print("\nwritten: " + path)


if __name__ == "__main__":
    main()
