/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The object front end.  elf.c reads a file into struct ks_obj; special.c
 * adds the tables by which kernels patch their own code; func.c finds the
 * functions; scan.c (first level) flags those that may matter; cfg.c and
 * lower.c turn those into event graphs; reloc.c, stack.c check what is no
 * matter of regions.
 *
 * Places in an object are (section index, byte offset in the section).  A
 * linked file is brought into the same form: its sections have addresses,
 * and direct targets are found through them.
 */
#ifndef KS_OBJ_OBJ_H
#define KS_OBJ_OBJ_H

#include "ks/base.h"
#include "ks/engine.h"
#include "ks/finding.h"
#include "ks/graph.h"
#include "ks/profile.h"
#include "btf.h"
#include "interest.h"

#define KS_NOSECT	UINT32_MAX

struct ks_rel {
	uint64_t off;		/* in the section */
	uint32_t type;		/* R_X86_64_*, R_386_* */
	uint32_t sym;		/* index into obj->syms */
	int64_t	 addend;	/* REL: read from the section's bytes */
};

struct ks_sect {
	const char *name;
	uint64_t addr;		/* sh_addr; 0 in relocatable files */
	const uint8_t *data;	/* NULL for NOBITS */
	uint64_t size;
	bool	 alloc, exec, write;
	const struct ks_rel *rels;	/* sorted by off */
	size_t	 nrel;
};

enum ks_osym_type { KS_OSYM_NONE, KS_OSYM_FUNC, KS_OSYM_OBJECT, KS_OSYM_SECTION,
	KS_OSYM_IFUNC, KS_OSYM_OTHER };

struct ks_osym {
	const char *name;	/* "" for section symbols */
	uint32_t sect;		/* KS_NOSECT: undefined, absolute or common */
	uint64_t off, size;
	uint8_t	 type;		/* enum ks_osym_type */
	bool	 local, weak, hidden, defined;
	bool	 absolute;	/* off is the value */
};

enum {
	KS_OFUNC_PARTIAL = 1 << 0,	/* f.cold, f.part outside the parent's range */
	KS_OFUNC_NOTYPE = 1 << 1,	/* assembly label without type */
	KS_OFUNC_GUESSED = 1 << 2,	/* code without symbol, found by reference */
	KS_OFUNC_MATTERS = 1 << 3,	/* to be lowered */
	KS_OFUNC_SIMD = 1 << 4,		/* first level saw SIMD */
	KS_OFUNC_RED_ZONE = 1 << 5,	/* first level saw accesses below %rsp */
	KS_OFUNC_ODD = 1 << 6,		/* linear walk not to be trusted: undecodable
				   bytes, a target inside an instruction */
	KS_OFUNC_EXPORTED = 1 << 7,
	KS_OFUNC_ADDR_TAKEN = 1 << 8,
	KS_OFUNC_ROLE = 1 << 9,		/* calls something the profile names */
	KS_OFUNC_BRACKET = 1 << 10,	/* enters or leaves, or calls what does one
					   of them for it */
	KS_OFUNC_UNSEEN = 1 << 11,	/* called by what does not matter, or code
				   has the address of a place in it */
};

struct ks_ofunc {
	const char *name;	/* never NULL; guessed: "section+0x123" */
	uint32_t sym;		/* index into syms, KS_NONE if guessed */
	uint32_t sect;
	uint64_t off, size;	/* size: up to the next function or data */
	uint32_t flags;
	uint32_t parent;	/* PARTIAL: function it is a part of, or KS_NONE */
};

/* Kernels patch their own code; the CFG must hold every version. */
enum ks_patch_kind {
	KS_PATCH_JUMP_LABEL,	/* at site: nop or jmp to target */
	KS_PATCH_ALT,		/* site..site+len may be replaced by target..+len2 */
	KS_PATCH_STATIC_CALL,	/* call or jmp at site may go to anything stored
				   in the key (name) */
	KS_PATCH_EXTABLE,	/* a fault at site continues at target */
	KS_PATCH_WARN,		/* ud2 at site continues behind it */
	KS_PATCH_BUG,		/* ud2 at site ends */
};

struct ks_patch {
	uint8_t	 kind;
	uint32_t sect;
	uint64_t off;		/* site */
	uint32_t len;
	uint32_t tsect;		/* target */
	uint64_t toff;
	uint32_t tlen;
	const char *name;	/* static call: key without prefix, or NULL */
};

/* What became of an object's own .BTF. */
enum ks_btf_use {
	KS_BTF_ABSENT,
	KS_BTF_USED,
	KS_BTF_NO_BASE,		/* it is split, and btf_base is NULL */
	KS_BTF_BAD,		/* malformed, or of another kernel than btf_base */
};

