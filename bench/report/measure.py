# SPDX-License-Identifier: BSD-2-Clause
"""What the measuring scripts of bench/ share: machine, compilers, statistics.

Medians go with the half distance between the quartiles as spread; means are
compared with Student's t at 95 %, as ministat(1) does.
"""
import json
import math
import os
import re
import statistics
import subprocess
import sys

AES = os.path.join("examples", "aesni")
BUILD = os.path.join("build", "bench")
# As the generated rules have it; -O3 by the rules' "optimize 3".
FLAGS = {
    "aesni_wrap.c": ["-O2", "-msse2", "-maes"],
    "aesni_wrap2.c": ["-O3", "-msse2", "-maes"],
    "aesni_vaes2.c": ["-O3", "-maes", "-mavx2", "-mvaes", "-mvpclmulqdq"],
    "aesni_vaes512.c": ["-O3", "-maes", "-mavx512bw", "-mvaes",
                        "-mvpclmulqdq"],
}
EXAMPLE = ["aes_soft.c", "aesni.c", "aesni_dispatch.c", *FLAGS]
# Two-sided 95 % points of Student's t by degrees of freedom.
STUDENT = {2: 4.303, 4: 2.776, 6: 2.447, 8: 2.306, 18: 2.101, 38: 2.024}


def call(*command):
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if result.returncode != 0:
        sys.exit("bench: failed: " + " ".join(command))
    return result.stdout.strip()


def database():
    """Compilation database of a kernel: given, or as linux.sh leaves it."""
    if "KSIMD_CDB" in os.environ:
        return os.environ["KSIMD_CDB"]
    work = os.environ.get("KSIMD_LINUX",
                          os.path.join("build", "cache", "linux-6.1"))
    path = os.path.join(work, "linux-source-6.1", "compile_commands.json")
    return path if os.path.exists(path) else None


def compile_one(compiler, source, output, *flags):
    """One object; the flags of the example's SIMD files are known."""
    known = FLAGS.get(os.path.basename(source), ["-O2"])
    call(compiler, "-std=gnu11", "-I", AES, "-I", os.path.join(AES, "kern"),
         *known, *flags, "-c", source, "-o", output)
    return output


def machine():
    with open("/proc/cpuinfo") as f:
        text = f.read()
    found = [re.search(r"%s\s*: (.*)" % key, text) for key in (
        "model name", "cpu family", "model")]
    return {
        "cpu": "%s (family %s, model %s)" % tuple(
            m.group(1) if m else "?" for m in found),
        "processors": os.cpu_count(),
        "load": os.getloadavg()[0],
        "compilers": {c: call(c, "--version").splitlines()[0]
                      for c in ("gcc", "clang-19")},
    }


def path_of(name):
    return os.path.join(BUILD, name + ".json")


def start(name):
    """The machine, printed; an old result is gone if this run fails."""
    os.makedirs(BUILD, exist_ok=True)
    if os.path.exists(path_of(name)):
        os.remove(path_of(name))
    m = machine()
    print("CPU: %s, %d processors, load %.1f at start" % (
        m["cpu"], m["processors"], m["load"]))
    return m


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


def save(name, result):
    with open(path_of(name), "w") as f:
        json.dump(result, f, indent=1)
        f.write("\n")
    print("\nwritten: " + path_of(name))
