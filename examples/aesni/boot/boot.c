/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Console, traps, timer and exit of the harness, and the few functions that
 * compilers call.
 *
 * 1. The serial port is polled; QEMU's is always ready.
 * 2. All 48 vectors go to boot_trap().  #NM: the state is loaded if a region
 *    is held, else the use is stray: it is reported, then allowed to happen by
 *    single-stepping that one instruction with CR0.TS clear and interrupts
 *    off, so that the next stray instruction traps, too.
 * 3. The timer (PIT through the PIC) interrupts 2000 times a second on the
 *    stack of what runs.  The frame alone covers all that a red zone could
 *    hold.  The tick then preempts an open region, as a kernel may.
 * 4. Any other exception while a program runs ends it and is reported; in the
 *    harness itself it ends the run.
 *
 * Compiled with a kernel's flags: no SIMD anywhere in the harness.
 *
 * Reference: Intel SDM vol. 3A, chapter 6; 8254 and 8259A data sheets.
 */
#include <stdarg.h>

#include "boot.h"
#include "kernel.h"

#define TIMER_HZ	2000
#define PIT_HZ		1193182
#define COM1		0x3f8
#define EXIT_PORT	0xf4
#define RFLAGS_TF	0x100u
#define RFLAGS_IF	0x200u

enum {
	VEC_DB = 1,
	VEC_NM = 7,
	VEC_TIMER = 32
};

struct gate {
	uint16_t	low, selector;
	uint8_t		ist, type;
	uint16_t	mid;
	uint32_t	high, zero;
};

volatile uint64_t	boot_ticks, boot_misaligned;

static struct gate	idt[48];
static int		stepping;	/* one stray instruction */
static uint64_t		step_if;	/* its interrupt flag */
extern char		boot_stack_end[], text_start[], etext[];

void	boot_main(void);
void	boot_trap(struct boot_frame *f);
void	__stack_chk_fail(void);

/* --- what compilers call ------------------------------------------------- */

void *
memcpy(void *dst, const void *src, size_t n)
{
	void *d = dst;

	__asm__ volatile("rep movsb" : "+D" (d), "+S" (src), "+c" (n)
	    : : "memory");
	return (dst);
}

void *
memmove(void *dst, const void *src, size_t n)
{
	uint8_t *d = dst;
	const uint8_t *s = src;

	if ((uintptr_t)d <= (uintptr_t)s)
		return (memcpy(dst, src, n));
	while (n-- > 0) {
		d[n] = s[n];
		__asm__("" : : : "memory");
	}
	return (dst);
}

void *
memset(void *dst, int c, size_t n)
{
	void *d = dst;

	__asm__ volatile("rep stosb" : "+D" (d), "+c" (n) : "a" (c)
	    : "memory");
	return (dst);
}

int
memcmp(const void *a, const void *b, size_t n)
{
	const volatile uint8_t *x = a, *y = b;

	for (; n > 0; n--, x++, y++)
		if (*x != *y)
			return (*x < *y ? -1 : 1);
	return (0);
}

void
explicit_bzero(void *p, size_t n)
{
	memset(p, 0, n);
	__asm__ volatile("" : : "r" (p) : "memory");
}

void
__stack_chk_fail(void)
{
	boot_printf("stack protector\n");
	boot_exit(98);
}

/* --- console and exit ---------------------------------------------------- */

static inline void
outb(uint16_t port, uint8_t v)
{
	__asm__ volatile("outb %0, %1" : : "a" (v), "Nd" (port));
}

static void
put(char c)
{
	outb(COM1, (uint8_t)c);
}

static void
put_number(uint64_t v, unsigned int base)
{
	char buf[20];
	int n = 0;

	do {
		buf[n++] = "0123456789abcdef"[v % base];
		v /= base;
	} while (v != 0);
	while (n > 0)
		put(buf[--n]);
}

void
boot_printf(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	for (; *fmt != '\0'; fmt++) {
		if (*fmt != '%') {
			put(*fmt);
			continue;
		}
		while (*++fmt == 'l')
			;
		if (*fmt == 's') {
			for (const char *s = va_arg(ap, const char *);
			    *s != '\0'; s++)
				put(*s);
		} else if (*fmt == 'c')
			put((char)va_arg(ap, int));
		else if (*fmt == 'd')
			put_number((uint64_t)va_arg(ap, unsigned int), 10);
		else
			put_number(va_arg(ap, uint64_t),
			    *fmt == 'x' ? 16 : 10);
	}
	va_end(ap);
}

void
boot_exit(int status)
{
	outb(EXIT_PORT, (uint8_t)status);
	for (;;)
		__asm__ volatile("cli; hlt");
}

/* --- traps --------------------------------------------------------------- */

