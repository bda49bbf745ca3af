# SPDX-License-Identifier: BSD-2-Clause
"""Writes a sys/conf like a whole kernel's, of 5,600 entries.

usage: rules-tree.py FOLDER

A list for all machines with most entries, one for x86 and one for each of
three machines.  One entry in twenty has a command of its own, half of these
with instruction sets; conditions, flags and continuation lines are mixed.
"""
import os
import random
import sys

R = random.Random(2012)
SETS = ["-msse2 -maes", "-mmmx -msse -msse4 -maes -mpclmul", "-mavx2"]


def entry(n, arch):
    folder = "dev/%s%03d" % (arch, n // 8)
    name = "f%05d%s" % (n, arch)
    cond = "optional d%03d" % (n // 8)
    if n % 3 == 0:
        cond += " pci | d%03d acpi !nodev" % (n // 8)
    if n % 40 == 0 and arch != "all":
        return ("%s.o\t%s\t\t\t\\\n\tdependency\t\"$S/%s/%s.c\"\t\\\n"
                "\tcompile-with\t\"${CC} -c ${CFLAGS:C/^-O2$/-O3/:N-nostdinc}"
                " ${WERROR} ${NO_WCAST_QUAL} %s -mno-80387 ${.IMPSRC}\" \\\n"
                "\tno-implicit-rule\t\\\n\tclean\t\t\"%s.o\"\n" %
                (name, cond, folder, name, R.choice(SETS), name))
    if n % 20 == 0:
        return "%s/%s.c\t%s\t\\\n\tcompile-with \"${NORMAL_C} -I$S/%s\"\n" % (
            folder, name, cond, folder)
    return "%s/%s.c\t\t%s\n" % (folder, name, cond)


def main():
    conf = os.path.join(sys.argv[1], "conf")
    os.makedirs(conf, exist_ok=True)
    for name, count in (("files", 4000), ("files.x86", 400),
                        ("files.amd64", 500), ("files.i386", 300),
                        ("files.arm64", 400)):
        arch = name.partition(".")[2] or "all"
        with open(os.path.join(conf, name), "w") as f:
            if arch in ("amd64", "i386"):
                f.write('include "conf/files.x86"\n')
            for n in range(count):
                if arch == "arm64":
                    f.write("arm64/m/f%05d.c\toptional d%03d\n" % (n, n // 8))
                else:
                    f.write(entry(n, arch))


main()
