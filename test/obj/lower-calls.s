# RUN: %clang -c %s -o %t.o
# RUN: %ksimd obj --profile linux --emit-graph=%t.ksg %t.o || true
# RUN: %FileCheck --match-full-lines %s < %t.ksg
# RUN: %FileCheck %s --check-prefix=SYM < %t.ksg
# Indirect calls and the cells their pointers were loaded from: a variable, a
# table, a field of a record that is a parameter, the table that callers pass,
# the table whose address is in a known cell or at an offset of some record;
# what data and code store there; where addresses of functions escape.
# SPDX-License-Identifier: BSD-2-Clause
# SYM-DAG: sym work exported addr-taken escapes text "in exported data"
# SYM-DAG: sym hidden local addr-taken{{$}}
# SYM-DAG: sym handed local addr-taken{{$}}
# SYM-DAG: sym tabled local addr-taken escapes text "passed to 'register_all'"
# SYM-DAG: store "cell:table+8" work
# SYM-DAG: store "tab:table" work
# SYM-DAG: store "off:8" work
# SYM-DAG: store "arg:user#{{[0-9]+}}.0+0" work
# SYM-DAG: store "arg:user#{{[0-9]+}}.0+0" hidden
# SYM-DAG: store "off:40" hidden
# SYM-DAG: store "cell:pointer2#{{.*}}+0" hidden
# SYM-DAG: store "static:hook" hidden
# SYM-DAG: store "cell:ops4#{{.*}}+16" tabled
# SYM-DAG: store "at:pointer#{{.*}}+0.0" hidden
# SYM-DAG: store "at:ops3#{{.*}}+8.16" tabled
# SYM-DAG: store "path:32.0" hidden
# SYM-DAG: store "path:8.16" tabled
# An array of records: the second one's pointer is at offset 8 of a record, too.
# SYM-DAG: store "off:32" handed
# SYM-DAG: store "off:8" handed
	.macro	fn name
	.globl	\name
	.type	\name, @function
\name:
	.endm

	.text
# CHECK-LABEL: func work section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 return %rax off 3
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
	fn	work
	movaps	%xmm0, %xmm1
	ret
	.size	work, . - work

	.type	hidden, @function
hidden:
	movaps	%xmm0, %xmm2
	ret
	.size	hidden, . - hidden

	.type	handed, @function
handed:
	movaps	%xmm0, %xmm3
	ret
	.size	handed, . - handed

	.type	tabled, @function
tabled:
	movaps	%xmm0, %xmm4
	ret
	.size	tabled, . - tabled

# CHECK-LABEL: func cells section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 call *? (%rdi, %rsi, %rdx, %rcx, %r8, %r9) key "cell:table+8" off 3
# CHECK-NEXT: node 3 set %rax = ? off 9
# CHECK-NEXT: node 4 call *%rax (%rdi, %rsi, %rdx, %rcx, %r8, %r9) key "cell:table+0" off 16
# CHECK-NEXT: node 5 call *? (%rdi, %rsi, %rdx, %rcx, %r8, %r9) -> %rax off 18
# CHECK-NEXT: node 6 return %rax off 21
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
# CHECK-NEXT: edge 4 5
# CHECK-NEXT: edge 5 6
	fn	cells
	movaps	%xmm0, %xmm1
	call	*table+8(%rip)
	mov	table(%rip), %rax
	call	*%rax
	call	*8(%rdi)
	ret
	.size	cells, . - cells

# CHECK-LABEL: func entries section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 call *? (%rdi, %rsi, %rdx, %rcx, %r8, %r9) key "tab:table" off 6
# CHECK-NEXT: node 3 set %rax = ? off 20
# CHECK-NEXT: node 4 call *%rax (%rdi, %rsi, %rdx, %rcx, %r8, %r9) -> %rax key "tab:table" off 24
# CHECK-NEXT: node 5 return %rax off 26
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
# CHECK-NEXT: edge 4 5
	fn	entries
	movaps	%xmm0, %xmm1
	mov	%rdi, %rbx
	call	*table(,%rbx,8)
	lea	table(%rip), %rax
	mov	(%rax,%rbx,8), %rax
	call	*%rax
	ret
	.size	entries, . - entries

# CHECK-LABEL: func known section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 call *? (%rdi, %rsi, %rdx, %rcx, %r8, %r9) key "cell:table+8" off 10
# CHECK-NEXT: node 3 call hidden (%rdi, %rsi, %rdx, %rcx, %r8, %r9) -> %rax off 20
# CHECK-NEXT: node 4 return %rax off 22
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
	fn	known
	movaps	%xmm0, %xmm1
	lea	table(%rip), %rbx
	call	*8(%rbx)
	lea	hidden(%rip), %rax
	call	*%rax
	ret
	.size	known, . - known

