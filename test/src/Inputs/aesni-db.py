# SPDX-License-Identifier: BSD-2-Clause
"""Writes the compilation database of examples/aesni in a kernel.

usage: aesni-db.py CLANG SOURCES FOLDER
"""
import json
import os
import sys

clang, sources, folder = sys.argv[1:]
KERNEL = ("-std=gnu17 -ffreestanding -O2 -fno-pic -mcmodel=kernel "
          "-mno-red-zone -mno-mmx -mno-sse -msoft-float -D_KERNEL "
          "-I%s -I%s/kern" % (sources, sources))
FILES = {
    "aes_soft": "",
    "aesni": "",
    "aesni_dispatch": "",
    "aesni_wrap": "-msse2 -maes",
    "aesni_wrap2": "-msse2 -maes",
    "aesni_vaes2": "-maes -mavx2 -mvaes -mvpclmulqdq",
    "aesni_vaes512": "-maes -mavx512bw -mvaes -mvpclmulqdq",
}
with open(os.path.join(folder, "compile_commands.json"), "w") as f:
    json.dump([{"directory": sources, "file": name + ".c",
                "command": "%s %s %s -c %s.c" % (clang, KERNEL, flags, name)}
               for name, flags in FILES.items()], f)
