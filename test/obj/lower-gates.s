# RUN: %clang -c %s -o %t.o
# RUN: %ksimd obj --profile linux --emit-graph=%t.ksg %t.o || true
# RUN: %FileCheck --match-full-lines %s < %t.ksg
# What a branch says of the CPU: bits of a CPUID leaf by test, bt, and, shift,
# through copies and setcc; several bits by an equality; XCR0; a variable; nothing
# if the leaf is not known or the bits are some of several.
# SPDX-License-Identifier: BSD-2-Clause
	.macro	fn name
	.globl	\name
	.type	\name, @function
\name:
	.endm

	.text
# CHECK-LABEL: func test_bit section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 set %rax = ? off 7
# CHECK-NEXT: node 2 nop off 7
# CHECK-NEXT: node 3 simd classes xmm isa sse text "movaps %xmm0, %xmm1" off 17
# CHECK-NEXT: node 4 return %rax off 20
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3 gate cpuid 1 ecx 0x2000000
# CHECK-NEXT: edge 2 4
# CHECK-NEXT: edge 3 4
	fn	test_bit
	mov	$1, %eax
	xor	%ecx, %ecx
	cpuid
	test	$0x2000000, %ecx
	je	1f
	movaps	%xmm0, %xmm1
1:	ret
	.size	test_bit, . - test_bit

# CHECK-LABEL: func and_bit section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 set %rax = ? off 7
# CHECK-NEXT: node 2 nop off 9
# CHECK-NEXT: node 3 simd classes xmm isa sse text "movaps %xmm0, %xmm1" off 17
# CHECK-NEXT: node 4 return %rax off 20
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3 gate cpuid 1 ecx 0x2000000
# CHECK-NEXT: edge 2 4
# CHECK-NEXT: edge 3 4
	fn	and_bit
	mov	$1, %eax
	xor	%ecx, %ecx
	cpuid
	and	$0x2000000, %ecx
	je	1f
	movaps	%xmm0, %xmm1
1:	ret
	.size	and_bit, . - and_bit

# CHECK-LABEL: func bt_bit section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 set %rax = ? off 7
# CHECK-NEXT: node 2 nop off 7
# CHECK-NEXT: node 3 simd classes xmm isa sse text "movaps %xmm0, %xmm1" off 15
# CHECK-NEXT: node 4 return %rax off 18
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3 gate cpuid 1 ecx 0x2000000
# CHECK-NEXT: edge 2 4
# CHECK-NEXT: edge 3 4
	fn	bt_bit
	mov	$1, %eax
	xor	%ecx, %ecx
	cpuid
	bt	$25, %ecx
	jae	1f
	movaps	%xmm0, %xmm1
1:	ret
	.size	bt_bit, . - bt_bit

# CHECK-LABEL: func shift_bit section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 set %rax = ? off 7
# CHECK-NEXT: node 2 nop off 12
# CHECK-NEXT: node 3 simd classes xmm isa sse text "movaps %xmm0, %xmm1" off 20
# CHECK-NEXT: node 4 return %rax off 23
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3 gate cpuid 1 ecx 0x2000000
# CHECK-NEXT: edge 2 4
# CHECK-NEXT: edge 3 4
	fn	shift_bit
	mov	$1, %eax
	xor	%ecx, %ecx
	cpuid
	shr	$25, %ecx
	and	$1, %ecx
	cmp	$1, %ecx
	jne	1f
	movaps	%xmm0, %xmm1
1:	ret
	.size	shift_bit, . - shift_bit

# CHECK-LABEL: func high_byte section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 set %rax = ? off 7
# CHECK-NEXT: node 2 nop off 7
# CHECK-NEXT: node 3 simd classes xmm isa sse text "movaps %xmm0, %xmm1" off 14
# CHECK-NEXT: node 4 return %rax off 17
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3 gate cpuid 1 ecx 512
# CHECK-NEXT: edge 2 4
# CHECK-NEXT: edge 3 4
	fn	high_byte
	mov	$1, %eax
	xor	%ecx, %ecx
	cpuid
	test	$2, %ch
	je	1f
	movaps	%xmm0, %xmm1
1:	ret
	.size	high_byte, . - high_byte

# CHECK-LABEL: func copied section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 set %rax = ? off 7
# CHECK-NEXT: node 2 set %rcx = ? off 7
# CHECK-NEXT: node 3 set %rsi = zext 32 %rcx off 9
# CHECK-NEXT: node 4 nop off 11
# CHECK-NEXT: node 5 simd classes xmm isa sse text "movaps %xmm0, %xmm1" off 21
# CHECK-NEXT: node 6 return %rax off 24
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
# CHECK-NEXT: edge 4 5 if %rsi in 2..3/2 gate cpuid 1 ecx 2
# CHECK-NEXT: edge 4 6 if %rsi in 0..1/2
# CHECK-NEXT: edge 5 6
	fn	copied
	mov	$1, %eax
	xor	%ecx, %ecx
	cpuid
	mov	%ecx, %esi
	xor	%ecx, %ecx
	test	$2, %esi
	je	1f
	movaps	%xmm0, %xmm1
