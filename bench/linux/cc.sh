#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Stands before the compiler while Kbuild writes down its commands.  With
# KSIMD_EMPTY set to an empty object, what would compile a kernel file is given
# that object, and a dependency file with the source alone.  Assembly, what is
# linked at once (the vdso, boot code), all else, and everything without
# KSIMD_EMPTY, is done by the compiler, KSIMD_CC.
#
# So each .cmd file holds the true command, and no file costs more than
# Kbuild's own work.
set -eu

kernel= out= dep= last= previous=
if [ -n "${KSIMD_EMPTY:-}" ]; then
	for word; do
		case $word in
		-c) compile=1 ;;
		-D__KERNEL__) kernel=1 ;;
		-Wp,-MMD,*) dep=${word#-Wp,-MMD,} ;;
		esac
		[ "$previous" != -o ] || out=$word
		previous=$word
		last=$word
	done
fi
if [ -n "$kernel" ] && [ -n "${compile:-}" ] && [ -n "$dep" ]; then
	case $out$last in
	*/vdso/* | */boot/* | */realmode/* | */purgatory/* | *.S) ;;
	*.o*.c)
		printf '%s: %s\n' "$out" "$last" > "$dep"
		exec cp "$KSIMD_EMPTY" "$out"
		;;
	esac
fi
exec "$KSIMD_CC" "$@"
