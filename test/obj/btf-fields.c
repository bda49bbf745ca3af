// RUN: %gcc %base -O2 -gbtf -c %s -o %t.o
// RUN: %not %ksimd obj --profile linux --emit-graph=%t.ksg %t.o 2>&1 | %FileCheck %s --implicit-check-not='{{(warning|error)}}:'
// RUN: %FileCheck %s --check-prefix=STORE < %t.ksg
// RUN: %FileCheck %s --check-prefix=KEY < %t.ksg
// RUN: %not %FileCheck %s --check-prefix=GUESS < %t.ksg
// RUN: %gcc %base -O1 -fno-inline -gbtf -c %s -o %t.1.o
// RUN: %not %ksimd obj --profile linux %t.1.o 2>&1 | %FileCheck %s --implicit-check-not='{{(warning|error)}}:'
//
// With types, an indirect call goes to what is stored to the member that its
// pointer was loaded from, wherever the record is, and to nothing else that
// lies at the same offset: no record here has a call by offset alone.
//
// SPDX-License-Identifier: BSD-2-Clause
// GUESS: key "{{off|path}}:
typedef unsigned long size_t;
void kernel_fpu_begin_mask(unsigned);
void kernel_fpu_end(void);
void *allocate(size_t);

struct dev;
struct simd_ops {
	int	(*count)(struct dev *);
	void	(*run)(struct dev *);
};
struct plain_ops {
	int	(*count)(struct dev *);
	void	(*run)(struct dev *);
};
struct unit {
	long	id;
	const struct plain_ops *ops;
	void	(*done)(struct dev *);
};
struct dev {
	const struct simd_ops *simd;
	const struct plain_ops *plain;
	struct simd_ops own;
	struct unit units[4];
	struct unit *first;
	union {
		void	(*notify)(struct dev *);
		unsigned long raw;
	};
};
struct big {
	struct dev dev;		/* container_of */
	struct simd_ops spare;
};

// CHECK-DAG: note: 'vector_run' must be called inside a region
void
vector_run(struct dev *d)
{
	asm volatile("pxor %%xmm0, %%xmm0" : : "r"(d));
}

int
count(struct dev *d)
{
	return d->units[0].id;
}

void
plain_run(struct dev *d)
{
	d->units[0].id = 0;
}

// STORE-DAG: store "field:simd_ops.run" vector_run
// STORE-DAG: store "field:simd_ops.count" count
// STORE-DAG: store "field:plain_ops.run" plain_run
static const struct simd_ops simd_table = { count, vector_run };
static const struct plain_ops plain_table = { count, plain_run };

/* Types of tables come from where their addresses are stored. */
void
setup(struct dev *d)
{
	d->simd = &simd_table;
	for (int i = 0; i < 4; i++)
		d->units[i].ops = &plain_table;
}

/* A pointer without type that is returned as one with a type. */
struct dev *
create(void)
{
	struct dev *d = allocate(sizeof(struct big));

	if (d == (void *)0)
		return d;
	d->plain = &plain_table;
	d->notify = plain_run;
	d->own = simd_table;
	return d;
}

// KEY-LABEL: func good_plain section
// KEY: key "field:plain_ops.run"
void
good_plain(struct dev *d)
{
	kernel_fpu_begin_mask(0);
	kernel_fpu_end();
	d->plain->run(d);
	d->first->ops->run(d);
}

// KEY-LABEL: func good_loop section
// KEY: key "field:plain_ops.run"
void
good_loop(struct dev *d, int from, int to)
{
	kernel_fpu_begin_mask(0);
	kernel_fpu_end();
	for (int i = from; i < to; i++)
		d->units[i].ops->run(d);
}

// KEY-LABEL: func good_simd section
// KEY: key "field:simd_ops.run"
void
good_simd(struct dev *d)
{
	kernel_fpu_begin_mask(0);
	d->simd->run(d);
	d->own.run(d);
	kernel_fpu_end();
}

// CHECK-DAG: :bad_simd+0x{{.*}}: error: 'vector_run' needs a region and is called outside one [simd-outside-region]
void
bad_simd(struct dev *d)
{
	kernel_fpu_begin_mask(0);
	kernel_fpu_end();
	d->simd->run(d);
}

/* What is copied is found in the copy. */
// CHECK-DAG: :bad_own+0x{{.*}}: error: 'vector_run' needs a region and is called outside one [simd-outside-region]
void
bad_own(struct dev *d)
{
	kernel_fpu_begin_mask(0);
	kernel_fpu_end();
	d->own.run(d);
}

// KEY-LABEL: func good_union section
// KEY: key "field:dev.notify"
void
good_union(struct dev *d)
{
	kernel_fpu_begin_mask(0);
	kernel_fpu_end();
	if (d->notify)
		d->notify(d);
}

/* From a member to the record, and to another member of it. */
// KEY-LABEL: func good_container section
// KEY: key "field:plain_ops.run"
void
good_container(struct unit *u)
{
	struct dev *d = (void *)((char *)u - __builtin_offsetof(struct dev,
	    units[0]));

	kernel_fpu_begin_mask(0);
	kernel_fpu_end();
	u->ops->run(d);
}

/* What somebody unknown gave may be called there: counted. */
// STORE-DAG: store "field:unit.done" ?
// STORE-DAG: store "field:unit.done" plain_run
void
register_done(struct dev *d, void (*fn)(struct dev *))
{
	kernel_fpu_begin_mask(0);
	kernel_fpu_end();
	d->first->done = fn;
	d->units[1].done = plain_run;
	d->first->done(d);
}

/* A record of one's own that is passed. */
static __attribute__((noinline)) void
use(struct unit *u, struct dev *d)
{
	kernel_fpu_begin_mask(0);
	kernel_fpu_end();
	u->ops->run(d);
	asm volatile("" : : "r"(u) : "memory");
}

void
good_local(struct dev *d)
{
	struct unit u = { 1, &plain_table, plain_run };

	use(&u, d);
}
// CHECK: {{[0-9]+}} functions, {{[0-9]+}} regions, 2 errors
