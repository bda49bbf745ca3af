# SPDX-License-Identifier: BSD-2-Clause
"""Runs the object rows of one labelled case (README.md beside this file).

usage: run_case.py KSIMD GCC CLANG FILE BUILD

Compiles FILE with every compiler and level that a row claims, runs ksimd obj
on the object (with its mate, if the row has one), and compares what it
reports for each function with the row.  Exit 1 on any difference, if a
claimed compiler refuses the file, or if no row was compared.
"""
import collections
import csv
import json
import os
import subprocess
import sys
import tempfile

import builds

HERE = os.path.dirname(os.path.abspath(__file__))
ADVICE = {"region-in-loop", "region-unbounded", "simd-may-move",
          "isa-unguarded", "isa-flags"}
NO_CODE = {"context-embedded"}  # of types: only the source shows it


def run(command):
    return subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=120)


def words_of(note, key):
    """Values of key=value in a note."""
    return [w[len(key) + 1:] for w in note.replace(";", " ").split()
            if w.startswith(key + "=")]


def base_name(function):
    """Without the suffix of a compiler's clone; sections keep theirs."""
    return function if function.startswith(".") else function.split(".")[0]


class Failure(Exception):
    pass


def compile_all(inputs, compiler, clang, level, folder):
    objects = []
    for n, (source, build) in enumerate(inputs):
        output = os.path.join(folder, "%d-%s.o" % (n, source))
        command = builds.command(HERE, compiler, clang, level, build, source,
                                 output)
        result = run(command)
        if result.returncode != 0:
            raise Failure(" ".join(command) + "\n" + result.stderr)
        objects.append(output)
    return objects


def symbols_of(objects):
    names = set()
    for path in objects:
        for line in run(["nm", path]).stdout.splitlines():
            names.add(base_name(line.split()[-1]))
    return names


def findings_of(ksimd, profile, contracts, objects, name=base_name):
    """Ids by function, and the functions with the note needs-region."""
    command = [ksimd, "obj", "--advice", "--profile", profile,
               "--format", "json"]
    for path in contracts:
        command += ["--contract", path]
    result = run(command + objects)
    if result.returncode not in (0, 1):
        raise Failure("exit %d: %s" % (result.returncode, result.stderr))
    found, noted = collections.defaultdict(set), set()
    for line in result.stdout.splitlines():
        one = json.loads(line)
        function = name(one.get("function") or one.get("section") or "")
        if one["severity"] in ("error", "warning"):
            found[function].add(one["id"])
        elif one["id"] == "needs-region":
            noted.add(function)
    return found, noted


def difference(row, found, noted):
    """None if the row holds, else what was seen."""
    function, want = row["function"], set(row["expect"].split(","))
    seen = found.get(function, set())
    got = set(seen)
    if "strict" not in row["note"]:
        got -= ADVICE - want
    ids = want - {"clean", "needs"}
    may = set(words_of(row["note"], "may"))
    if "clean" in want:
        good = function not in noted
    elif "needs" in want:
        good = function in noted and (not ids or got & ids)
    else:
        good = got & ids
    if good and got <= ids | may:
        return None
    return ",".join(sorted(seen) + ["needs"] * (function in noted)) or "clean"


def groups_of(source, build):
    """Rows that share one run of ksimd, by compiler, level, profile, mate."""
    groups = collections.OrderedDict()
    with open("manifest.tsv", newline="") as f:
        for row in csv.DictReader(f, delimiter="\t"):
            if (row["layer"], row["file"], row["build"]) != (
                    "obj", source, build):
                continue
            mate = (words_of(row["note"], "with") or [""])[0]
            for compiler in (["gcc", "clang-19"] if row["compiler"] == "any"
                             else [row["compiler"]]):
                for level in (["O1", "O2", "O3"] if row["opt"] == "any"
                              else [row["opt"]]):
                    key = compiler, level, row["profile"], mate
                    groups.setdefault(key, []).append(row)
    return groups


def main():
    ksimd, gcc, clang, source, build = sys.argv[1:]
    os.chdir(HERE)
    stem = os.path.splitext(source)[0]
    contracts = [name for name in ("cases.contract", stem + ".contract")
                 if os.path.exists(name)]
    compared = wrong = 0
    for (compiler, level, profile, mate), rows in groups_of(
            source, build).items():
        is_clang = compiler == "clang-19"
        inputs = [(source, build)]
        if mate:
            inputs.append(tuple(mate.rsplit(":", 1)))
        with tempfile.TemporaryDirectory() as folder:
            try:
                objects = compile_all(inputs, clang if is_clang else gcc,
                                      is_clang, level, folder)
                names = symbols_of(objects)
                found, noted = findings_of(ksimd, profile, contracts, objects)
            except Failure as failure:
                print("FAILED %s -%s: %s" % (compiler, level, failure))
                wrong += 1
                continue
        for row in rows:
            function = row["function"]
            if row["expect"] == "unscored" or not (
                    function.startswith(".") or function in names):
                continue
            compared += 1
            seen = difference(row, found, noted)
            if seen is not None:
                wrong += 1
                print("WRONG %s -%s %s %s: want %s, got %s" % (
                    compiler, level, profile, function, row["expect"], seen))
    print("%d compared, %d wrong" % (compared, wrong))
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
