# SPDX-License-Identifier: BSD-2-Clause
#
# A kernel's makefile in small: the variables that rules made by config(8)
# use, with the flags that matter of FreeBSD/amd64's kern.pre.mk and kern.mk,
# in their order.  Warnings of style are left out.
#
#	bmake -r -f kernel.mk CC=clang-19 S=../sys RULES=rules.mk
#
# ${RULES} is what "ksimd rules make" printed.

# sys.mk's part in it: without a .c.o transformation make does not look for
# the source of x.o, and leaves ${.IMPSRC} empty in explicit rules, too.
.SUFFIXES:	.o .c
.c.o:
	${NORMAL_C}

all: objects

COPTFLAGS?=	-O2 -pipe
DEBUG?=		-g
WERROR?=	-Werror
NO_WCAST_QUAL?=	-Wno-error=cast-qual

CFLAGS=		${COPTFLAGS} -fno-strict-aliasing ${DEBUG}
CFLAGS+=	-nostdinc -I. -I$S -D_KERNEL -include opt_global.h
CFLAGS+=	-fno-common
# FreeBSD's compilers make no position-independent code by default.
CFLAGS+=	-fno-pie
CFLAGS+=	-mcmodel=kernel -mno-red-zone -mno-mmx -mno-sse -msoft-float \
		-fno-asynchronous-unwind-tables -ffreestanding -fwrapv \
		-fno-omit-frame-pointer -mno-omit-leaf-frame-pointer \
		-fstack-protector
CFLAGS+=	-Wall -Wstrict-prototypes -Wmissing-prototypes \
		-Wpointer-arith -Wcast-qual -Wundef
.if !empty(CC:M*clang*)
CFLAGS+=	-mno-aes -mno-avx
.endif
CFLAGS+=	-std=gnu17

NORMAL_C=	${CC} -c ${CFLAGS} ${WERROR} ${.IMPSRC}
# There is no ctfconvert here.
NORMAL_CTFCONVERT=

.include "${RULES}"

objects: ${OBJS}
