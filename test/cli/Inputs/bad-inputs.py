# SPDX-License-Identifier: BSD-2-Clause
"""bad-inputs.py KSIMD GCC CLANG FOLDER: makes inputs that are none, and looks
at what ksimd obj says of each."""
import lzma
import os
import shutil
import struct
import subprocess
import sys

ksimd, gcc, clang, folder = sys.argv[1:]
os.chdir(folder)
SOURCE = "int twice(int x) { return x + x; }\n"
with open("f.c", "w") as f:
    f.write(SOURCE)


def call(*command):
    subprocess.run(command, check=True)


def write(name, data):
    with open(name, "wb") as f:
        f.write(data)
    return name


def read(name):
    with open(name, "rb") as f:
        return f.read()


call(gcc, "-c", "-O2", "f.c", "-o", "good.o")
os.mkdir("folder")
call(clang, "--target=aarch64-linux-gnu", "-c", "f.c", "-o", "arm.o")
call(clang, "-emit-llvm", "-c", "f.c", "-o", "bitcode.o")
call("ar", "rc", "good.a", "good.o")
shutil.copy("good.o", "stripped.o")
call("strip", "--strip-all", "stripped.o")
good = read("good.o")
write("mod.ko.xz", lzma.compress(good))
write("mod.ko.zst", bytes.fromhex("28b52ffd") + good)
write("mod.ko.gz", bytes.fromhex("1f8b0800") + good)
# A Linux boot image: boot sector with 0xaa55, then "HdrS" (boot protocol).
image = bytearray(4096)
image[0x1fe:0x200] = struct.pack("<H", 0xaa55)
image[0x202:0x206] = b"HdrS"
write("bzImage", bytes(image))
write("cut.a", read("good.a")[:-len(good) // 2])
write("cut.o", good[:len(good) // 2])
write("empty.o", b"")
write("text.txt", SOURCE.encode())

failures = 0


def refused(name, *words, options=("--profile", "linux")):
    """One line, with the name and one of the words; nothing written."""
    global failures
    result = subprocess.run(
        [ksimd, "obj", "-o", "out.json", "--format", "json", *options, name],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL, timeout=60)
    error = result.stderr.decode("utf-8", "backslashreplace")
    problems = []
    if result.returncode != 2:
        problems.append("status %d" % result.returncode)
    if result.stdout:
        problems.append("standard output")
    if error.count("\n") != 1:
        problems.append("not one line")
    if not error.startswith("ksimd: error: " + name):
        problems.append("no name")
    for word in words:
        if word.lower() not in error.lower():
            problems.append("no '%s'" % word)
    if os.path.exists("out.json"):
        os.unlink("out.json")
        problems.append("wrote a file")
    if problems:
        failures += 1
        print("%s: %s\n  %s" % (name, ", ".join(problems), error))


refused("missing.o", "No such file")
refused("folder", "directory")
refused("text.txt", "text file")
refused("empty.o", "empty")
refused("arm.o", "aarch64")
refused("bitcode.o", "bitcode")
refused("mod.ko.xz", "xz")
refused("mod.ko.zst", "zst")
refused("mod.ko.gz", "gz")
refused("bzImage", "bzImage")
refused("stripped.o", "no symbols")
refused("cut.a", "truncated")
refused("cut.o", "truncated")
refused("/dev/null", "empty")
# No detect line of any profile matches: the known kernels are listed.
refused("good.o", "freebsd", "linux", options=())

# One bad input among good ones: still nothing is written.
result = subprocess.run(
    [ksimd, "obj", "-j", "2", "--profile", "linux", "-o", "out.json", "good.o",
     "text.txt", "good.o", "missing.o"], stdout=subprocess.PIPE,
    stderr=subprocess.PIPE, text=True)
lines = result.stderr.splitlines()
if (result.returncode != 2 or result.stdout or os.path.exists("out.json") or
        len(lines) != 2 or "text.txt" not in lines[0] or
        "missing.o" not in lines[1]):
    failures += 1
    print("several: %s" % result)

# And the good one is good.
result = subprocess.run([ksimd, "obj", "--profile", "linux", "good.o"],
                        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                        text=True)
if result.returncode != 0 or "proven" not in result.stderr:
    failures += 1
    print("good.o: %s" % result)
sys.exit(1 if failures else 0)
