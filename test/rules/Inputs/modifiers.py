# SPDX-License-Identifier: BSD-2-Clause
"""Expands references with bmake and with "ksimd rules explain", and compares
the words.

usage: modifiers.py KSIMD
"""
import os
import re
import subprocess
import sys
import tempfile

VALUE = ("-O2 -pipe -g -I. -D_KERNEL -include opt_global.h -mcmodel=kernel "
         "-mno-red-zone -mno-mmx -mno-sse -msoft-float -std=gnu17 x/y.c a.b.c")
CASES = [
    "${V}", "${V:N-nostdinc}", "${V:N-mno-*}", "${V:M-m*}", "${V:M-O[0-9]}",
    "${V:M-O[^0-1]}", "${V:N-[gO]*:N-I*}", "${V:C/^-O2$/-O3/}",
    "${V:C/^-O2$/-O3/:N-pipe}", "${V:C,k(e)r,<\\1&>,}", "${V:C/m/M/g}",
    "${V:C/-m/-M/1}", "${V:S/-O2/-Os/}", "${V:S/^-O2$/-O3/}", "${V:S/^-m/-x/}",
    "${V:S/e$/E/}", "${V:S/n/N/g}", "${V:S,x/y,z&,}", "${V:S/-m/+&/1}",
    "${V:T}", "${V:R}", "${V:H}", "${V:E}", "${V:M*.c:R}", "${V:tu:M-G}",
    "${V:tl:M-d*}", "${NONE:U-default}", "${V:Uother:M-g}",
    "${V:M-march=*:S/^$/-march=armv8-a/}+crypto", "${V:M-g}x${V:M-pipe}",
    "${V:.c=.o}", "a$$b ${V:N*}",
]

def bmake(folder):
    with open(os.path.join(folder, "Makefile"), "w") as f:
        f.write("V=\t%s\n" % VALUE)
        for n, case in enumerate(CASES):
            f.write("R%d=\t%s\n" % (n, case))
        f.write("all:\n")
        for n in range(len(CASES)):
            f.write("\t@printf '%%s\\n' 'case %d: '${R%d:Q}\n" % (n, n))
    out = subprocess.run(["bmake", "-r", "-C", folder], text=True, check=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return {int(n): words.split() for n, words in
            re.findall(r"^case (\d+):(.*)$", out.stdout, re.M)}

def ours(ksimd, folder):
    result = {}
    for n, case in enumerate(CASES):

        path = os.path.join(folder, "files.amd64")
        rule = case.replace("${V", "${CFLAGS_V").replace('"', '\\"')
        with open(path, "w") as f:
            f.write('x.c standard compile-with "%s"\n' % rule)
        out = subprocess.run([ksimd, "rules", "explain", "--set",
                              "CFLAGS_V=" + VALUE, path, "x.c"],
                             stdout=subprocess.PIPE, text=True, check=True)
        words = []
        for line in out.stdout.split("\n")[2:]:
            if not line.startswith("  "):
                break
            words += line[2:].split("  ")[0].split()
        result[n] = words
    return result

with tempfile.TemporaryDirectory() as folder:
    want, got = bmake(folder), ours(sys.argv[1], folder)
same = 0
for n, case in enumerate(CASES):
    if want.get(n) == got[n]:
        same += 1
    else:
        print(case, want.get(n), got[n], sep="\n    ")
print("%d of %d as bmake" % (same, len(CASES)))
