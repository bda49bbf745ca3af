# SPDX-License-Identifier: BSD-2-Clause
"""Builds examples/aesni/bench_xts.c with both compilers and prints a table.

usage: xts.py [-q]      (in the top folder; bench/xts.sh does that)

All contenders of a row run in one process, round by round; a ratio is the
median over rounds of that within a round.  Wall clock, one thread.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join("bench", "report"))
import measure  # noqa: E402
from measure import AES, call, compile_one  # noqa: E402

OUT = os.path.join("build", "bench", "xts")
VARIANTS = ["block", "aesni", "vaes2", "vaes512"]
# Variant, unit, key, and the least ratio to OpenSSL, as the project aims at.
TARGETS = [("aesni", 1.0), ("vaes512", 1.7)]


def build(compiler):
    folder = os.path.join(OUT, compiler)
    os.makedirs(folder, exist_ok=True)
    objects = [compile_one(compiler, os.path.join(AES, name),
                           os.path.join(folder, os.path.basename(name)[:-2] +
                                        ".o"))
               for name in [*measure.EXAMPLE, os.path.join("kern", "user.c"),
                            "bench_xts.c"]]
    program = os.path.join(folder, "bench_xts")
    call(compiler, "-o", program, *objects, "-lcrypto")
    return program


def cell(row, key):
    return "%.2f" % row[key][0] if key in row else "-"


def table(compiler, openssl, rows):
    print("\n%s: MB/s of %s; then of each variant\nMB/s, ratio to OpenSSL, "
          "ratio to the issue limit" % (compiler, openssl))
    print("%-19s %7s" % ("key, unit, direction", "openssl") +
          "".join("%18s" % v for v in VARIANTS))
    by = {(r["key"], r["unit"], r["direction"], r["contender"]): r
          for r in rows}
    for key, unit, direction in dict.fromkeys(k[:3] for k in by):
        line = "%3d %6d %-8s %7.0f" % (
            key, unit, direction,
            by[key, unit, direction, "openssl"]["MB/s"][0])
        for v in VARIANTS:
            r = by[key, unit, direction, v]
            line += "%18s" % (
                "UNAVAILABLE" if "unavailable" in r else "%d %s %s" % (
                    r["MB/s"][0], cell(r, "of openssl"),
                    cell(r, "of limit")))
        print(line)
    for v in VARIANTS:
        r = next(r for r in rows if r["contender"] == v)
        if "unavailable" in r:
            print("%s: UNAVAILABLE: %s" % (v, r["unavailable"]))


def targets(rows):
    print("\nAES-128, encrypt, 4 KiB, clang-19: aimed at, reached")
    for variant, least in TARGETS:
        r = next(r for r in rows if r["contender"] == variant and
                 r["key"] == 128 and r["unit"] == 4096 and
                 r["direction"] == "encrypt")
        if "unavailable" in r:
            print("%-8s UNAVAILABLE: %s" % (variant, r["unavailable"]))
            continue
        print("%-8s %.2f of OpenSSL, %.2f +/- %.2f%s" % (
            variant, least, *r["of openssl"],
            "" if r["of openssl"][0] >= least else "  NOT REACHED"))


def main():
    quick = sys.argv[1:] == ["-q"]
    if sys.argv[1:] and not quick:
        sys.exit("usage: xts.py [-q]")
    result = measure.start("xts")
    result["rows"] = {}
    for compiler in ("clang-19", "gcc"):
        lines = call(build(compiler), "-j", "-r", "5" if quick else "101")
        head, *rows = [json.loads(line) for line in lines.splitlines()]
        result["openssl"] = head["openssl"]
        result["rows"][compiler] = rows
        table(compiler, head["openssl"], rows)
    targets(result["rows"]["clang-19"])
    measure.save("xts", result)


if __name__ == "__main__":
    main()
