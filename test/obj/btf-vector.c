// RUN: %gcc %simd -O3 -gbtf -c %s -o %t.o
// RUN: %not %ksimd obj --profile linux --emit-graph=%t.ksg %t.o 2>&1 | %FileCheck %s --implicit-check-not='{{(warning|error)}}:'
// RUN: %FileCheck %s --check-prefix=STORE < %t.ksg
//
// Where vector code is allowed, tables are set up 16 bytes at a time: pairs of
// addresses go through vector registers.
// SPDX-License-Identifier: BSD-2-Clause
void kernel_fpu_begin_mask(unsigned);
void kernel_fpu_end(void);

struct lib;
struct funcs {
	void	(*first)(struct lib *);
	void	(*second)(struct lib *);
	void	(*third)(struct lib *);
	void	(*fourth)(struct lib *);
};
struct lib {
	long	n;
	struct funcs funcs;
};

void first(struct lib *), third(struct lib *);

// CHECK-DAG: note: 'second' must be called inside a region
static void
second(struct lib *l)
{
	asm volatile("pxor %%xmm0, %%xmm0" : : "r"(l));
}

static void
fourth(struct lib *l)
{
	l->n = 4;
}

// STORE-DAG: store "field:funcs.first" first
// STORE-DAG: store "field:funcs.second" second
// STORE-DAG: store "field:funcs.third" third
// STORE-DAG: store "field:funcs.fourth" fourth
// STORE-NOT: store "field:funcs.{{.*}} ?
static const struct funcs table = { first, second, third, fourth };

// CHECK-DAG: note: 'setup' must be called inside a region
void
setup(struct lib *l)
{
	l->funcs = table;
}

// CHECK-DAG: :bad_second+0x{{.*}}: error: 'second' needs a region and is called outside one [simd-outside-region]
void
bad_second(struct lib *l)
{
	kernel_fpu_begin_mask(0);
	kernel_fpu_end();
	l->funcs.second(l);
	l->n = 0;
}

void
good_fourth(struct lib *l)
{
	kernel_fpu_begin_mask(0);
	kernel_fpu_end();
	l->funcs.fourth(l);
	l->n = 0;
}
