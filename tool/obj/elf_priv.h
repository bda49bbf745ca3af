/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Between elf.c and elf_rel.c: one ELF image while it is read.
 */
#ifndef KS_OBJ_ELF_PRIV_H
#define KS_OBJ_ELF_PRIV_H

#include <elf.h>

#include "obj_priv.h"

struct ks_elf {
	struct ks_obj *o;
	struct ks_obj_priv *pr;
	const uint8_t *p;
	size_t	 size;
	bool	 is64;
	Elf64_Ehdr eh;
	Elf64_Shdr *sh;
	size_t	 nsh;
	uint32_t symtab, dynsym;	/* section indexes, 0: none */
	bool	 lto;		/* holds gcc's intermediate code */
	struct ks_error *err;
};

/* "PATH: text" into the error; returns CODE. */
int	ks_elf_bad(struct ks_elf *r, int code, const char *fmt, ...)
	    __attribute__((format(printf, 3, 4)));

#define bad(...)	ks_elf_bad(__VA_ARGS__)	/* on nearly every line */

/* Sections and symbols have been read. */
int	ks_elf_relocations(struct ks_elf *r);

#endif