1:	ret
	.size	copied, . - copied

# CHECK-LABEL: func sign section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 set %rax = ? off 7
# CHECK-NEXT: node 2 nop off 7
# CHECK-NEXT: node 3 simd classes xmm isa sse text "movaps %xmm0, %xmm1" off 13
# CHECK-NEXT: node 4 return %rax off 16
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3 gate cpuid 1 edx 0x80000000
# CHECK-NEXT: edge 2 4
# CHECK-NEXT: edge 3 4
	fn	sign
	mov	$1, %eax
	xor	%ecx, %ecx
	cpuid
	test	%edx, %edx
	jns	1f
	movaps	%xmm0, %xmm1
1:	ret
	.size	sign, . - sign

# CHECK-LABEL: func set section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 set %rax.1 = ? off 13
# CHECK-NEXT: node 2 set %rax = low 8 %rax.1 off 13
# CHECK-NEXT: node 3 simd classes xmm isa sse text "movaps %xmm0, %xmm1" off 20
# CHECK-NEXT: node 4 return %rax off 23
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3 if %rax.1 in 1..255/8 gate cpuid 1 ecx 0x2000000
# CHECK-NEXT: edge 2 4 if %rax.1 in 0/8
# CHECK-NEXT: edge 3 4
	fn	set
	mov	$1, %eax
	xor	%ecx, %ecx
	cpuid
	bt	$25, %ecx
	setb	%al
	test	%al, %al
	je	1f
	movaps	%xmm0, %xmm1
1:	ret
	.size	set, . - set

# CHECK-LABEL: func unset section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 set %rax.1 = ? off 15
# CHECK-NEXT: node 2 set %rax = low 8 %rax.1 off 15
# CHECK-NEXT: node 3 simd classes xmm isa sse text "movaps %xmm0, %xmm1" off 21
# CHECK-NEXT: node 4 return %rax off 24
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3 if %rax.1 in 1/1 gate cpuid 1 ecx 2
# CHECK-NEXT: edge 2 4 if %rax.1 in 0/1
# CHECK-NEXT: edge 3 4
	fn	unset
	mov	$1, %eax
	xor	%ecx, %ecx
	cpuid
	test	$2, %cl
	sete	%al
	xor	$1, %al
	test	$1, %al
	je	1f
	movaps	%xmm0, %xmm1
1:	ret
	.size	unset, . - unset

# CHECK-LABEL: func subleaf section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 set %rax = ? off 7
# CHECK-NEXT: node 2 nop off 7
# CHECK-NEXT: node 3 simd classes xmm isa sse text "movaps %xmm0, %xmm1" off 14
# CHECK-NEXT: node 4 return %rax off 17
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3 gate cpuid 7 ebx 32
# CHECK-NEXT: edge 2 4
# CHECK-NEXT: edge 3 4
	fn	subleaf
	mov	$7, %eax
	xor	%ecx, %ecx
	cpuid
	test	$0x20, %bl
	je	1f
	movaps	%xmm0, %xmm1
1:	ret
	.size	subleaf, . - subleaf

# CHECK-LABEL: func equal section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 set %rax = ? off 7
# CHECK-NEXT: node 2 nop off 9
# CHECK-NEXT: node 3 simd classes xmm isa sse text "movaps %xmm0, %xmm1" off 17
# CHECK-NEXT: node 4 return %rax off 20
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3 gate cpuid 7 ebx 40
# CHECK-NEXT: edge 2 4
# CHECK-NEXT: edge 3 4
	fn	equal
	mov	$7, %eax
	xor	%ecx, %ecx
	cpuid
	and	$0x28, %ebx
	cmp	$0x28, %ebx
	jne	1f
	movaps	%xmm0, %xmm1
1:	ret
	.size	equal, . - equal

# CHECK-LABEL: func inverted section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 set %rax = ? off 7
# CHECK-NEXT: node 2 nop off 9
# CHECK-NEXT: node 3 simd classes xmm isa sse text "movaps %xmm0, %xmm1" off 19
# CHECK-NEXT: node 4 return %rax off 22
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3 gate cpuid 7 ebx 40
# CHECK-NEXT: edge 2 4
# CHECK-NEXT: edge 3 4
	fn	inverted
	mov	$7, %eax
	xor	%ecx, %ecx
	cpuid
	not	%ebx
	test	$0x28, %ebx
	jne	1f
	movaps	%xmm0, %xmm1
1:	ret
	.size	inverted, . - inverted

# CHECK-LABEL: func some section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 set %rax = ? off 7
# CHECK-NEXT: node 2 nop off 7
# CHECK-NEXT: node 3 simd classes xmm isa sse text "movaps %xmm0, %xmm1" off 17
# CHECK-NEXT: node 4 return %rax off 20
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 2 4
# CHECK-NEXT: edge 3 4
	fn	some
	mov	$7, %eax
	xor	%ecx, %ecx
	cpuid
	test	$0x28, %ebx
	je	1f
	movaps	%xmm0, %xmm1