struct ks_obj {
	struct ks_arena *arena;
	const char *path;	/* as given; "lib.a(member.o)" */
	bool	 mode64;
	bool	 linked;	/* ET_EXEC or ET_DYN */
	bool	 module;	/* a .ko: unknown code calls only exports, entries */
	bool	 has_symbols;
	const char *osabi;	/* "freebsd", "linux", "none", ... */
	const char *arch;	/* "amd64", "i386" */
	struct ks_sect *sects;
	size_t	 nsect;
	struct ks_osym *syms;
	size_t	 nsym;
	struct ks_ofunc *funcs;	/* sorted by section, offset */
	size_t	 nfunc;
	struct ks_patch *patches; /* sorted by kind, section, offset */
	size_t	 npatch;
	/*
	 * What the other objects of the run told, and what this one has to
	 * tell them (filled by ks_obj_scan); NULL: nobody.
	 */
	const struct ks_interest *known;
	struct ks_interest *tell;
	/* Types of the kernel that it is for; NULL: not known. */
	const struct ks_btf *btf_base;
	enum ks_btf_use btf_use;	/* set by ks_obj_lower */
	void	*priv;		/* the file's bytes, libelf handle, DWARF */
};

/*
 * Opens PATH and calls FN for each object in it: itself, or each member of
 * an archive (thin ones too).  Bad input: KS_EPARSE, KS_ENOTSUP or KS_EIO
 * with one line that says what the file is instead ("LLVM bitcode",
 * "compressed with xz: unpack it first", ...).  FN owns the object and
 * frees it with ks_obj_free.  Stops at FN's first non-zero result.
 */
int	ks_obj_open(const char *path,
	    int (*fn)(struct ks_obj *o, void *ctx, struct ks_error *err),
	    void *ctx, struct ks_error *err);
/* The same for a file that goes by another name in places and errors. */
int	ks_obj_open_as(const char *path, const char *name,
	    int (*fn)(struct ks_obj *o, void *ctx, struct ks_error *err),
	    void *ctx, struct ks_error *err);
void	ks_obj_free(struct ks_obj *o);

/* First patch of KIND with sect and off >= OFF (binary search), or NULL. */
const struct ks_patch *ks_obj_patch(const struct ks_obj *o,
	    enum ks_patch_kind kind, uint32_t sect, uint64_t off);
/* First relocation at or behind OFF (binary search), or NULL. */
const struct ks_rel *ks_obj_rel(const struct ks_sect *s, uint64_t off);
/* Function that holds this place, or KS_NONE. */
uint32_t ks_obj_func_at(const struct ks_obj *o, uint32_t sect, uint64_t off);

/*
 * What an address or relocated field refers to.  sym is the symbol that the
 * relocation names or, where it names a section or there is none, the best
 * named symbol that holds the place (static functions and variables).
 * Nothing is known: KS_NONE, KS_NOSECT.
 */
struct ks_oref {
	uint32_t sym;		/* named symbol, defined or not; KS_NONE */
	uint32_t sect;		/* where it is defined, else KS_NOSECT */
	uint64_t off;
	bool	 got;		/* the GOT entry of sym, not sym itself */
};
/*
 * Target of the pc-relative field of LEN bytes stored at OFF in section SECT,
 * VALUE being what is stored there and END the offset it is relative to.
 */
struct ks_oref ks_obj_pcrel(const struct ks_obj *o, uint32_t sect,
	    uint64_t off, int64_t value, uint64_t end);
/*
 * The same for a field of LEN bytes (1, 2, 4, 8) in data.  A pc-relative one
 * is taken as relative to its own place (entries of relative jump tables are
 * not: they need ks_obj_rel and the table's start).  Linked x86-64 files: 8
 * bytes are an address, 4 bytes a distance from their own place.
 */
struct ks_oref ks_obj_data_ref(const struct ks_obj *o, uint32_t sect,
	    uint64_t off, unsigned len);

/* special.c, func.c: called by ks_obj_open. */
int	ks_obj_special(struct ks_obj *o, struct ks_error *err);
int	ks_obj_functions(struct ks_obj *o, struct ks_error *err);

/*
 * scan.c: first level over all executable bytes; sets KS_OFUNC_* and closes
 * MATTERS over callers and callees (DESIGN section 6).  PARANOID: decode
 * with the second level, too, and fail on any difference.
 */
struct ks_scan_stats { uint64_t bytes, insns, funcs, simd_funcs, matter; };
int	ks_obj_scan(struct ks_obj *o, const struct ks_profile *p, bool paranoid,
	    struct ks_scan_stats *st, struct ks_error *err);

/*
 * lower.c: event graphs of all functions that matter, as one unit.
 * Undecodable reachable bytes become findings in F.
 */
int	ks_obj_lower(struct ks_obj *o, const struct ks_profile *p,
	    struct ks_findings *f, struct ks_unit **out, struct ks_error *err);

/* reloc.c: obj-reloc-range, obj-got-reloc, obj-libcall; after ks_obj_scan. */
void	ks_obj_check_relocs(const struct ks_obj *o, const struct ks_profile *p,
	    uint64_t kernbase, struct ks_findings *f);
/*
 * stack.c: obj-red-zone, obj-stack-align, obj-mmx-state; ks_obj_lower has
 * looked at the functions that it lowered.
 */
void	ks_obj_check_stack(const struct ks_obj *o, const struct ks_profile *p,
	    struct ks_findings *f);

/*
 * lines.c (libdw, optional): adds file:line:col to every place of F in O
 * that has a section and offset but no file.
 */
void	ks_obj_add_lines(struct ks_obj *o, const char *debug_dir,
	    struct ks_findings *f);

/* cmd_obj.c: "ksimd obj". */
int	ks_cmd_obj(int argc, char **argv);

#endif
