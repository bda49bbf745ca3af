# SPDX-License-Identifier: BSD-2-Clause
"""Compiles examples/aesni as a kernel does, and asks ksimd for advice.

usage: aesni-isa.py KSIMD FOLDER TOP GCC CLANG

FOLDER has wrong.c, the consumer with one test of the wrong bit.  Prints for
each set of objects the status, the verdict and the functions that use an
instruction set without a check; the names only if there are few.
"""
import os
import re
import subprocess
import sys

ksimd, folder, top, gcc, clang = sys.argv[1:]
AESNI = os.path.join(top, "examples", "aesni")
KERNEL = ("-std=gnu17 -ffreestanding -O2 -fno-pic -mcmodel=kernel "
          "-mno-red-zone -mno-mmx -mno-sse -msoft-float -D_KERNEL "
          "-fno-asynchronous-unwind-tables -D_MM_MALLOC_H_INCLUDED "
          "-D__MM_MALLOC_H -I%s -I%s/kern" % (AESNI, AESNI)).split()
SIMD = {
    "aesni_wrap": "-msse2 -maes",
    "aesni_wrap2": "-msse2 -maes -O3",
    "aesni_vaes2": "-maes -mavx2 -mvaes -mvpclmulqdq -O3",
    "aesni_vaes512": "-maes -mavx512bw -mvaes -mvpclmulqdq -O3",
}


def build(compiler, source, flags=""):
    name = os.path.basename(source)[:-2] + ".o"
    path = os.path.join(folder, name)
    subprocess.run([compiler, *KERNEL, *flags.split(), "-c", source, "-o",
                    path], check=True)
    return path


def judge(title, objects, *profiles):
    command = [ksimd, "obj", "--advice", "--all", "--profile", "freebsd",
               "--contract", os.path.join(top, "demo", "aesni.contract")]
    for p in profiles:
        command += ["--profile", p]
    done = subprocess.run(command + objects, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    found, rest = set(), []
    for line in done.stdout.splitlines():
        m = re.search(r":(\w+)\+0x\w+: warning: uses (\S+) without.*"
                      r"\[isa-unguarded\]$", line)
        if m:
            found.add("%s: %s" % m.groups())
        elif "note:" not in line:
            rest.append(line)
    proven = ", proven" in rest.pop()
    print("%s: status %d, %sproven, %d unguarded" % (
        title, done.returncode, "" if proven else "not ", len(found)))
    for line in rest + (sorted(found) if len(found) < 4 else []):
        print("  " + line)


prof = os.path.join(AESNI, "aesni.prof")
for label, compiler in (("gcc", gcc), ("clang", clang)):
    raw = [build(compiler, os.path.join(AESNI, name + ".c"), flags)
           for name, flags in SIMD.items()]
    raw += [build(compiler, os.path.join(AESNI, name + ".c"))
            for name in ("aes_soft", "aesni_dispatch")]
    good = build(compiler, os.path.join(AESNI, "aesni.c"))
    wrong = build(compiler, os.path.join(folder, "wrong.c"))
    judge(label, raw + [good], prof)
    judge(label + ", without aesni.prof", raw + [good])
    judge(label + ", the wrong bit", raw + [wrong], prof)
