# SPDX-License-Identifier: BSD-2-Clause
#
# LLVM 19 and C++17, for the folders that link or are loaded by it.  Sets
# LLVM_version, LLVM_includedir, LLVM_libdir.
find_program(KSIMD_SRC_LLVM_CONFIG
  NAMES llvm-config-19 llvm-config19 llvm-config HINTS ${LLVM_ROOT}/bin)
mark_as_advanced(KSIMD_SRC_LLVM_CONFIG)
if(NOT KSIMD_SRC_LLVM_CONFIG)
  message(FATAL_ERROR "no LLVM 19: apt-get install llvm-19-dev, "
    "or build without the source front end: -DKSIMD_SRC=OFF")
endif()
foreach(what version includedir libdir)
  execute_process(COMMAND ${KSIMD_SRC_LLVM_CONFIG} --${what}
    OUTPUT_VARIABLE LLVM_${what} OUTPUT_STRIP_TRAILING_WHITESPACE)
endforeach()
if(NOT LLVM_version MATCHES "^19\\.")
  message(FATAL_ERROR "found LLVM ${LLVM_version} (${KSIMD_SRC_LLVM_CONFIG}), "
    "need LLVM 19: give its prefix with -DLLVM_ROOT=DIR, "
    "or build without the source front end: -DKSIMD_SRC=OFF")
endif()

enable_language(CXX)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS ON)
