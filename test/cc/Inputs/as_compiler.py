# SPDX-License-Identifier: BSD-2-Clause
"""as_compiler.py KSIMD COMPILER: many command lines, once plain and once
through ksimd cc, in the same folder: same status, same output, same files
with the same bytes."""
import os
import re
import shlex
import shutil
import subprocess
import sys

KSIMD, CC = sys.argv[1:3]
CLANG = "clang" in os.path.basename(CC)

SOURCES = {
    "w.c": '#include "h.h"\nint f(void) { return H; }\n',
    "v.c": "int g(int n) { return n + 1; }\n",
    "e.c": "int f( {\n",
    "asm.c": '__asm__("no_such_insn %rax");\n',
    "s.s": ".globl s\ns: ret\n",
    "h.h": "#define H 1\n",
    "one.rsp": "-MD -c w.c '-DX=a b' -o sub/r.o\n",
    "two.rsp": "w.c\n v.c -D\"Y=a\\\"b\"\n",
    "in.rsp": "@one.rsp -DZ=\\'\n",
    "old.o": "OLD\n",
}

LINES = """
-c w.c
-c w.c -o sub/q.o
-c w.c -osub/q.o
-c w.c -o old.o
-c -o sub/a.o -o sub/b.o w.c
-c e.c -o old.o
-c asm.c -o old.o
-c w.c v.c
-c w.c e.c v.c
-c e.c w.c
-c w.c s.s
-c s.s
-c none.c
-c w.c none.c
-c w.c -o sub
-c w.c -o nodir/x.o
-c w.c -o
-c w.c v.c -o q.o
-c w.c -x c h.h -o sub/y.o
-x c -c h.h -o sub/h.o
-x c -c /dev/null -o sub/null.o
-MD -c w.c
-MD -c w.c -o sub/a.b.o
-MD -c w.c -o d.x/nodot
-MD -c w.c -o 'q$x y#.o'
-MD -c w.c v.c
-MMD -MP -c w.c -o sub/z.o
-MD -MF z.d -c w.c -o sub/z.o
-MD -MFz.d -MT foo -MQ 'b$r' -c w.c -o sub/z.o
-MD -MF - -c w.c
-MD -c e.c -o sub/k.o
-Wp,-MMD,wp.d -c w.c -o sub/q.o
-Wp,-MD,wp.d,-MT,x -c w.c -o sub/q.o
@one.rsp
@in.rsp
-c @two.rsp
-c @none.rsp
-fstack-usage -c w.c -o sub/b.o
-save-temps -c w.c -o sub/b.o
-save-temps=obj -c w.c -o sub/b.o
-save-temps=obj -c e.c -o sub/b.o
-g -c w.c -o sub/b.o
-g -gsplit-dwarf -c w.c -o sub/b.o
-g -gsplit-dwarf -c w.c
-c -fsyntax-only w.c
-E w.c
-E w.c -o sub/w.i
-S w.c
-S w.c -o -
-M w.c
-fsyntax-only w.c
-dM -E w.c
-### -c w.c
--version
-dumpversion
-print-file-name=libgcc.a
-nostdlib -r w.c -o sub/all.o
-c w.c -unknown-option-x
""".strip().split("\n")
if CLANG:
    LINES += ["-c -o sub/q.o -- w.c", "-c w.c -o -", "-emit-llvm -c w.c",
              "-flto=thin -c w.c -o sub/l.o", "@one.rsp -o sub/other.o",
              "--serialize-diagnostics w.dia -c w.c -o sub/q.o",
              "-c w.c -o sub/q.o -foptimization-record-file=q.yaml -O2",
              "-fsave-optimization-record -O2 -c w.c -o sub/q.o",
              "--coverage -c w.c -o sub/b.o", "--coverage -c w.c"]
else:
    LINES += ["-c w.c -fcallgraph-info -o sub/b.o",
              "-c w.c -fdump-tree-gimple -o sub/b.o"]


def run(words):
    shutil.rmtree("t", ignore_errors=True)
    for name in ("t/sub", "t/d.x"):
        os.makedirs(name)
    for name, text in SOURCES.items():
        with open(os.path.join("t", name), "w") as f:
            f.write(text)
    os.utime("t/old.o", (1, 1))
    result = subprocess.run(words, cwd="t", stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    files = {}
    for folder, dirs, names in os.walk("t"):
        for name in dirs:
            files[os.path.join(folder, name)] = None
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as f:
                files[path] = f.read()
    return result.returncode, result.stdout, result.stderr, files


def shown(text):
    """Without gcc's temporary names."""
    return re.sub(rb"/\S*/cc\w{6}\.", b"", text)


bad = 0
for line in LINES:
    words = [CC, "-D_KERNEL", "-mno-red-zone"] + shlex.split(line)
    plain = run(words)
    mine = run([KSIMD, "cc", "--no-pass", "--profile", "freebsd"] + words)
    same = plain[0] == mine[0] and plain[3] == mine[3] and (
        "-###" in line or plain[1] == mine[1] and
        shown(plain[2]) == shown(mine[2]))
    if not same:
        bad += 1
        print("differs:", line, plain[:3], mine[:3])
        for path in sorted(set(plain[3]) | set(mine[3])):
            if plain[3].get(path, 0) != mine[3].get(path, 0):
                print("  ", path, path in plain[3], path in mine[3])
assert len(LINES) > 50
sys.exit(bad != 0)
