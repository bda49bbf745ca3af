# RUN: %clang -c %s -o %t.o
# RUN: echo "free f g" > %t.contract
# RUN: %not %ksimd obj --profile freebsd --contract %t.contract %t.o 2>/dev/null \
# RUN:   | %FileCheck %s --check-prefixes=CHECK,PART --implicit-check-not=error:
# RUN: echo "needs f.region" >> %t.contract
# RUN: %not %ksimd obj --profile freebsd --contract %t.contract %t.o 2>/dev/null \
# RUN:   | %FileCheck %s --implicit-check-not=error:
# SPDX-License-Identifier: BSD-2-Clause
# simd-compiler-made: what a compiler makes of f, with a dot in its name, is
# judged as f; but a contract may name that part itself, which is nothing to f.
	.text
	.globl	f
	.type	f, @function
# CHECK-DAG: f+0x0: error: 'f' needs a region in the object, but not by its source
f:
	pxor	%xmm0, %xmm0
	ret
	.size	f, . - f

	.type	f.region, @function
# PART-DAG: f.region+0x0: error: 'f.region' needs a region in the object
f.region:
	pxor	%xmm1, %xmm1
	ret
	.size	f.region, . - f.region

	.type	g.part.0, @function
# CHECK-DAG: g.part.0+0x0: error: 'g.part.0' needs a region in the object
g.part.0:
	pxor	%xmm2, %xmm2
	ret
	.size	g.part.0, . - g.part.0

	.globl	g
	.type	g, @function
# CHECK-DAG: g+0x{{.*}}: error: 'g' needs a region in the object
g:
	call	g.part.0
	call	f.region
	ret
	.size	g, . - g
