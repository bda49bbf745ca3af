/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * B04: there is no vector and no floating point in this source, yet a
 * compiler that may use SSE emits it: for a zeroed struct, a struct
 * assignment, two adjacent stores.
 *
 * Build: the kernel's flags with SSE2 switched on ("simd").  With the
 * kernel's own flags ("base") every function is clean.
 */
struct pulse {
	void	*next;
	void	*prev;
	long	 period;
	long	 high;
	long	 low;
	long	 pad;
};

void	emit(struct pulse *);

void
bad_tick(void)
{
	struct pulse p = { 0 };		/* zero fill */

	emit(&p);
}

void
bad_copy(struct pulse *d, const struct pulse *s)
{
	*d = *s;			/* struct assignment */
}

void
bad_pair(struct pulse *p)
{
	p->next = 0;			/* two stores become one */
	p->prev = 0;
}

__attribute__((target("general-regs-only")))
void
good_tick(void)
{
	struct pulse p = { 0 };

	emit(&p);
}
