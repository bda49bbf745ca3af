# SPDX-License-Identifier: BSD-2-Clause
"""builds.py KSIMD COMPILER: make, bmake and ninja build the same with the
compiler and through ksimd cc, build nothing the second time, and build again
what a header changes; a rejected object fails the build, and again."""
import os
import shutil
import subprocess
import sys

KSIMD, CC = sys.argv[1:3]
FLAGS = "-D_KERNEL -O2 -msse2 -mno-red-zone -fno-pic"
SOURCES = {
    "a.c": '#include "h.h"\nint a(void) { return H; }\n',
    "b c.c": "int b(int n) { return n + 1; }\n",
    "h.h": "#define H 1\n",
    "Makefile": """
CFLAGS = %s
all: out/a.o out/b.o
out/a.o: a.c
	$(CC) $(CFLAGS) -MD -MP -c a.c -o $@
out/b.o: b\\ c.c
	$(CC) $(CFLAGS) -MMD -MF out/b.dep -c 'b c.c' -o $@
-include out/a.d
""" % FLAGS,
    "bsd.mk": """
CFLAGS = %s
all: out/a.o out/b.o
out/a.o: a.c
	${CC} ${CFLAGS} -MD -MP -c a.c -o ${.TARGET}
out/b.o:
	${CC} ${CFLAGS} -MMD -MF out/b.dep -c 'b c.c' -o ${.TARGET}
.if exists(out/a.d)
.include "out/a.d"
.endif
""" % FLAGS,
    "build.ninja": """
rule cc
  command = $cc %s -MD -MF $out.d -c $in -o $out
  depfile = $out.d
  deps = gcc
build out/a.o: cc a.c
build out/b.o: cc b$ c.c
""" % FLAGS,
}
BAD = """typedef int v4 __attribute__((vector_size(16)));
void fpu_kern_enter(void *, void *, unsigned);
int fpu_kern_leave(void *, void *);
int a(v4 *p) { fpu_kern_enter(p, p, 0); fpu_kern_leave(p, p); *p += *p;
return 0; }
"""


def command(tool, cc):
    if tool == "ninja":
        with open("t/cc.ninja", "w") as f:
            f.write("cc = %s\ninclude build.ninja\n" % cc)
        return ["ninja", "-v", "-f", "cc.ninja"]
    if tool == "bmake":
        return ["bmake", "-f", "bsd.mk", "CC=" + cc]
    return ["make", "CC=" + cc]


def write(name, text):
    with open(os.path.join("t", name), "w") as f:
        f.write(text)


def files():
    found = {}
    for name in os.listdir("t/out"):
        with open(os.path.join("t/out", name), "rb") as f:
            found[name] = f.read()
    return found


def later(name):
    """Newer than anything that was built."""
    newest = max(os.stat(os.path.join("t/out", n)).st_mtime
                 for n in os.listdir("t/out"))
    os.utime(os.path.join("t", name), (newest + 2, newest + 2))


def run(tool, cc):
    shutil.rmtree("t", ignore_errors=True)
    os.makedirs("t/out")
    for name, text in SOURCES.items():
        write(name, text)
    words = command(tool, cc)

    def build(status=0):
        r = subprocess.run(words, cwd="t", stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True)
        assert (r.returncode != 0) == status, (words, r.stdout)
        # What ninja could not build, it prints twice.
        lines = [one for one in r.stdout.split("\n") if " -c " in one and
                 (tool != "ninja" or one.startswith("["))]
        return len(lines)

    assert build() == 2
    first = files()
    assert build() == 0, tool
    write("h.h", "#define H 2\n")
    later("h.h")
    # ninja keeps the dependencies to itself and the file away.
    assert build() == 1, tool
    assert files()["a.o"] != first["a.o"]
    if cc.startswith(KSIMD):
        write("a.c", BAD)
        later("a.c")
        assert build(1) == 1, tool
        assert "a.o" not in files()
        assert build(1) == 1, "a rejected object is not built again"
    return first


for tool in ("make", "bmake", "ninja"):
    plain = run(tool, CC)
    mine = run(tool, "%s cc --no-pass --profile freebsd -- %s" % (KSIMD, CC))
    assert plain == mine, (tool, sorted(plain), sorted(mine))
    assert {"a.o", "b.o"} <= set(plain)
    assert tool == "ninja" or {"a.d", "b.dep"} <= set(plain), sorted(plain)
