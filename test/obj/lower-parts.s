# RUN: %clang -c %s -o %t.o
# RUN: %not %ksimd obj --profile linux %t.o 2>&1 | %FileCheck %s --implicit-check-not='{{(warning|error)}}:'
# Flags that are written as a part of a register or a slot, and read as a
# part of something else that the whole was copied to.
# SPDX-License-Identifier: BSD-2-Clause
# A function that enters a region if %edi is not 0, and leaves it if TEST says
# so; MAKE keeps the flag, COPY copies it behind the call.
	.macro	flag name, make, copy, test
	.globl	\name
	.type	\name, @function
\name:
	push	%rbx
	push	%rbp
	sub	$24, %rsp
	mov	%rsi, %rbx
	mov	%rsi, 8(%rsp)
	test	%edi, %edi
	\make
	test	%edi, %edi
	je	1f
	call	kernel_fpu_begin
	movaps	%xmm0, %xmm1
1:	call	other
	\copy
	\test
	je	2f
	call	kernel_fpu_end
2:	add	$24, %rsp
	pop	%rbp
	pop	%rbx
	ret
	.size	\name, . - \name
	.endm

	.text
	flag	good_register, "setne %bl", "mov %ebx, %ebp", "test %bpl, %bpl"
	flag	good_wide, "setne %bl", "mov %rbx, %rbp", "test $1, %bpl"
	flag	good_spilled, "setne %bl; mov %ebx, 16(%rsp)", "", "cmpb $0, 16(%rsp)"
	flag	good_reloaded, "setne %bl; mov %ebx, 16(%rsp)", "mov 16(%rsp), %ecx", "test %cl, %cl"
	flag	good_stored, "setne 8(%rsp)", "mov 8(%rsp), %rcx", "test %cl, %cl"
	flag	good_moved, "setne %bl; mov %bl, 8(%rsp)", "mov 8(%rsp), %rcx", "test %cl, %cl"
	flag	good_extended, "setne %bl; movzbl %bl, %ebp", "mov %ebx, %eax", "cmp %al, %al; test %ebp, %ebp"
	flag	good_low_bits, "setne %bl", "mov %ebx, %ebp", "test $0x1, %ebp"
# Bits that the byte is no part of.
# CHECK-DAG: :bad_above{{.*}}: error: {{.*}} [region-differs-on-join]
# CHECK-DAG: :bad_above{{.*}}: error: {{.*}} [region-not-left]
	flag	bad_above, "setne %bl", "mov %ebx, %ebp", "test $0x100, %ebp"
# CHECK-DAG: :bad_whole{{.*}}: error: {{.*}} [region-differs-on-join]
	flag	bad_whole, "setne %bl", "mov %ebx, %ebp", "test %ebp, %ebp"
# CHECK-DAG: :bad_slot{{.*}}: error: {{.*}} [region-differs-on-join]
	flag	bad_slot, "setne %bl; mov %ebx, 16(%rsp)", "", "cmpl $0, 16(%rsp)"
# CHECK-DAG: :bad_next{{.*}}: error: {{.*}} [region-differs-on-join]
# CHECK-DAG: :bad_next{{.*}}: error: {{.*}} [region-not-left]
	flag	bad_next, "setne 8(%rsp)", "mov 8(%rsp), %rcx", "test %ch, %ch"
# The byte is another one by then.
# CHECK-DAG: :bad_written{{.*}}: error: {{.*}} [region-differs-on-join]
# CHECK-DAG: :bad_written{{.*}}: error: {{.*}} [region-not-left]
	flag	bad_written, "setne %bl; mov %sil, %bl", "mov %ebx, %ebp", "test %bpl, %bpl"
# CHECK-DAG: :bad_part{{.*}}: error: {{.*}} [region-differs-on-join]
# CHECK-DAG: :bad_part{{.*}}: error: {{.*}} [region-not-left]
	flag	bad_part, "setne 8(%rsp); mov %sil, 8(%rsp)", "mov 8(%rsp), %rcx", "test %cl, %cl"
