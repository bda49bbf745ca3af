// RUN: %gcc -O2 -ffreestanding -fno-pic -mno-red-zone -fasynchronous-unwind-tables -fno-dwarf2-cfi-asm -c %s -o %t.o
// RUN: %not %ksimd obj --profile freebsd %t.o 2>&1 | %FileCheck %s --implicit-check-not='{{(warning|error)}}:'
// RUN: %gcc -O2 -ffreestanding -fno-pic -mno-red-zone -fasynchronous-unwind-tables -fno-dwarf2-cfi-asm -mcmodel=kernel -c %s -o %t-kernel.o
// RUN: %ksimd obj --profile freebsd %t-kernel.o
// RUN: %ksimd obj --profile freebsd --kernbase 0x400000 %t.o
// RUN: %gcc -m32 -O2 -ffreestanding -fno-pic -c %s -o %t-32.o
// RUN: %ksimd obj --profile freebsd %t-32.o
// RUN: printf 'ENTRY(bad_string)\nSECTIONS { . = 0xffffffff80000000; .text : { *(.text) } .rodata : { *(.rodata*) } .eh_frame : { *(.eh_frame) } }\n' > %t.ld
// RUN: %not ld -T %t.ld %t.o -o %t.elf 2> %t.err
// RUN: %FileCheck %s --check-prefix=LD < %t.err
// RUN: ld -T %t.ld %t-kernel.o -o %t.elf
// obj-reloc-range: code and unwind tables of the small code model cannot hold
// an address of a kernel in the top 2 GiB.  The linker agrees.
// SPDX-License-Identifier: BSD-2-Clause

// CHECK-DAG: :bad_string+0x1: error: R_X86_64_32 against '.rodata{{.*}}' cannot hold 0xffffffff81{{.*}}: {{.*}}-mcmodel=kernel {{.*}} [obj-reloc-range]
// CHECK-DAG: .o:.eh_frame+0x20: error: R_X86_64_32 against '.text{{.*}}' cannot hold 0xffffffff81{{.*}} (the first of 2): {{.*}}-fno-asynchronous-unwind-tables [obj-reloc-range]
// LD-DAG: .text+0x1): relocation truncated to fit: R_X86_64_32
// LD-DAG: .eh_frame+0x20): relocation truncated to fit: R_X86_64_32
const char *bad_string(void);
int good_sum(int, int);

const char *
bad_string(void)
{
	return "a string";
}

int
good_sum(int a, int b)
{
	return a + b;
}
