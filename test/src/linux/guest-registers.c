// RUN: %not %ksimd check --profile linux %s -- %base -I%cases 2>&1 | %FileCheck %s --implicit-check-not="{{error|warning}}:"
// SPDX-License-Identifier: BSD-2-Clause
// A hypervisor that loads and stores a guest's registers: brackets that are
// inline and touch nothing themselves, and readers by number.
#include "lnx.h"

typedef struct { uint64_t q[2]; } __attribute__((aligned(16))) reg128;
void	fpregs_lock(void), fpregs_unlock(void);
extern int need_load;
void	load_guest(void);

static inline void
kvm_fpu_get(void)
{
	fpregs_lock();
	if (need_load)
		load_guest();
}

static inline void
kvm_fpu_put(void)
{
	fpregs_unlock();
}

// CHECK: note: 'read_reg' must be called inside a region{{.*}}[needs-region]
static inline void
read_reg(int reg, reg128 *to)
{
	switch (reg) {
	case 0: __asm__("movdqa %%xmm0, %0" : "=m" (*to)); break;
	case 1: __asm__("movdqa %%xmm1, %0" : "=m" (*to)); break;
	default: __builtin_unreachable();
	}
}

void
good_read(int reg, reg128 *to)
{
	kvm_fpu_get();
	read_reg(reg, to);
	kvm_fpu_put();
}

int
good_op(bool enabled)
{
	if (!enabled)
		return (6);
	kvm_fpu_get();
	__asm__ volatile("fninit");
	kvm_fpu_put();
	return (0);
}

int
bad_op(uint16_t *csw)
{
	kvm_fpu_get();
	__asm__ volatile("fnstcw %0" : "=m" (*csw));
	kvm_fpu_put();
	// CHECK: [[#@LINE+1]]:2: error: SIMD state is used outside a region{{.*}}[simd-outside-region]
	__asm__ volatile("fninit");
	return (0);
}
