# SPDX-License-Identifier: BSD-2-Clause
#
# lit: what a test is, and the words that RUN lines may use.  Words are whole
# paths, so that no other version on PATH is taken by mistake.
import os
import shutil
import sys

sys.dont_write_bytecode = True
here = os.path.dirname(os.path.abspath(__file__))
if here not in sys.path:
    sys.path.insert(0, here)
import lit_formats

config.name = "ksimd"
config.test_format = lit_formats.Scripts(False)  # lit's own shell
config.suffixes = [".c", ".ksg", ".ll", ".S", ".s", ".test"]
config.excludes = ["Inputs", "__pycache__", "fuzz", "unit"]
config.test_source_root = here
config.test_exec_root = os.path.join(config.ksimd_build, "test")

# Nothing of the user's environment may change a result.
config.environment = {
    "PATH": os.pathsep.join([config.llvm_bin, "/usr/local/bin", "/usr/bin",
                             "/bin"]),
    "LC_ALL": "C",
    "PYTHONDONTWRITEBYTECODE": "1",
    "KSIMD_PROFILES": os.path.join(config.ksimd_src, "sys-conf", "profiles"),
}
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "HOME", "TMPDIR",
             "KSIMD_REBASE"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

kernel_flags = ("-std=gnu11 -ffreestanding -fno-asynchronous-unwind-tables "
                "-fno-pic -mcmodel=kernel -mno-red-zone "
                "-D_MM_MALLOC_H_INCLUDED")
for word, text in (
        ("%ksimd", os.path.join(config.ksimd_bin, "ksimd")),
        ("%plugin", os.path.join(config.ksimd_build, "lib",
                                  "libksimd-clang.so")),
        ("%pass", os.path.join(config.ksimd_build, "lib",
                                "libksimd-pass.so")),
        ("%clang", os.path.join(config.llvm_bin, "clang")),
        ("%opt", os.path.join(config.llvm_bin, "opt")),
        ("%llvm-link", os.path.join(config.llvm_bin, "llvm-link")),
        ("%gcc", config.gcc),
        ("%FileCheck", os.path.join(config.llvm_bin, "FileCheck")),
        ("%not", os.path.join(config.llvm_bin, "not")),
        ("%split-file", os.path.join(config.llvm_bin, "split-file")),
        ("%python", config.python),
        # %golden EXPECTED ACTUAL: compare whole files
        ("%golden", config.python + " " + os.path.join(here, "golden.py")),
        ("%bin", config.ksimd_bin),
        # Flags of a kernel without, and with SIMD.
        ("%base", kernel_flags + " -mno-mmx -mno-sse -msoft-float"),
        ("%simd", kernel_flags + " -msse2"),
        ("%cases", os.path.join(config.test_source_root, "cases")),
        ("%profiles", os.path.join(config.ksimd_src, "sys-conf", "profiles")),
        ("%src", config.ksimd_src)):
    config.substitutions.append((word + r"\b", text))
# An older LLVM than ours, where there is one.
if shutil.which("clang-14"):
    config.available_features.add("clang-14")
