#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Makes the seeds of elf_fuzz from test/obj/Inputs/mangle.c: small objects of
# each kind that the reader knows.
set -eu
cd "$(dirname "$0")/seeds/elf"
src=../../../obj/Inputs/mangle.c
flags="-Os -ffreestanding -fno-pic -mno-red-zone -fno-asynchronous-unwind-tables -fno-ident"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
gcc $flags -mcmodel=kernel -c "$src" -o amd64.o
gcc $flags -m32 -c "$src" -o i386.o
ld -e entry --unresolved-symbols=ignore-all -z max-page-size=16 \
    -Ttext=0xffffffff81000000 amd64.o -o linked
cp linked stripped
strip stripped
echo '.globl f; f: movaps %xmm0, %xmm1; ret' > "$tmp/f.s"
as "$tmp/f.s" -o "$tmp/f.o"
rm -f lib.a
(cd "$tmp" && ar rcD lib.a f.o f.o)
cp "$tmp/lib.a" .
