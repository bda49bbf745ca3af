/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the files that read objects share among themselves: the bytes of the
 * input, and indexes that are made on first use.  Users of struct ks_obj
 * need obj.h only.
 */
#ifndef KS_OBJ_PRIV_H
#define KS_OBJ_PRIV_H

#include "obj.h"

/* A file's bytes.  Members of one archive share it. */
struct ks_input {
	uint8_t	*data;
	size_t	 size;
	bool	 mapped;	/* munmap, else free */
	char	*file;		/* where they are; places may have another name */
	unsigned refs;
};

void	ks_input_drop(struct ks_input *in);

struct ks_obj_priv {
	struct ks_input *in;	/* NULL: the caller owns the bytes */
	const uint8_t *image;	/* the ELF image; not aligned */
	size_t	 size;

	/*
	 * Symbols of .dynsym follow those of .symtab in obj->syms.  So a
	 * relocation is a dynamic one (the loader writes the field) if its
	 * sym is at or behind this index.
	 */
	uint32_t dynsym0;

	/* linked: allocated sections by address */
	uint32_t *byaddr;
	size_t	 nbyaddr;

	/* named symbols by place, best name first; made on first use */
	uint32_t *bysym;
	size_t	 nbysym;

	/*
	 * scan.c: no code of this object matters, and it names nothing that
	 * does: its event graph may be empty.
	 */
	bool	 quiet;

	/*
	 * scan.c: KS_SR_* by symbol, if code refers to a soft-float helper of
	 * the profile it was scanned with; else NULL.
	 */
	const uint16_t *libcalls;

	/* stack.c: what is still to be looked for, by function; or NULL */
	uint8_t	*stack;
	bool	 have_stack;
};

static inline struct ks_obj_priv *
ks_priv(const struct ks_obj *o)
{
	return (o->priv);
}

/*
 * One ELF image at IMAGE, of SIZE bytes.  IN (or NULL) gets a reference of
 * its own that ks_obj_free drops.  On success *OUT is complete but for the
 * functions and patches.
 */
int	ks_elf_parse(const char *path, struct ks_input *in,
	    const uint8_t *image, size_t size, struct ks_obj **out,
	    struct ks_error *err);

/* ks_obj_open for bytes in memory, which must outlive the objects. */
int	ks_obj_open_memory(const char *path, const uint8_t *data, size_t size,
	    int (*fn)(struct ks_obj *o, void *ctx, struct ks_error *err),
	    void *ctx, struct ks_error *err);

/* Bytes that a relocation of this type writes; 0: none or unknown. */
unsigned ks_rel_len(bool mode64, uint32_t type);
/* The field holds a distance from its own place. */
bool	ks_rel_is_pc(bool mode64, uint32_t type);
/* It goes through a GOT entry. */
bool	ks_rel_is_got(bool mode64, uint32_t type);
/* The loader makes it from another value than the symbol's. */
bool	ks_rel_is_relative(bool mode64, uint32_t type);
bool	ks_rel_is_irelative(bool mode64, uint32_t type);
const char *ks_rel_name(bool mode64, uint32_t type);

/* Linked objects: the section that holds ADDR, or KS_NOSECT. */
uint32_t ks_obj_sect_at(const struct ks_obj *o, uint64_t addr);
/* First section of this name from index FROM on, or KS_NOSECT. */
uint32_t ks_obj_find_sect(const struct ks_obj *o, const char *name,
	    uint32_t from);
/* Best named symbol that starts at or (by its size) holds a place. */
uint32_t ks_obj_sym_at(const struct ks_obj *o, uint32_t sect, uint64_t off);

/*
 * As ks_obj_pcrel and ks_obj_data_ref, but without the search for a symbol
 * where the relocation names a section.
 */
struct ks_oref ks_obj_pcrel_place(const struct ks_obj *o, uint32_t sect,
	    uint64_t off, int64_t value, uint64_t end);
struct ks_oref ks_obj_data_place(const struct ks_obj *o, uint32_t sect,
	    uint64_t off, unsigned len);

/*
 * special.c: does a section of this name only describe code (so that a
 * pointer in it is no address that somebody calls), or hold code that runs
 * as a part of other code?
 */
bool	ks_obj_is_metadata(const char *name);

/*
 * func.c: adds functions that start at places (sect, off), if none and no
 * data is there.  True: some were added, obj->funcs is a new table and its
 * flags are those of ks_obj_functions again.
 */
bool	ks_obj_add_functions(struct ks_obj *o, const struct ks_oref *at,
	    size_t n);

/*
 * stack.c: the part of ks_obj_check_stack for the function that G, which B
 * has just built, is the graph of.
 */
struct ks_cfg;
struct ks_cfg_builder;
void	ks_stack_graph(const struct ks_obj *o, const struct ks_profile *p,
	    struct ks_findings *f, struct ks_cfg_builder *b,
	    const struct ks_cfg *g);

/* Which of two names of one place is the better one: < 0, X. */
int	ks_sym_rank(const struct ks_osym *x, const struct ks_osym *y);

/*
 * Stable merge sort: the order does not depend on the C library, and no
 * input makes it quadratic.
 */
void	ks_sort(void *base, size_t n, size_t elem,
	    int (*cmp)(const void *, const void *, void *), const void *ctx);

/* Little-endian loads from unaligned bytes. */
static inline uint32_t
ks_le32(const uint8_t *p)
{
	return ((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	    (uint32_t)p[3] << 24);
}

static inline uint16_t
ks_le16(const uint8_t *p)
{
	return ((uint16_t)(p[0] | p[1] << 8));
}

static inline uint64_t
ks_le64(const uint8_t *p)
{
	return (ks_le32(p) | (uint64_t)ks_le32(p + 4) << 32);
}

/* LEN bytes (1, 2, 4, 8), sign-extended. */
static inline int64_t
ks_sle(const uint8_t *p, unsigned len)
{
	switch (len) {
	case 1:
		return ((int8_t)p[0]);
	case 2:
		return ((int16_t)ks_le16(p));
	case 4:
		return ((int32_t)ks_le32(p));
	case 8:
		return ((int64_t)ks_le64(p));
	}
	return (0);
}

#endif
