# SPDX-License-Identifier: BSD-2-Clause
"""What the confine pass costs: compile time, and throughput of the example.

usage: confine.py [-q] [BUILD_FOLDER]  (in the top folder; bench/confine.sh)

Compile time is CPU time of the command and its children; each round runs plain
clang-19, clang-19 with the plugin, and ksimd cc (pass and proof) one after the
other, and ratios are taken within a round.  A file that one of them refuses is
listed and left out of the medians: without an object there is no time to
compare.
"""
import json
import os
import re
import resource
import shlex
import shutil
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.join("bench", "report"))
import measure  # noqa: E402
from measure import AES, BUILD, call, database, summary  # noqa: E402

CLANG = "clang-19"
HERE = os.path.join("bench", "confine")
OUT = os.path.join(BUILD, "confine")
FILES = 20
FOLDERS = ("arch/x86/crypto/", "crypto/", "lib/crypto/", "lib/raid6/")
WAYS = ("plain", "plugin", "ksimd cc")
AIM_TIME, AIM_SPEED = 1.10, 0.98
# Those of demo/kernel.mk, and the levels and sets of files.simd.
KERNEL = ["-O2", "-std=gnu17", "-nostdinc", "-Idemo/sys", "-D_KERNEL",
          "-fno-strict-aliasing", "-g", "-fno-common", "-fno-pie",
          "-mcmodel=kernel", "-mno-red-zone", "-mno-mmx", "-mno-sse",
          "-msoft-float", "-mno-aes", "-mno-avx", "-ffreestanding", "-fwrapv",
          "-fno-asynchronous-unwind-tables", "-fno-omit-frame-pointer",
          "-mno-omit-leaf-frame-pointer", "-I" + AES,
          "-I" + os.path.join(AES, "kern")]


def example_units():
    """(name, folder, arguments without compiler, -c and -o), kernel flags."""
    # Where a file has SIMD flags, the compiler's own headers are needed.
    headers = ["-isystem", os.path.join(call(CLANG, "-print-resource-dir"),
                                        "include"),
               "-D_MM_MALLOC_H_INCLUDED", "-D__MM_MALLOC_H"]
    top = os.getcwd()
    for name in measure.EXAMPLE:
        flags = measure.FLAGS.get(name, [])
        yield (name, top, KERNEL + (headers if flags else []) + flags +
               [os.path.join(AES, name)])


