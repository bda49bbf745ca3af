// A helper without SIMD that is called in a region, but where nothing is moved
// out of the function: it runs outside as the compiler sees it.  Called from a
// part that is moved, too, it has a copy there.
// RUN: %clang %confine %simd -O0 -S -emit-llvm %s -o - | %FileCheck %s
// RUN: %clang %confine %simd -O3 -c %s -o %t.o && %ksimd obj --profile freebsd %t.o 2>&1 | %FileCheck %s --check-prefix=OBJ
// OBJ: 2 regions, proven
// SPDX-License-Identifier: BSD-2-Clause
struct thread;
struct fpu_kern_ctx;
void	fpu_kern_enter(struct thread *, struct fpu_kern_ctx *, unsigned);
int	fpu_kern_leave(struct thread *, struct fpu_kern_ctx *);

#define ENTER()	fpu_kern_enter((void *)1, (void *)1, 0)
#define LEAVE()	fpu_kern_leave((void *)1, (void *)1)

static __attribute__((noinline)) int
deeper(int x)
{
	return (x * 3);
}

static __attribute__((noinline)) int
helper(int *p, int n)
{
	for (int i = 0; i < n; i++)
		p[i] += deeper(i);
	return (p[0]);
}

// CHECK-LABEL: define {{.*}} @alone(
// CHECK: call i32 @helper(
int
alone(int *p, int n)
{
	ENTER();
	n = helper(p, n);
	LEAVE();
	return (n);
}

// CHECK-LABEL: define {{.*}} @both(
int
both(float *f, int *p, int n)
{
	ENTER();
	*f += helper(p, n);
	LEAVE();
	return (n);
}

// CHECK: define internal {{.*}} @both.region(
// CHECK: call i32 @helper.inside(
// CHECK: define internal {{.*}} @helper.inside(
// CHECK: call i32 @deeper.inside(