# CHECK-DAG: :bad_word{{.*}}: error: {{.*}} [region-differs-on-join]
# CHECK-DAG: :bad_word{{.*}}: error: {{.*}} [region-not-left]
	flag	bad_word, "setne %bl; mov %si, %bx", "mov %ebx, %ebp", "test %bpl, %bpl"
# The upper half is 0 after the first.
	flag	good_kept, "mov %rdi, %rbx", "or %rbx, %rbx", "test %ebx, %ebx"
	flag	good_cleared, "mov %rdi, %rbx", "and %ebx, %ebx", "test %rbx, %rbx"
# CHECK-DAG: :bad_cleared{{.*}}: error: {{.*}} [region-not-left]
	flag	bad_cleared, "xor %edi, %edi; test %rbx, %rbx; setne %dil", "and %ebx, %ebx", "test %rbx, %rbx"
# The flag is some bits of what is tested first, and kept elsewhere only.
	.macro	masked name, make
	.globl	\name
	.type	\name, @function
\name:
	sub	$24, %rsp
	mov	%esi, 8(%rsp)
	\make
	cmp	$0, %edi
	mov	%esi, %edi
	je	1f
	call	kernel_fpu_begin
	movaps	%xmm0, %xmm1
1:	call	other
	cmpl	$0, 8(%rsp)
	je	2f
	call	kernel_fpu_end
2:	add	$24, %rsp
	ret
	.size	\name, . - \name
	.endm
	masked	good_masked, "and $6, %edi; mov %edi, 8(%rsp)"
	masked	good_one, "and $4, %edi; mov %edi, 8(%rsp)"
	masked	good_shifted, "shr $3, %edi; mov %edi, 8(%rsp)"
# CHECK-DAG: :bad_masked{{.*}}: error: {{.*}} [region-differs-on-join]
	masked	bad_masked, "mov %edi, 8(%rsp); and $6, %edi"
# A function that returns a byte tells nothing of what is above it.
	.macro	asked name, test
	.type	begin_\name, @function
begin_\name:
	test	%edi, %edi
	je	1f
	call	kernel_fpu_begin
	movaps	%xmm0, %xmm1
	mov	$1, %al
	ret
1:	mov	$0, %al
	ret
	.size	begin_\name, . - begin_\name
	.globl	\name
	.type	\name, @function
\name:
	call	begin_\name
	\test
	je	1f
	call	kernel_fpu_end
1:	ret
	.size	\name, . - \name
	.endm
	asked	good_result, "test %al, %al"
	asked	good_extended_result, "movzbl %al, %eax; test %eax, %eax"
# CHECK-DAG: :bad_result{{.*}}: error: {{.*}} [region-differs-on-join]
	asked	bad_result, "test %eax, %eax"
# A flag that is counted up from another constant, as compilers do for size.
	.macro	counted name, yes, no
	.globl	\name
	.type	\name, @function
\name:
	push	%rbx
	test	%edi, %edi
	je	1f
	call	kernel_fpu_begin
	movaps	%xmm0, %xmm1
	\yes
	jmp	2f
1:	\no
2:	call	other
	test	%ebx, %ebx
	je	3f
	call	kernel_fpu_end
3:	pop	%rbx
	ret
	.size	\name, . - \name
	.endm
	counted	good_counted, "xor %ebx, %ebx; inc %ebx", "xor %ebx, %ebx"
	counted	good_added, "mov $8, %ebx; sub $7, %ebx", "mov $-1, %ebx; add $1, %ebx"
	counted	good_down, "mov $0, %rbx; dec %rbx", "mov $1, %ebx; dec %rbx"
# CHECK-DAG: :bad_wrapped{{.*}}: error: {{.*}} [region-not-left]
	counted	bad_wrapped, "mov $-1, %ebx; inc %ebx", "xor %ebx, %ebx"
# CHECK-DAG: :bad_counted{{.*}}: error: {{.*}} [region-not-left]
	counted	bad_counted, "xor %ebx, %ebx; 4: inc %ebx; dec %esi; jne 4b", "xor %ebx, %ebx"
