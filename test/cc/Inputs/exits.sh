# SPDX-License-Identifier: BSD-2-Clause
#
# Compiles exits.c through "ksimd cc" at all levels, by how frames are laid out.
#
# usage: exits.sh KSIMD SOURCE CLANG [FLAG ...]
ksimd=$1
source=$2
shift 2
for level in 0 1 2 3 s; do
	for frame in omit-frame-pointer no-omit-frame-pointer \
	    stack-protector-strong; do
		"$ksimd" cc --profile freebsd -- "$@" -D_KERNEL -O$level \
		    -f$frame -ftrivial-auto-var-init=zero -c "$source" \
		    -o "$level-$frame.o" || exit
	done
done