1:	ret
	.size	some, . - some

# CHECK-LABEL: func leaf_unknown section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 set %rax = ? off 2
# CHECK-NEXT: node 2 nop off 2
# CHECK-NEXT: node 3 simd classes xmm isa sse text "movaps %xmm0, %xmm1" off 12
# CHECK-NEXT: node 4 return %rax off 15
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 2 4
# CHECK-NEXT: edge 3 4
	fn	leaf_unknown
	mov	%edi, %eax
	cpuid
	test	$2, %ecx
	je	1f
	movaps	%xmm0, %xmm1
1:	ret
	.size	leaf_unknown, . - leaf_unknown

# CHECK-LABEL: func subleaf_unknown section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 set %rax = ? off 7
# CHECK-NEXT: node 2 nop off 7
# CHECK-NEXT: node 3 simd classes xmm isa sse text "movaps %xmm0, %xmm1" off 17
# CHECK-NEXT: node 4 return %rax off 20
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 2 4
# CHECK-NEXT: edge 3 4
	fn	subleaf_unknown
	mov	$7, %eax
	mov	%edi, %ecx
	cpuid
	test	$0x20, %ebx
	je	1f
	movaps	%xmm0, %xmm1
1:	ret
	.size	subleaf_unknown, . - subleaf_unknown

# CHECK-LABEL: func xcr0 section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 set %rax = ? off 5
# CHECK-NEXT: node 2 simd classes xmm isa sse text "movaps %xmm0, %xmm1" off 13
# CHECK-NEXT: node 3 return %rax off 16
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2 if %rax in 6/32 gate xcr0 6
# CHECK-NEXT: edge 1 3 if %rax in 7..5/32
# CHECK-NEXT: edge 2 3
	fn	xcr0
	xor	%ecx, %ecx
	xgetbv
	and	$6, %eax
	cmp	$6, %eax
	jne	1f
	movaps	%xmm0, %xmm1
1:	ret
	.size	xcr0, . - xcr0

# CHECK-LABEL: func variable section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 nop off 7
# CHECK-NEXT: node 2 simd classes xmm isa sse text "movaps %xmm0, %xmm1" off 9
# CHECK-NEXT: node 3 return %rax off 12
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2 gate var "features" 4 32
# CHECK-NEXT: edge 1 3
# CHECK-NEXT: edge 2 3
	fn	variable
	testb	$0x20, features+4(%rip)
	je	1f
	movaps	%xmm0, %xmm1
1:	ret
	.size	variable, . - variable

# CHECK-LABEL: func variable_load section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 set %rax = ?
# CHECK-NEXT: node 2 simd classes xmm isa sse text "movaps %xmm0, %xmm1" off 14
# CHECK-NEXT: node 3 return %rax off 17
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2 if %rax in 0x2000000000..0x3fffffffff/38 gate var "features" 0 0x2000000000
# CHECK-NEXT: edge 1 3 if %rax in 0..0x1fffffffff/38
# CHECK-NEXT: edge 2 3
	fn	variable_load
	mov	features(%rip), %rax
	bt	$37, %rax
	jae	1f
	movaps	%xmm0, %xmm1
1:	ret
	.size	variable_load, . - variable_load

# CHECK-LABEL: func variable_compare section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 nop off 7
# CHECK-NEXT: node 2 simd classes xmm isa sse text "movaps %xmm0, %xmm1" off 9
# CHECK-NEXT: node 3 return %rax off 12
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 1 3
# CHECK-NEXT: edge 2 3
	fn	variable_compare
	cmpb	$0, enabled(%rip)
	je	1f
	movaps	%xmm0, %xmm1
1:	ret
	.size	variable_compare, . - variable_compare

# CHECK-LABEL: func variable_based section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 nop
# CHECK-NEXT: node 2 simd classes xmm isa sse text "movaps %xmm0, %xmm1" off 16
# CHECK-NEXT: node 3 return %rax off 19
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2 gate var "features" 4 8
# CHECK-NEXT: edge 1 3
# CHECK-NEXT: edge 2 3
	fn	variable_based
	lea	features(%rip), %rdx
	testl	$8, 4(%rdx)
	je	1f
	movaps	%xmm0, %xmm1
1:	ret
	.size	variable_based, . - variable_based

# CHECK-LABEL: func chosen section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 set %rax = %rdi off 11
# CHECK-NEXT: node 2 nop off 14
# CHECK-NEXT: node 3 set %rax = %rsi off 14
# CHECK-NEXT: node 4 simd classes xmm isa sse text "movaps %xmm0, %xmm1" off 18
# CHECK-NEXT: node 5 return %rax off 21
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3 gate cpuid 1 ecx 0x2000000
# CHECK-NEXT: edge 2 4
# CHECK-NEXT: edge 3 4
# CHECK-NEXT: edge 4 5
	fn	chosen
	mov	$1, %eax
	cpuid
	bt	$25, %ecx
	mov	%rdi, %rax
	cmovb	%rsi, %rax
	movaps	%xmm0, %xmm1
	ret
	.size	chosen, . - chosen
