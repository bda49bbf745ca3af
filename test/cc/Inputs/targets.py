# SPDX-License-Identifier: BSD-2-Clause
"""targets.py KSIMD COMPILER: where an object may go, and what must stay what
it is."""
import os
import signal
import stat
import subprocess
import sys
import threading
import time

KSIMD, CC = sys.argv[1:3]
GOOD = "int f(int n) { return n + 1; }\n"
# SIMD behind a region.
BAD = """typedef int v4 __attribute__((vector_size(16)));
void fpu_kern_enter(void *, void *, unsigned);
int fpu_kern_leave(void *, void *);
void f(v4 *p) { fpu_kern_enter(p, p, 0); fpu_kern_leave(p, p); *p += *p; }
"""
for name, text in (("good.c", GOOD), ("bad.c", BAD)):
    with open(name, "w") as f:
        f.write(text)


def words(source, target, *more):
    return [KSIMD, "cc", "--no-pass", "--profile", "freebsd", "--", CC,
            "-D_KERNEL", "-O2", "-mno-red-zone", "-c", source, "-o", target,
            *more]


def compile_(source, target, status, **kw):
    r = subprocess.run(words(source, target), stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, **kw)
    assert r.returncode == status, (source, target, r)
    left = [n for n in os.listdir(".") if n.startswith(".ksimd")]
    assert not left, left
    assert not os.listdir("tmp"), os.listdir("tmp")
    return r


def is_elf(path):
    with open(path, "rb") as f:
        return f.read(4) == b"\x7fELF"


def same_node(path, before):
    after = os.lstat(path)
    return (after.st_ino, after.st_mode, after.st_rdev) == (
        before.st_ino, before.st_mode, before.st_rdev)


os.mkdir("tmp")
os.environ["TMPDIR"] = os.path.abspath("tmp")

# A regular file, and none; the mode is the umask's.
os.umask(0o027)
compile_("good.c", "new.o", 0)
assert is_elf("new.o") and stat.S_IMODE(os.stat("new.o").st_mode) == 0o640
with open("old.o", "w") as f:
    f.write("old")
os.link("old.o", "other.o")
compile_("good.c", "old.o", 0)
assert is_elf("old.o") and not is_elf("other.o")
compile_("bad.c", "old.o", 1)
assert not os.path.lexists("old.o") and os.path.exists("other.o")

# Devices, those of this machine and one that may be lost.
null = os.lstat("/dev/null")
assert stat.S_ISCHR(null.st_mode)
compile_("good.c", "/dev/null", 0)
assert same_node("/dev/null", null)
compile_("bad.c", "/dev/null", 1)
assert same_node("/dev/null", null)
if os.getuid() == 0:
    try:
        os.mknod("zero", 0o666 | stat.S_IFCHR, os.makedev(1, 5))
    except OSError:
        pass
    else:
        zero = os.lstat("zero")
        compile_("good.c", "zero", 0)
        compile_("bad.c", "zero", 1)
        assert same_node("zero", zero)

# A fifo gets the bytes of a proven object, and nothing of another one.
os.mkfifo("fifo")
fifo = os.lstat("fifo")
got = []
reader = threading.Thread(
    target=lambda: got.append(open("fifo", "rb").read()))
reader.start()
compile_("good.c", "fifo", 0)
reader.join()
assert got[0][:4] == b"\x7fELF" and same_node("fifo", fifo)
compile_("bad.c", "fifo", 1)        # does not even open it
assert same_node("fifo", fifo)

# Standard output by its name.
r = compile_("good.c", "/dev/stdout", 0)
assert r.stdout[:4] == b"\x7fELF"
assert compile_("bad.c", "/dev/stdout", 1).stdout == b""

# Links: as the compilers have it, one to a file is replaced, the file stays;
# one to a device is written through.
with open("file", "w") as f:
    f.write("old")
os.symlink("file", "link.o")
compile_("good.c", "link.o", 0)
assert not os.path.islink("link.o") and is_elf("link.o")
assert open("file").read() == "old"
os.symlink("nowhere", "dangling.o")
compile_("good.c", "dangling.o", 0)
assert is_elf("dangling.o")
os.symlink("/dev/null", "null.o")
compile_("good.c", "null.o", 0)
compile_("bad.c", "null.o", 1)
assert os.readlink("null.o") == "/dev/null" and same_node("/dev/null", null)

# A folder that takes no new files: a file in it is written, a new one is an
# error.  Root may do anything, so it is somebody else for that.
os.mkdir("ro")
with open("ro/old.o", "w") as f:
    f.write("old")
os.chmod("ro/old.o", 0o666)
for name in ("good.c", "bad.c"):
    os.chmod(name, 0o644)
os.chmod(".", 0o755)
os.chmod("tmp", 0o777)
os.chmod("ro", 0o555)


def somebody():
    if os.getuid() == 0:
        os.setgid(65534)
        os.setuid(65534)


try:
    reachable = subprocess.run(
        ["test", "-x", KSIMD, "-a", "-r", os.path.abspath("good.c"), "-a",
         "-w", os.environ["TMPDIR"]], preexec_fn=somebody).returncode == 0
except PermissionError:
    reachable = False
if reachable:
    compile_("good.c", "ro/old.o", 0, preexec_fn=somebody)
    assert is_elf("ro/old.o")
    r = compile_("good.c", "ro/new.o", 2, preexec_fn=somebody)
    assert r.stderr == b"ksimd: error: ro/new.o: Permission denied\n", r
os.chmod("ro", 0o755)


# A signal while the compiler runs: it reads a fifo that nobody writes.
os.mkfifo("slow.h")


def not_ignored():
    for one in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(one, signal.SIG_DFL)


def interrupted(sig, to_group):
    p = subprocess.Popen(words("good.c", "sub.o", "-include", "slow.h"),
                         stdin=subprocess.DEVNULL, start_new_session=True,
                         preexec_fn=not_ignored, stderr=subprocess.PIPE)
    for _ in range(1000):
        if any(n.startswith(".ksimd") for n in os.listdir(".")):
            break
        time.sleep(0.01)
    else:
        raise AssertionError("no temporary folder came")
    time.sleep(0.1)
    (os.killpg if to_group else os.kill)(p.pid, sig)
    # A part of gcc may wait for the fifo still; let it go.
    try:
        p.wait(20)
    finally:
        fd = os.open("slow.h", os.O_RDWR | os.O_NONBLOCK)
        time.sleep(0.2)
        os.close(fd)
    p.stderr.close()
    assert p.returncode == -sig, (sig, p.returncode)
    left = [n for n in os.listdir(".")
            if n.startswith(".ksimd") or n == "sub.o"]
    assert not left, left


for sig in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    interrupted(sig, False)
    interrupted(sig, True)

# A compiler that dies of a signal.
with open("dies-gcc", "w") as f:
    f.write("""#!/bin/sh
for word; do
	case $word in .ksimd-*) echo > "${word%/*}/left" ;; esac
done
kill -SEGV $$
""")
os.chmod("dies-gcc", 0o755)
r = subprocess.run([KSIMD, "cc", "--profile", "freebsd", "./dies-gcc",
                    "-D_KERNEL", "-c", "good.c", "-o", "dead.o"])
assert r.returncode == -signal.SIGSEGV, r
assert not [n for n in os.listdir(".") if n.startswith((".ksimd", "dead"))]
