# SPDX-License-Identifier: BSD-2-Clause
"""Runs generated rules with bmake, and judges the objects.

usage: build-rules.py KSIMD FOLDER KERN.MK GCC CLANG

FOLDER has the sources below sys, and amd64.mk, i386.mk and arm64.mk.  An
object is good if it has the instruction that its source asks for, on the
registers it asks for, and ksimd obj has no error to report.
"""
import os
import re
import subprocess
import sys

ksimd, folder, kern, gcc, clang = sys.argv[1:]
os.chdir(folder)


def run(command, status=0):
    p = subprocess.run(command, stdout=subprocess.PIPE, text=True,
                       stderr=subprocess.STDOUT)
    if p.returncode != status:
        sys.exit("%s\nstatus %d\n%s" % (" ".join(command), p.returncode,
                                        p.stdout))
    return p.stdout


# Object, what it must have, and what that looks like.
X86 = [("aesni_wrap.o", "aesenc", r"\saesenc\s"),
       ("aesni_wrap2.o", "aesenc", r"\saesenc\s"),
       ("aesni_vaes2.o", "vaesenc of ymm", r"\svaesenc\s.*%ymm"),
       ("aesni_vaes512.o", "vaesenc of zmm", r"\svaesenc\s.*%zmm")]


def build(name, machine, rules, compiler, label, target, what, pattern):
    work = "build-%s-%s" % (name, label)
    os.makedirs(work, exist_ok=True)
    open(os.path.join(work, "opt_global.h"), "w").close()
    extra = ["KMOD=aesni"] if name == "kmod" else []
    log = run(["bmake", "-r", "-C", work, "-f", kern, "CC=" + compiler,
               "MACHINE=" + machine, "S=../sys", "RULES=" + rules,
               target] + extra)
    assert target.replace(".o", ".c") in log, log
    path = os.path.join(work, target)
    dump = run([os.path.join(os.path.dirname(clang), "llvm-objdump"), "-d",
                path])
    assert re.search(pattern, dump), dump
    text = "%s %s: %s has %s" % (name, label, target, what)
    if machine != "arm64":
        out = run([ksimd, "obj", "--profile", "freebsd", "--format", "json",
                   path])
        assert '"error"' not in out, out
        text += ", proven of kernel rules"
    print(text)


# A module's makefile, without what only the real build has.
with open("sys/modules/aesni_xts/Makefile") as f:
    text = f.read()
with open("kmod.mk", "w") as f:
    f.write("".join(line + "\n" for line in text.split("\n")
                    if not line.startswith((".PATH", ".include"))))
for name, machine, rules in (("amd64", "amd64", "../amd64.mk"),
                             ("i386", "i386", "../i386.mk"),
                             ("kmod", "amd64", "../kmod.mk")):
    # FreeBSD's clang knows that i386 stacks are aligned to 4 bytes.
    target = " --target=i386-unknown-freebsd14" if machine == "i386" else ""
    for label, compiler in (("gcc", gcc), ("clang", clang + target)):
        for row in X86:
            build(name, machine, rules, compiler, label, *row)
build("arm64", "arm64", "../arm64.mk",
      clang + " --target=aarch64-unknown-freebsd14", "clang", "neon_xor.o",
      "eor", r"eor\s+v\d+\.16b")
