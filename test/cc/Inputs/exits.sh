# SPDX-License-Identifier: BSD-2-Clause
#
# Compiles exits.c through "ksimd cc" at all levels, by how frames are laid out
# and by where the work is.
#
# usage: exits.sh KSIMD SOURCE CLANG [FLAG ...]
ksimd=$1
source=$2
shift 2
compile()
{
	for frame in omit-frame-pointer no-omit-frame-pointer \
	    stack-protector-strong; do
		"$ksimd" cc --profile freebsd -- "$@" -D_KERNEL -f$frame \
		    -ftrivial-auto-var-init=zero -c "$source" \
		    -o "$level-$frame$own.o" || exit
	done
}

for level in 0 1 2 3 s; do
	own= compile "$@" -O$level
	own=-own compile "$@" -O$level -DOWN
done
