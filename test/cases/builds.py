# SPDX-License-Identifier: BSD-2-Clause
"""The build words of the manifest, as compiler arguments (README.md)."""

COMMON = ("-std=gnu11 -ffreestanding -fno-asynchronous-unwind-tables "
          "-D_MM_MALLOC_H_INCLUDED -I.").split()
KERNEL = ["-fno-pic", "-mcmodel=kernel", "-mno-red-zone"]
NOSIMD = ["-mno-mmx", "-mno-sse", "-msoft-float"]
BASE = COMMON + KERNEL + NOSIMD
SIMD = COMMON + KERNEL + ["-msse2"]
EHFRAME = ("-ffreestanding -fno-pic -fasynchronous-unwind-tables "
           "-fno-dwarf2-cfi-asm").split()

# Words whose arguments depend on the compiler are functions of it.
WORDS = {
    "asm": [],
    "base": BASE,
    "base-kernel": BASE + ["-D_KERNEL"],
    "base-no87": BASE + ["-mno-80387"],
    "base-x87": COMMON + KERNEL + ["-mno-mmx", "-mno-sse"],
    "no-sse": COMMON + KERNEL + ["-mno-sse", "-DGCC_NO_DOUBLE"],
    "small": COMMON + ["-fno-pic", "-mno-red-zone"] + NOSIMD,
    "redzone": COMMON + ["-fno-pic", "-mcmodel=kernel"] + NOSIMD,
    "pic": COMMON + ["-fPIC", "-mno-red-zone"] + NOSIMD,
    "simd": SIMD,
    "simd-aes": SIMD + ["-maes"],
    "simd-sa16": lambda clang: SIMD + (
        ["-mstack-alignment=16"] if clang
        else ["-mpreferred-stack-boundary=4"]),
    "simd-sa8": lambda clang: SIMD + (
        ["-mstack-alignment=8"] if clang
        else ["-mpreferred-stack-boundary=3"]),
    "avx512bw": COMMON + KERNEL + ["-mavx512f", "-mavx512bw"],
    "base32": COMMON + ["-m32", "-fno-pic"] + NOSIMD,
    "simd32": COMMON + ["-m32", "-fno-pic", "-msse2"],
    "ehframe-small": EHFRAME + ["-mcmodel=small"],
    "ehframe-kernel": EHFRAME + ["-mcmodel=kernel"],
}


def flag_lines(folder):
    """The numbered flag lists behind the words flags-N."""
    lines = {}
    with open(folder + "/B13-flag-order.txt") as f:
        for line in f:
            cols = line.rstrip("\n").split("\t")
            if not line.startswith("#") and len(cols) > 2:
                lines[cols[0]] = cols[2].split()
    return lines


def command(folder, compiler, clang, level, build, source, output):
    """The compiler call for one case."""
    if build.startswith("flags-"):
        flags = flag_lines(folder)[build[len("flags-"):]]
        if "-fPIC" not in flags:
            flags = ["-fno-pic"] + flags
        flags = ["-std=gnu11", "-ffreestanding",
                 "-fno-asynchronous-unwind-tables"] + flags
    else:
        flags = WORDS[build]
        if callable(flags):
            flags = flags(clang)
        if not source.endswith(".S"):
            flags = ["-" + level] + flags
    return [compiler] + flags + ["-c", source, "-o", output]
