/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>

#define FLAGS	0

struct thread;
struct fpu_kern_ctx;
void	fpu_kern_enter(struct thread *, struct fpu_kern_ctx *, unsigned int);
int	fpu_kern_leave(struct thread *, struct fpu_kern_ctx *);
int	is_fpu_kern_thread(unsigned int);

/* The work of this file is moved; a call to another file's has its place. */
#ifdef OWN
typedef long long v2 __attribute__((vector_size(16)));
__attribute__((noinline)) static void
simd_work(void *key, void *iv, void *to)
{
	*(v2 *)to ^= *(v2 *)key + *(v2 *)iv;
}
#else
void	simd_work(void *key, void *iv, void *to);
#endif

struct request {
	size_t		length;
	struct request	*base;
	void		*in, *out, *context[6];
};
struct walk {
	void		*in, *out;
	unsigned int	left, total;
	void		*iv, *more[12];
};

int	walk_first(struct walk *, struct request *);
int	walk_next(struct walk *, unsigned int);
void	walk_abort(struct walk *);

static inline struct thread *
running(void)
{
	struct thread *td;

	__asm__("movq %%gs:0, %0" : "=r" (td));
	return (td);
}

/* The argument of leave is read by a call that could be in the region. */
void
getter_before_leave(struct fpu_kern_ctx *ctx, void *key, void *iv, void *to)
{
	int kt = is_fpu_kern_thread(0);

	if (!kt)
		fpu_kern_enter(running(), ctx, FLAGS);
	simd_work(key, iv, to);
	if (!kt)
		fpu_kern_leave(running(), ctx);
}

static inline unsigned long
alignment(void)
{
	return (__alignof__(struct request));
}

static inline void *
aligned(void *p)
{
	unsigned long align = 64;

	if (align <= alignment())
		align = 1;
	return ((void *)(((size_t)p + align - 1) & ~(align - 1)));
}

/*
 * The region reads its arguments from the local that says whether to leave,
 * and another local's address is in a variable.
 */
int
arguments_from_local(struct request *req, struct fpu_kern_ctx *ctx, void *key)
{
	unsigned int tail = req->length % 16;
	struct request part;
	struct walk w;
	int error;

	error = walk_first(&w, req);
	if (w.left == 0)
		return (error);
	if (__builtin_expect(tail > 0 && w.left < w.total, 0)) {
		walk_abort(&w);
		part.base = req;
		part.in = req->in;
		part.out = req->out;
		part.length = req->length - tail;
		req = &part;
		error = walk_first(&w, req);
		if (w.left == 0)
			return (error);
	} else {
		tail = 0;
	}
	fpu_kern_enter(running(), ctx, FLAGS);
	simd_work(aligned(key), w.iv, w.iv);
	while (w.left > 0) {
		unsigned int n = w.left;

		if (n < w.total)
			n &= ~15U;
		simd_work(aligned(key), w.in, w.out);
		fpu_kern_leave(running(), ctx);
		error = walk_next(&w, w.left - n);
		if (w.left > 0)
			fpu_kern_enter(running(), ctx, FLAGS);
	}
	if (__builtin_expect(tail > 0 && error == 0, 0)) {
		req->in = req->out;
		error = walk_first(&w, &part);
		if (error != 0)
			return (error);
		fpu_kern_enter(running(), ctx, FLAGS);
		simd_work(aligned(key), w.in, w.out);
		fpu_kern_leave(running(), ctx);
	}
	return (error);
}
