/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The executable sections of ELF files, for programs that walk machine code:
 * test/obj/decode-zydis.c and bench/decode-bench.c.
 */
#ifndef KS_TEST_DECODE_TEXT_H
#define KS_TEST_DECODE_TEXT_H

#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct text {
	uint8_t	*p;		/* malloc'd */
	size_t	 size;		/* bytes */
	bool	 mode64;
};

struct texts {
	struct text	*v;
	size_t		 n, cap;
	size_t		 bytes;	/* sum of the sizes */
};

static void
text_add(struct texts *t, const void *p, size_t size, bool mode64)
{
	struct text *x;

	if (t->n == t->cap) {
		t->cap = t->cap != 0 ? t->cap * 2 : 64;
		t->v = realloc(t->v, t->cap * sizeof(*t->v));
		if (t->v == NULL)
			abort();
	}
	x = &t->v[t->n++];
	x->p = malloc(size);
	if (x->p == NULL)
		abort();
	memcpy(x->p, p, size);
	x->size = size;
	x->mode64 = mode64;
	t->bytes += size;
}

static void
text_sections(struct texts *t, Elf *e, bool mode64)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(e, scn)) != NULL) {
		Elf_Data *d;

		if (gelf_getshdr(scn, &sh) == NULL ||
		    sh.sh_type != SHT_PROGBITS ||
		    !(sh.sh_flags & SHF_EXECINSTR))
			continue;
		d = elf_rawdata(scn, NULL);
		if (d != NULL && d->d_size > 0)
			text_add(t, d->d_buf, d->d_size, mode64);
	}
}

/*
 * Adds the executable sections of the x86 ELF file at PATH.  False with a
 * line on standard error if it cannot be read or is of another kind.
 */
static bool
text_load(struct texts *t, const char *path)
{
	int fd = open(path, O_RDONLY);
	GElf_Ehdr eh;
	Elf *e = NULL;
	bool ok = false;

	if (fd >= 0 && elf_version(EV_CURRENT) != EV_NONE)
		e = elf_begin(fd, ELF_C_READ, NULL);
	if (e != NULL && elf_kind(e) == ELF_K_ELF &&
	    gelf_getehdr(e, &eh) != NULL &&
	    (eh.e_machine == EM_X86_64 || eh.e_machine == EM_386)) {
		text_sections(t, e, eh.e_machine == EM_X86_64);
		ok = true;
	}
	if (!ok)
		fprintf(stderr, "%s: not a readable x86 ELF file\n", path);
	if (e != NULL)
		elf_end(e);
	if (fd >= 0)
		close(fd);
	return ok;
}

static void
texts_free(struct texts *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->v[i].p);
	free(t->v);
	memset(t, 0, sizeof(*t));
}

#endif
