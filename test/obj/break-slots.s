# RUN: %clang -I%S/Inputs -c %s -o %t.o
# RUN: %not %ksimd obj --profile linux %t.o 2>&1 | %FileCheck %s --implicit-check-not='{{(warning|error)}}:'
# Flags in stack slots that something overwrites in a way that is easily
# overlooked.
# SPDX-License-Identifier: BSD-2-Clause
	.include "guarded.inc"

	.text
# CHECK-DAG: :bad_pop{{.*}}: error: {{.*}} [simd-outside-region]
# CHECK-DAG: :bad_pop{{.*}}: error: {{.*}} [region-differs-on-join]
# CHECK-DAG: :bad_pop{{.*}}: error: {{.*}} [region-not-left]
	guarded	bad_pop, "push %rsi; pop 16(%rsp)"
# It was 8 bytes lower before %rsp moved.
	guarded	good_pop, "push %rsi; pop 24(%rsp)"
# The bit's number reaches out of the operand.
# CHECK-DAG: :bad_bts{{.*}}: error: {{.*}} [simd-outside-region]
# CHECK-DAG: :bad_bts{{.*}}: error: {{.*}} [region-differs-on-join]
# CHECK-DAG: :bad_bts{{.*}}: error: {{.*}} [region-not-left]
	guarded	bad_bts, "bts %esi, 8(%rsp)"
	guarded	good_bts, "btsl $5, 8(%rsp)"
# Downwards.
# CHECK-DAG: :bad_std{{.*}}: error: {{.*}} [simd-outside-region]
# CHECK-DAG: :bad_std{{.*}}: error: {{.*}} [region-differs-on-join]
# CHECK-DAG: :bad_std{{.*}}: error: {{.*}} [region-not-left]
	guarded	bad_std, "lea 56(%rsp), %rdi; mov $8, %ecx; std; rep stosq; cld"
	guarded	good_stos, "lea 24(%rsp), %rdi; mov $4, %ecx; rep stosq"
