# SPDX-License-Identifier: BSD-2-Clause
#
# Finds what ksimd needs, and names the Debian package of what is missing.
# All of it is looked for before the build stops, so one run tells all.
# Sets targets ksimd::elf, ksimd::zydis, ksimd::jansson, ksimd::dw (optional)
# and, with BUILD_TESTING, ksimd::cmocka and KSIMD_CLANG, KSIMD_LLVM_BIN,
# KSIMD_LIT, Python3_EXECUTABLE.

set(KSIMD_MISSING "")

function(ksimd_library name header library package)
  find_path(KSIMD_${name}_INCLUDE ${header})
  find_library(KSIMD_${name}_LIBRARY ${library})
  mark_as_advanced(KSIMD_${name}_INCLUDE KSIMD_${name}_LIBRARY)
  if(NOT KSIMD_${name}_INCLUDE OR NOT KSIMD_${name}_LIBRARY)
    if(package)
      set(KSIMD_MISSING ${KSIMD_MISSING} ${package} PARENT_SCOPE)
    endif()
    return()
  endif()
  add_library(ksimd::${name} INTERFACE IMPORTED GLOBAL)
  target_include_directories(ksimd::${name} SYSTEM INTERFACE
    ${KSIMD_${name}_INCLUDE})
  target_link_libraries(ksimd::${name} INTERFACE ${KSIMD_${name}_LIBRARY})
endfunction()

find_package(Threads REQUIRED)
ksimd_library(elf gelf.h elf libelf-dev)
ksimd_library(dw elfutils/libdwfl.h dw "")
ksimd_library(zydis Zydis/Zydis.h Zydis libzydis-dev)
ksimd_library(jansson jansson.h jansson libjansson-dev)
if(BUILD_TESTING)
  ksimd_library(cmocka cmocka.h cmocka libcmocka-dev)
  ksimd_library(crypto openssl/evp.h crypto libssl-dev)

  # LLVM 19, under its own prefix: "clang" on PATH is often another version.
  if(LLVM_ROOT)
    find_program(KSIMD_LLVM_CONFIG llvm-config PATHS ${LLVM_ROOT}/bin
      NO_DEFAULT_PATH NO_CACHE)
  else()
    find_program(KSIMD_LLVM_CONFIG
      NAMES llvm-config-19 llvm-config19 llvm-config NO_CACHE)
  endif()
  if(KSIMD_LLVM_CONFIG)
    execute_process(COMMAND ${KSIMD_LLVM_CONFIG} --version
      OUTPUT_VARIABLE KSIMD_LLVM_VERSION OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT KSIMD_LLVM_VERSION MATCHES "^19\\.")
      message(FATAL_ERROR
        "found LLVM ${KSIMD_LLVM_VERSION} (${KSIMD_LLVM_CONFIG}), need LLVM 19: "
        "install llvm-19-dev, or give its prefix with -DLLVM_ROOT=DIR")
    endif()
    execute_process(COMMAND ${KSIMD_LLVM_CONFIG} --prefix
      OUTPUT_VARIABLE KSIMD_LLVM_PREFIX OUTPUT_STRIP_TRAILING_WHITESPACE)
    set(KSIMD_LLVM_BIN ${KSIMD_LLVM_PREFIX}/bin)
  else()
    list(APPEND KSIMD_MISSING llvm-19-dev)
  endif()

  function(ksimd_file var name package)
    if(KSIMD_LLVM_BIN)
      if(EXISTS ${KSIMD_LLVM_PREFIX}/${name})
        set(${var} ${KSIMD_LLVM_PREFIX}/${name} PARENT_SCOPE)
      else()
        set(KSIMD_MISSING ${KSIMD_MISSING} ${package} PARENT_SCOPE)
      endif()
    endif()
  endfunction()
  ksimd_file(KSIMD_CLANG bin/clang clang-19)
  ksimd_file(KSIMD_FILECHECK bin/FileCheck llvm-19-tools)
  ksimd_file(KSIMD_LIT build/utils/lit/lit.py llvm-19-tools)

  find_package(Python3 COMPONENTS Interpreter QUIET)
  if(NOT Python3_Interpreter_FOUND)
    list(APPEND KSIMD_MISSING python3)
  endif()
endif()

if(KSIMD_MISSING)
  list(REMOVE_DUPLICATES KSIMD_MISSING)
  list(JOIN KSIMD_MISSING " " packages)
  message(FATAL_ERROR "missing packages: apt-get install ${packages}")
endif()