static int
in_text(uint64_t a)
{
	return (a >= (uintptr_t)text_start && a < (uintptr_t)etext);
}

static int
on_stack(uint64_t a)
{
	return (a % 8 == 0 && a < (uintptr_t)boot_stack_end &&
	    a >= (uintptr_t)boot_stack_end - 65536);
}

/*
 * Return addresses, callee to caller, up to the harness's call.  What lies at
 * the top of the stack comes first if it may be one: a function that has not
 * yet made its frame has it there.
 */
static void
chain_of(const struct boot_frame *f, uint64_t chain[BOOT_CHAIN])
{
	uint64_t bp = f->rbp;
	int n = 0;

	memset(chain, 0, BOOT_CHAIN * sizeof(*chain));
	if (on_stack(f->rsp) && in_text(*(uint64_t *)f->rsp) &&
	    *(uint64_t *)f->rsp != (uintptr_t)boot_call_return)
		chain[n++] = *(uint64_t *)f->rsp;
	while (n < BOOT_CHAIN && on_stack(bp) && bp % 8 == 0) {
		uint64_t *p = (uint64_t *)bp;

		if (!in_text(p[1]) || p[1] == (uintptr_t)boot_call_return)
			break;
		chain[n++] = p[1];
		if (p[0] <= bp)
			break;
		bp = p[0];
	}
}

static void
stray(struct boot_frame *f)
{
	uint64_t chain[BOOT_CHAIN];

	fpu_stats.traps++;
	chain_of(f, chain);
	boot_event(BOOT_SIMD, f->rip, chain);
	stepping = 1;
	step_if = f->rflags & RFLAGS_IF;
	f->rflags = (f->rflags & ~RFLAGS_IF) | RFLAGS_TF;
	fpu_stray_begin();
}

static void
step_done(struct boot_frame *f)
{
	stepping = 0;
	f->rflags = (f->rflags & ~RFLAGS_TF) | step_if;
	fpu_stray_end();
}

static void
fault(struct boot_frame *f)
{
	uint64_t chain[BOOT_CHAIN];

	if (stepping)
		step_done(f);
	if (!on_stack(f->rsp)) {
		boot_printf("vector %lu error %lx at %lx, rsp %lx\n",
		    f->vector, f->error, f->rip, f->rsp);
		boot_exit(97);
	}
	chain_of(f, chain);
	boot_event(BOOT_FAULT, f->rip, chain);
	f->rip = (uintptr_t)boot_abort;
}

void
boot_trap(struct boot_frame *f)
{
	if ((uintptr_t)f % 16 != 0)
		boot_misaligned++;
	switch (f->vector) {
	case VEC_NM:
		if (!fpu_nm())
			stray(f);
		break;
	case VEC_DB:
		if (stepping)
			step_done(f);
		break;
	case VEC_TIMER:
		boot_ticks++;
		outb(0x20, 0x20);
		fpu_tick();
		break;
	default:
		if (f->vector > VEC_TIMER)	/* spurious */
			break;
		fault(f);
		break;
	}
}

static void
traps_init(void)
{
	struct __attribute__((packed)) {
		uint16_t	limit;
		uint64_t	base;
	} idtr = { sizeof(idt) - 1, (uintptr_t)idt };

	for (unsigned int i = 0; i < 48; i++) {
		uint64_t a = (uintptr_t)boot_stubs + 16 * i;

		idt[i].low = (uint16_t)a;
		idt[i].selector = 8;
		idt[i].type = 0x8e;
		idt[i].mid = (uint16_t)(a >> 16);
		idt[i].high = (uint32_t)(a >> 32);
	}
	__asm__ volatile("lidt %0" : : "m" (idtr));
}

static void
timer_init(void)
{
	static const uint8_t pic[][2] = {
		{ 0x20, 0x11 }, { 0xa0, 0x11 },	/* initialise both */
		{ 0x21, 32 }, { 0xa1, 40 },	/* vectors */
		{ 0x21, 4 }, { 0xa1, 2 },	/* the second hangs on 2 */
		{ 0x21, 1 }, { 0xa1, 1 },
		{ 0x21, 0xfe }, { 0xa1, 0xff }	/* the timer only */
	};

	for (size_t i = 0; i < sizeof(pic) / sizeof(*pic); i++)
		outb(pic[i][0], pic[i][1]);
	outb(0x43, 0x34);		/* channel 0, rate generator */
	outb(0x40, (PIT_HZ / TIMER_HZ) & 0xff);
	outb(0x40, (PIT_HZ / TIMER_HZ) >> 8);
}

void
boot_main(void)
{
	const char *saved;

	traps_init();
	saved = fpu_init();
	boot_printf("boot: %s saved by XSAVE\n", saved);
	timer_init();
	__asm__ volatile("sti");
	boot_exit(boot_run());
}