def linux_units(path):
    with open(path) as f:
        units = json.load(f)
    found = {}
    for u in units:
        name = os.path.relpath(os.path.join(u["directory"], u["file"]),
                               u["directory"])
        if name.startswith(FOLDERS):
            found[name] = u
    names = sorted(found)
    if len(names) > FILES:
        names = [names[i * len(names) // FILES] for i in range(FILES)]
    for name in names:
        u = found[name]
        args, rest = [], iter((u.get("arguments") or
                               shlex.split(u["command"]))[1:])
        for a in rest:
            if a == "-o":
                next(rest)
            elif a != "-c" and not a.startswith("-Wp,-M"):
                args.append(a)
        yield name, u["directory"], args


def command(way, ksimd, plugin, profile, args, output):
    end = [*args, "-c", "-o", output]
    if way == "plain":
        return [CLANG, *end]
    if way == "plugin":
        return [CLANG, "-fplugin=" + plugin, "-fpass-plugin=" + plugin,
                "-mllvm", "-ksimd-profile=" + profile, *end]
    return [ksimd, "cc", "--profile", profile, "--", CLANG, *end]


def cpu(words, folder):
    """CPU seconds with children, and what it said if it failed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    r = subprocess.run(words, cwd=folder, stdout=subprocess.DEVNULL,
                       stderr=subprocess.PIPE, text=True, errors="replace")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime -
            before.ru_stime), r.returncode and (r.stderr or "?")


def times(unit, tools, profile, rounds, output):
    """Seconds by way, a list each; or (way, reason) where one fails."""
    name, folder, args = unit
    seconds = {w: [] for w in WAYS}
    for n in range(-1, rounds):         # round -1 warms the file cache
        for way in WAYS:
            took, failed = cpu(command(way, *tools, profile, args, output),
                               folder)
            if failed:
                lines = [x for x in failed.splitlines() if "error" in x]
                return way, (lines or failed.splitlines())[0]
            if n >= 0:
                seconds[way].append(took)
    return seconds


def compile_time(title, units, tools, profile, rounds):
    print("\nCompile time, %s: ms of CPU time, medians of %d rounds, ratios "
          "to plain" % (title, rounds))
    print("%-40s %8s %8s %8s %7s %7s" % ("", *WAYS, "plugin", "cc"))
    rows, refused = {}, {}
    output = os.path.abspath(os.path.join(OUT, "timed.o"))
    for unit in units:
        got = times(unit, tools, profile, rounds, output)
        if isinstance(got, tuple):
            refused[unit[0]] = got
            print("%-40s not compared: %s: %s" % (unit[0], *got))
            continue
        ratio = {w: summary([a / b for a, b in zip(got[w], got["plain"])])
                 for w in WAYS[1:]}
        ms = {w: 1000 * statistics.median(got[w]) for w in WAYS}
        rows[unit[0]] = {"ms": ms, "ratio": ratio}
        print("%-40s %8.0f %8.0f %8.0f %7.2f %7.2f" % (
            unit[0][-40:], *ms.values(),
            *(r["median"] for r in ratio.values())), flush=True)
    result = {"rows": rows, "refused": refused}
    if rows:
        for way in WAYS[1:]:
            result[way] = {
                "median": statistics.median(
                    r["ratio"][way]["median"] for r in rows.values()),
                "sum": sum(r["ms"][way] for r in rows.values()) /
                sum(r["ms"]["plain"] for r in rows.values())}
        print("%-40s %8s %8s %8s %7.2f %7.2f   aim: %.2f" % (
            "median of %d files" % len(rows), "", "", "",
            *(result[w]["median"] for w in WAYS[1:]), AIM_TIME))
        print("%-40s %8s %8s %8s %7.2f %7.2f" % (
            "sum", "", "", "", *(result[w]["sum"] for w in WAYS[1:])))
    return result


def kernel_part(way, tools):
    """The example's objects by one way as one, its entry points renamed."""
    folder = os.path.join(OUT, way.replace(" ", "-"))
    os.makedirs(folder, exist_ok=True)
    objects = []
    for name, _, args in example_units():
        objects.append(os.path.join(folder, name[:-2] + ".o"))
        took, failed = cpu(command(way, *tools, "freebsd", args, objects[-1]),
                           None)
        if failed:
            return None, "%s by %s: %s" % (name, way, failed)
    prefix = "plain_" if way == "plain" else "confined_"
    whole = os.path.join(folder, "whole.o")
    call("ld.lld-19", "-r", "-o", whole, *objects)
    words = []
    for symbol in ("aesni_xts_get", "aesni_xts_lacks"):
        words += ["--redefine-sym", "%s=%s%s" % (symbol, prefix, symbol),
                  "--keep-global-symbol", prefix + symbol]
    call("objcopy", *words, whole)
    return whole, None


def throughput(tools, rounds):
    print("\nThroughput of the example by ksimd cc beside plain clang-19, "
          "kernel flags,\n4 KiB sectors, AES-128-XTS, MB/s of CPU time, "
          "medians of %d paired rounds; aim %.2f" % (rounds, AIM_SPEED))
    objects = []
    for way in ("plain", "ksimd cc"):
        whole, failed = kernel_part(way, tools)
        if failed:
            print("UNAVAILABLE: " + failed)
            return {"unavailable": failed}
        objects.append(whole)
    program = os.path.join(OUT, "pair")
    call(CLANG, "-O2", "-Wall", "-std=gnu11", "-no-pie", "-I", AES, "-I",
         os.path.join(AES, "kern"), "-o", program,
         os.path.join(HERE, "pair.c"), os.path.join(AES, "kern", "user.c"),
         *objects)
    size = int(re.search(r"PASSES\s+(\d+)", open(os.path.join(
        HERE, "pair.c")).read()).group(1)) * 64 * 4096
    rows, lacks = {}, {}
    for line in call(program, str(rounds)).splitlines():
        words = line.split()
        if words[1] == "lacks":
            lacks[words[0]] = " ".join(words[2:])
            continue
        rows.setdefault(" ".join(words[:2]), []).append(
            (float(words[2]), float(words[3])))
    print("%-36s %9s %9s %8s %7s" % ("", "plain", "confined", "ratio",
                                     "+/-"))
    result = {"rows": {}, "lacks": lacks}
    for name, pairs in rows.items():
        scale = 1 / 8 if "block" in name else 1
        speed = [scale * size * 1000 / statistics.median(p[i] for p in pairs)
                 for i in range(2)]
        ratio = summary([a / b for a, b in pairs])
        result["rows"][name] = {"MB/s": speed, "ratio": ratio}
        print("%-36s %9.0f %9.0f %8.3f %7.3f%s" % (
            name, *speed, ratio["median"], ratio["spread"],
            "" if ratio["median"] >= AIM_SPEED else "   below the aim"))
    for name, what in lacks.items():
        print("%-36s UNAVAILABLE: %s" % (name, what))
    return result


def main():
    args = [a for a in sys.argv[1:] if a != "-q"]
    quick = len(args) != len(sys.argv) - 1
    build = os.path.abspath(args[0] if args else "build")
    tools = (os.path.join(build, "bin", "ksimd"),
             os.path.join(build, "lib", "libksimd-pass.so"))
    for tool in tools:
        if not os.path.exists(tool):
            print("UNAVAILABLE: there is no %s" % tool)
            return
    if shutil.which(CLANG) is None:
        print("UNAVAILABLE: there is no " + CLANG)
        return
    if os.uname().machine != "x86_64":
        print("UNAVAILABLE: this is no x86-64 machine")
        return
    result = measure.start("confine")
    shutil.rmtree(OUT, ignore_errors=True)
    os.makedirs(OUT)
    rounds = 2 if quick else 7
    result["example"] = compile_time("the example", example_units(), tools,
                                     "freebsd", rounds)
    path = database()
    if path:
        result["linux"] = compile_time("Linux 6.1's crypto", linux_units(path),
                                       tools, "linux", rounds)
    else:
        print("\nCompile time, Linux 6.1's crypto: UNAVAILABLE: no "
              "compilation database (bench/linux.sh, or KSIMD_CDB)")
    result["throughput"] = throughput(tools, 5 if quick else 101)
    measure.save("confine", result)


if __name__ == "__main__":
    main()
