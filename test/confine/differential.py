#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""differential: confined objects compute what plain ones do, and are proven.

Random programs with regions (test/trap/gen.c) are built by clang plainly at
-O0 and -O3, and confined at -O3 and at another level (ksimd cc).

1. Programs that are right: the builds print the same, and the confined objects
   are proven.  How often the plain one of -O3 is not is printed.
2. Programs with a fault that their source shows: ksimd cc refuses them, and
   leaves no object, just where ksimd check has an error.  Where the compiler
   finds that nothing ever comes there, it may accept them; they are run, too.
"""
import argparse
import concurrent.futures
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TRAP = os.path.join(os.path.dirname(HERE), "trap")
# A kernel's flags, but for the address, on which nothing here depends.
FLAGS = ("-std=gnu11 -D_KERNEL -ffreestanding -fno-pic -mno-red-zone -fwrapv "
         "-fno-strict-aliasing -fno-common -fno-stack-protector "
         "-fno-asynchronous-unwind-tables").split() + ["-I", TRAP]
# With and without a frame pointer, which turns the frame around.
ISA = [["-msse2"], ["-msse4.2", "-fno-omit-frame-pointer"], ["-mavx2"]]
LEVELS = ["-O0", "-O1", "-O2", "-Os"]
UNIT = 10                       # programs in one object


class Failure(Exception):
    pass


def run(command, ok=(0,)):
    result = subprocess.run(command, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, timeout=600)
    if result.returncode not in ok:
        raise Failure("%s: status %d\n%s%s" % (
            " ".join(command), result.returncode, result.stdout,
            result.stderr))
    return result


def confined(args):
    return [args.ksimd, "cc", "--profile", "freebsd", "--"]


def proven(args, path):
    """Whether ksimd obj says so, and what it says."""
    result = run([args.ksimd, "obj", "--profile", "freebsd", path], (0, 1))
    text = result.stdout + result.stderr
    return result.returncode == 0 and "regions, proven" in text, text


def write(args, name, text):
    path = os.path.join(args.work, name)
    with open(path, "w") as out:
        out.write(text)
    return path


def tabulate(args, base, first, count):
    """An object with the table of the programs that the driver runs."""
    names = ["trap_%d" % n for n in range(first, first + count)]
    table = write(args, base + "-table.c", "#include \"trap.h\"\n" + "".join(
        "uint64_t %s();\n" % n for n in names) +
        "struct entry { uint64_t (*run)(); const char *name; };\n"
        "const struct entry programs[] = {\n" + "".join(
            "\t{ %s, \"%s\" },\n" % (n, n) for n in names) + "\t{ 0, 0 } };\n")
    path = os.path.join(args.work, base + "-table.o")
    run([args.clang, "-w", "-I", TRAP, "-c", table, "-o", path])
    return path


def execute(args, path, table):
    """What the programs of an object print; with a '!' regions are wrong."""
    run([args.clang, "-no-pie", path, table, args.driver, "-o", path + ".run"])
    return run([path + ".run"]).stdout


def right(args, number, first, count):
    """Builds and compares one unit; returns what failed, plain is proven."""
    base = "u%d" % first
    source = write(args, base + ".c", run(
        [args.gen, "-b", "0", str(first), str(count)]).stdout)
    isa = ISA[number % len(ISA)]
    table = tabulate(args, base, first, count)
    output, objects, failed = {}, {}, []
    other = LEVELS[number // len(ISA) % len(LEVELS)]
    for what, prefix, level in (("plain -O0", [], "-O0"),
                                ("plain -O3", [], "-O3"),
                                ("confined -O3", confined(args), "-O3"),
                                ("confined " + other, confined(args), other)):
        path = os.path.join(args.work, base + what.replace(" ", "") + ".o")
        result = run(prefix + [args.clang] + FLAGS + isa + [
            level, "-c", source, "-o", path], (0, 1))
        if result.returncode != 0:
            return ["%s of %s: refused\n%s" % (what, source, result.stderr +
                                               result.stdout)], False
        objects[what] = path
        output[what] = execute(args, path, table)
    for what in output:
        if output[what] != output["plain -O0"]:
            failed.append("%s of %s: other results than plain -O0" % (
                what, source))
        if "!" in output[what]:
            failed.append("%s of %s: regions are wrong" % (what, source))
    for what in ("confined -O3", "confined " + other):
        ok, text = proven(args, objects[what])
        if not ok:
            failed.append("%s of %s: not proven\n%s" % (what, source, text))
    plain = proven(args, objects["plain -O3"])[0]
    if not failed and not args.keep:
        for name in os.listdir(args.work):
            if name.startswith((base + ".", base + "-", base + "plain",
                                base + "conf")):
                os.remove(os.path.join(args.work, name))
    return failed, plain


def faulty(args, number):
    """One program with a fault; whether its source shows one."""
    source = write(args, "f%d.c" % number, run(
        [args.gen, "-b", "100", str(number)]).stdout)
    level = (LEVELS + ["-O3"])[number % 5]
    command = [args.clang] + FLAGS + ISA[number % len(ISA)] + [level, "-c"]
    check = run([args.ksimd, "check", "--profile", "freebsd", source, "--"] +
                command[1:], (0, 1))
    path = source + ".o"
    result = run(confined(args) + command + [source, "-o", path], (0, 1))
    failed = []
    # The compiler may see that nothing ever comes where the fault is.
    dead = check.returncode == 1 and result.returncode == 0 and \
        proven(args, path)[0] and "!" not in execute(
            args, path, tabulate(args, "f%d" % number, number, 1))
    if check.returncode != result.returncode and not dead:
        failed.append("%s %s: ksimd check %d, ksimd cc %d\n%s%s" % (
            source, level, check.returncode, result.returncode,
            check.stdout, result.stderr))
    if (result.returncode == 0) != os.path.exists(path):
        failed.append("%s: status %d, but the object is %s" % (
            source, result.returncode,
            "there" if os.path.exists(path) else "missing"))
    if not failed and not args.keep:
        for name in os.listdir(args.work):
            if name.startswith(("f%d." % number, "f%d-" % number)):
                os.remove(os.path.join(args.work, name))
    return failed, check.returncode != 0, dead


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ksimd", required=True)
    parser.add_argument("--gen", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--clang", default="clang-19")
    parser.add_argument("--programs", type=int, default=300)
    parser.add_argument("--faulty", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", action="store_true")
    args = parser.parse_args()
    soak = int(os.environ.get("KSIMD_SOAK", "0"))
    if soak:
        args.programs = 2000 * soak
        args.faulty = 200 * soak
        args.seed = int(time.time()) % 40000 * 100000     # fits 32 bits
        print("seeds from %d" % args.seed)
    args.work, args.gen, args.ksimd = (
        os.path.abspath(p) for p in (args.work, args.gen, args.ksimd))
    os.makedirs(args.work, exist_ok=True)
    args.driver = os.path.join(args.work, "driver.o")
    failed, plain, units, shown, began = [], 0, 0, 0, time.time()
    unseen = 0
    last = args.seed + args.programs
    try:
        run([args.clang, "-O1", "-Wall", "-Wextra", "-I", TRAP, "-c",
             os.path.join(HERE, "driver.c"), "-o", args.driver])
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            jobs = [pool.submit(right, args, n, first, min(UNIT, last - first))
                    for n, first in enumerate(range(args.seed, last, UNIT))]
            bad = [pool.submit(faulty, args, n)
                   for n in range(args.seed, args.seed + args.faulty)]
            for job in jobs:
                texts, is_proven = job.result()
                failed += texts
                plain += is_proven
                units += 1
            for job in bad:
                texts, has, dead = job.result()
                failed += texts
                shown += has
                unseen += dead
    except Failure as failure:
        print("FAILED %s" % failure)
        return 1
    print("%d right programs in %d objects at -O3, and at one of %s; seeds "
          "from %d, %.0f seconds" % (args.programs, units, " ".join(LEVELS),
                                     args.seed, time.time() - began))
    print("plain -O3 objects that are not proven: %d of %d" % (
        units - plain, units))
    print("%d programs with a fault to place, %d show it in their source: "
          "refused, but for %d where no path of the object reaches it" % (
              args.faulty, shown, unseen))
    if unseen > 1 + shown // 10:
        failed.append("too many of these to be dead code")
    for text in failed[:20]:
        print("FAILED " + text)
    print("failures: %d" % len(failed))
    return 1 if failed or not shown else 0


if __name__ == "__main__":
    sys.exit(main())
