/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Annotations for "ksimd check" and the Clang plugin.  To every other
 * compiler, and to code generation, they are nothing.  They stand before a
 * function's declaration or definition:
 *
 *	KSIMD_NEEDS void aes_blocks(...);	its callers must hold a region
 *	KSIMD_HELD static void update(...);	is called inside regions only, by
 *						code that ksimd does not see
 *	KSIMD_TRUST("saves what it clobbers")
 *	void switch_fpu(...);			is not judged; counted as an
 *						assumption of each proof
 *
 * A declaration in a header annotates the function for all that include it.
 */
#ifndef KSIMD_H
#define KSIMD_H

#ifdef __clang__
#define KSIMD_NEEDS	__attribute__((__annotate__("ksimd:needs")))
#define KSIMD_HELD	__attribute__((__annotate__("ksimd:held")))
#define KSIMD_TRUST(why) __attribute__((__annotate__("ksimd:trust: " why)))
#else
#define KSIMD_NEEDS
#define KSIMD_HELD
#define KSIMD_TRUST(why)
#endif

#endif
