# SPDX-License-Identifier: BSD-2-Clause
#
# The kernel's make variables in small, for three machines: the flags that
# matter, in the kernel's order.
#
#	bmake -r -f kern.mk CC=gcc MACHINE=i386 S=../sys RULES=rules.mk
#
# With KMOD the rules are lines of a module's makefile.

.SUFFIXES:	.o .c
.c.o:
	${NORMAL_C}

all: objects

COPTFLAGS?=	-O2 -pipe
WERROR?=	-Werror
NO_WCAST_QUAL?=	-Wno-error=cast-qual

CFLAGS=		${COPTFLAGS} -fno-strict-aliasing -g
CFLAGS+=	-nostdinc -I. -I$S -D_KERNEL -include opt_global.h
CFLAGS+=	-fno-common -fno-pie
.if ${MACHINE} == "amd64"
CFLAGS+=	-mcmodel=kernel -mno-red-zone -fno-asynchronous-unwind-tables
.endif
.if ${MACHINE} == "amd64" || ${MACHINE} == "i386"
CFLAGS+=	-mno-mmx -mno-sse -msoft-float
.else
CFLAGS+=	-mgeneral-regs-only -ffixed-x18
.endif
CFLAGS+=	-ffreestanding -fwrapv -fno-omit-frame-pointer
.if ${MACHINE} == "i386"
CFLAGS+=	-m32
.if empty(CC:M*clang*)
CFLAGS+=	-mpreferred-stack-boundary=2
.endif
.endif
CFLAGS+=	-Wall -Wstrict-prototypes -Wcast-qual -Wundef
.if !empty(CC:M*clang*) && ${MACHINE} != "arm64"
CFLAGS+=	-mno-aes -mno-avx
.endif
CFLAGS+=	-std=gnu17

NORMAL_C=	${CC} -c ${CFLAGS} ${WERROR} ${.IMPSRC}
NORMAL_CTFCONVERT=
CTFCONVERT_CMD=
SRCTOP=		${S}/..

.PATH:		$S/crypto/aesni
.include "${RULES}"

objects: ${OBJS}