# CHECK-LABEL: func fields section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 call *? (%rdi, %rsi, %rdx, %rcx, %r8, %r9) key "off:16" off 13
# CHECK-NEXT: node 3 call *? (%rdi, %rsi, %rdx, %rcx, %r8, %r9) key "off:24" off 21
# CHECK-NEXT: node 4 call *? (%rdi, %rsi, %rdx, %rcx, %r8, %r9) key "path:32.8" off 33
# CHECK-NEXT: node 5 call *? (%rdi, %rsi, %rdx, %rcx, %r8, %r9) key "at:pointer#6:0@{{.*}}+0.0" off 43
# CHECK-NEXT: node 6 call *? (%rdi, %rsi, %rdx, %rcx, %r8, %r9) -> %rax tail off 50
# CHECK-NEXT: node 7 return %rax off 50
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
# CHECK-NEXT: edge 4 5
# CHECK-NEXT: edge 5 6
# CHECK-NEXT: edge 6 7
	fn	fields
	movaps	%xmm0, %xmm1
	push	%rbx
	sub	$16, %rsp
	mov	%rdi, 8(%rsp)
	call	*16(%rdi)
	mov	8(%rsp), %rax
	call	*24(%rax)
	mov	8(%rsp), %rax
	mov	32(%rax), %rax
	call	*8(%rax)
	mov	pointer(%rip), %rax
	call	*(%rax)
	add	$16, %rsp
	pop	%rbx
	jmp	*16(%rax)
	.size	fields, . - fields

	.type	user, @function
user:
	movaps	%xmm0, %xmm1
	jmp	*(%rdi)
	.size	user, . - user

	.type	between, @function
between:
	movaps	%xmm0, %xmm1
	jmp	user
	.size	between, . - between

# CHECK-LABEL: func passes section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 set %rdi = ? off 3
# CHECK-NEXT: node 3 call user (%rdi, %rsi, %rdx, %rcx, %r8, %r9) off 10
# CHECK-NEXT: node 4 set %rdi = ? off 15
# CHECK-NEXT: node 5 call between (%rdi, %rsi, %rdx, %rcx, %r8, %r9) -> %rax off 22
# CHECK-NEXT: node 6 return %rax off 27
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
# CHECK-NEXT: edge 4 5
# CHECK-NEXT: edge 5 6
	fn	passes
	movaps	%xmm0, %xmm1
	lea	ops1(%rip), %rdi
	call	user
	lea	ops2(%rip), %rdi
	call	between
	ret
	.size	passes, . - passes

# CHECK-LABEL: func stores section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 set %rax = ? off 25
# CHECK-NEXT: node 3 return %rax off 43
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
	fn	stores
	movaps	%xmm0, %xmm1
	lea	hidden(%rip), %rax
	mov	%rax, 40(%rdi)
	movq	$hidden, pointer2(%rip)
	lea	ops1(%rip), %rax
	mov	%rax, 32(%rdi)
	mov	%rax, pointer(%rip)
	ret
	.size	stores, . - stores

# CHECK-LABEL: func gives section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 set %rdi = &handed off 3
# CHECK-NEXT: node 3 call register_it (%rdi, %rsi, %rdx, %rcx, %r8, %r9) off 10
# CHECK-NEXT: node 4 set %rdi = ? off 15
# CHECK-NEXT: node 5 call register_all (%rdi, %rsi, %rdx, %rcx, %r8, %r9) off 22
# CHECK-NEXT: node 6 call update () -> %rax off 41
# CHECK-NEXT: node 7 return %rax off 46
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
# CHECK-NEXT: edge 4 5
# CHECK-NEXT: edge 5 6
# CHECK-NEXT: edge 6 7
	fn	gives
	movaps	%xmm0, %xmm1
	lea	handed(%rip), %rdi
	call	register_it
	lea	ops3(%rip), %rdi
	call	register_all
	lea	__SCK__hook(%rip), %rdi
	lea	hidden(%rip), %rsi
	call	update
	ret
	.size	gives, . - gives

	.data
	.globl	table
	.type	table, @object
table:	.quad	0, work
	.size	table, . - table
	.type	ops1, @object
ops1:	.quad	hidden, 0
	.size	ops1, . - ops1
	.type	ops2, @object
ops2:	.quad	work, 0
	.size	ops2, . - ops2
	.type	ops3, @object
ops3:	.quad	1, ops4
	.size	ops3, . - ops3
	.type	ops4, @object
ops4:	.quad	0, 0, tabled
	.size	ops4, . - ops4
	.type	array, @object
array:	.quad	1, hidden, 0
	.quad	2, handed, 0
	.quad	3, hidden, 0
	.size	array, . - array
	.local	pointer
	.comm	pointer, 8
	.local	pointer2
	.comm	pointer2, 8
