#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
#
# Takes the ELF kernel out of a Linux x86 boot image (vmlinuz), for
# `ksimd obj --btf': the kernel's types are in its .BTF section.
#
# usage: bench/vmlinux.py [--btf] VMLINUZ OUT
#
# With --btf, only its types.
#
# The boot protocol (Documentation/arch/x86/boot.rst) says where the payload
# is; its first bytes say how it is compressed.
import lzma
import struct
import subprocess
import sys
import zlib


def unpack(data):
    if data[:6] == b"\xfd7zXZ\0":
        return lzma.LZMADecompressor().decompress(data)
    if data[:2] == b"\x1f\x8b":
        return zlib.decompressobj(31).decompress(data)
    # Four bytes behind the payload are the size of what it unpacks to.
    if data[:4] == b"\x28\xb5\x2f\xfd":
        return subprocess.run(["zstd", "-dcq"], input=data[:-4],
                              stdout=subprocess.PIPE, check=True).stdout
    return data


def section(elf, name):
    shoff, = struct.unpack_from("<Q", elf, 0x28)
    entsize, number, names = struct.unpack_from("<3H", elf, 0x3a)
    heads = [struct.unpack_from("<IIQQQQ", elf, shoff + i * entsize)
             for i in range(number)]
    for head in heads:
        start = heads[names][4] + head[0]
        if elf[start:elf.index(b"\0", start)] == name:
            return elf[head[4]:head[4] + head[5]]
    return None


def main():
    argv = [a for a in sys.argv if a != "--btf"]
    if len(argv) != 3:
        sys.exit("usage: vmlinux.py [--btf] VMLINUZ OUT")
    with open(argv[1], "rb") as f:
        image = f.read()
    if len(image) < 0x250 or image[0x202:0x206] != b"HdrS":
        sys.exit(argv[1] + ": no boot image of Linux for x86")
    protocol, = struct.unpack_from("<H", image, 0x206)
    if protocol < 0x208:
        sys.exit(argv[1] + ": a boot protocol before 2.08")
    start, size = struct.unpack_from("<2I", image, 0x248)
    start += ((image[0x1f1] or 4) + 1) * 512
    elf = unpack(image[start:start + size])
    if elf[:4] != b"\x7fELF":
        sys.exit(argv[1] + ": the kernel is packed in an unknown way")
    if len(argv) < len(sys.argv):
        elf = section(elf, b".BTF")
        if elf is None:
            sys.exit(argv[1] + ": the kernel has no BTF")
    with open(argv[2], "wb") as f:
        f.write(elf)


main()
