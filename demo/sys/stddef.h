/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The kernel's own header, as far as the demo needs one: with -nostdinc
 * there is no other.
 */
#ifndef DEMO_STDDEF_H
#define DEMO_STDDEF_H

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;

#undef NULL
#define NULL		((void *)0)
#define offsetof(t, m)	__builtin_offsetof(t, m)

#endif
