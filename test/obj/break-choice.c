// RUN: %gcc %base -O2 -c %s -o %t.o
// RUN: %ksimd obj --profile linux --fail-on=error %t.o 2>&1 | %FileCheck %s --implicit-check-not='{{(warning|error|note)}}:'
// RUN: %clang %base -O2 -c %s -o %t.o
// RUN: %ksimd obj --profile linux --fail-on=error %t.o 2>&1 | %FileCheck %s --implicit-check-not='{{(warning|error|note)}}:'
// One of two addresses is stored (cmov, or two ways that join): whoever calls
// through the variable may call either.
// SPDX-License-Identifier: BSD-2-Clause
void kernel_fpu_begin_mask(unsigned);
void kernel_fpu_end(void);
void work(int);

// CHECK-DAG: :vector{{.*}}: note: 'vector' must be called inside a region
__attribute__((noinline)) static void
vector(int x)
{
	work(x);
	__asm__ volatile("movaps %%xmm0, %%xmm1" ::: "memory");
	work(1);
}

__attribute__((noinline)) static void
scalar(int x)
{
	work(x);
}

struct ops {
	void (*run)(int);
	void (*stop)(int);
};
static struct ops ops;
static const struct ops fast = { vector, scalar }, slow = { scalar, scalar };
static const struct ops *table;

void
setup(int has)
{
	ops.run = has ? vector : scalar;
	ops.stop = scalar;
	if (has > 3)
		work(3);
	table = has ? &fast : &slow;
}

// CHECK-DAG: :bad_run{{.*}}: note: 'bad_run' must be called inside a region: it calls 'vector'
void
bad_run(int n)
{
	ops.run(n);
	work(3);
}

// CHECK-DAG: :bad_table{{.*}}: note: 'bad_table' must be called inside a region: it calls 'vector'
void
bad_table(int n)
{
	table->run(n);
	work(3);
}

void
good_run(int n)
{
	kernel_fpu_begin_mask(3);
	ops.run(n);
	table->run(n);
	kernel_fpu_end();
}

// CHECK-DAG: :bad_chosen{{.*}}: note: 'bad_chosen' must be called inside a region: it calls 'vector'
void
bad_chosen(int n)
{
	void (*run)(int) = n ? vector : scalar;

	run(n);
	work(3);
}

void
good_stop(int n)
{
	ops.stop(n);
	table->stop(n);
	work(3);
}
