/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reader of BTF, the type information that Linux keeps in its kernel and
 * modules: structs, their members, and prototypes of functions.
 *
 * A module's BTF is split: it goes on where that of the kernel (its base)
 * ends, in type ids and in strings.
 *
 * Reference: Linux Documentation/bpf/btf.rst, include/uapi/linux/btf.h.
 */
#ifndef KS_OBJ_BTF_H
#define KS_OBJ_BTF_H

#include "ks/base.h"

enum ks_btf_kind {
	KS_BTF_VOID, KS_BTF_INT, KS_BTF_PTR, KS_BTF_ARRAY, KS_BTF_STRUCT,
	KS_BTF_UNION, KS_BTF_ENUM, KS_BTF_FWD, KS_BTF_TYPEDEF,
	KS_BTF_VOLATILE, KS_BTF_CONST, KS_BTF_RESTRICT, KS_BTF_FUNC,
	KS_BTF_FUNC_PROTO, KS_BTF_VAR, KS_BTF_DATASEC, KS_BTF_FLOAT,
	KS_BTF_DECL_TAG, KS_BTF_TYPE_TAG, KS_BTF_ENUM64, KS_BTF_KINDS
};

/* Read-only once made: any number of threads. */
struct ks_btf;

/*
 * DATA is a whole .BTF section and must outlive *OUT, as must BASE, which is
 * NULL for BTF that is not split.  Malformed bytes, and a split one that
 * does not fit BASE: KS_EPARSE.  NAME is for the text.
 */
int	ks_btf_open(const char *name, const uint8_t *data, size_t size,
	    const struct ks_btf *base, struct ks_btf **out,
	    struct ks_error *err);
void	ks_btf_free(struct ks_btf *b);

/* Looks like BTF; like split BTF.  Needs no base. */
bool	ks_btf_is(const uint8_t *data, size_t size);
bool	ks_btf_is_split(const uint8_t *data, size_t size);

/* Types are ids; 0 is void, and what is not known. */

/* VOID for ids that are none. */
enum ks_btf_kind ks_btf_kind(const struct ks_btf *b, uint32_t id);
/* "" if it has none. */
const char *ks_btf_name(const struct ks_btf *b, uint32_t id);
/*
 * The type of this kind and name.  0: there is none, or several that are
 * not the same function type.
 */
uint32_t ks_btf_find(const struct ks_btf *b, enum ks_btf_kind kind,
	    const char *name);
/* The same, of this one and not of its base. */
uint32_t ks_btf_find_own(const struct ks_btf *b, enum ks_btf_kind kind,
	    const char *name);
/*
 * Without typedef, const, volatile, restrict and tags; a declaration is
 * replaced by the one definition of its name.
 */
uint32_t ks_btf_strip(const struct ks_btf *b, uint32_t id);
/* What a pointer points to, stripped; 0: no pointer, or void. */
uint32_t ks_btf_pointee(const struct ks_btf *b, uint32_t id);
/* Bytes; 0: unknown or none. */
uint64_t ks_btf_size(const struct ks_btf *b, uint32_t id);
/* The type that a FUNC or VAR has, stripped. */
uint32_t ks_btf_type_of(const struct ks_btf *b, uint32_t id);
/* Result of a FUNC_PROTO, and type of parameter I; 0: void or none. */
uint32_t ks_btf_result(const struct ks_btf *b, uint32_t proto);
uint32_t ks_btf_param(const struct ks_btf *b, uint32_t proto, uint32_t i);

/* A member that is neither a record nor an array. */
struct ks_btf_place {
	uint32_t type;		/* stripped */
	uint32_t owner;		/* innermost named record that it is in, or the
				   outermost type */
	uint64_t off;		/* bytes from the owner's start */
	const char *member;	/* never NULL */
};

/*
 * What is at byte OFF of type ID, for a pointer that may be any multiple of
 * STRIDE away from there (0: exactly there).  A pointer to something may
 * point into an array of it.  False: nothing that starts there, a bit field,
 * or a union in which several pointers start.  Not thread-safe.
 */
bool	ks_btf_at(struct ks_btf *b, uint32_t id, int64_t off,
	    uint64_t stride, struct ks_btf_place *out);

#endif
