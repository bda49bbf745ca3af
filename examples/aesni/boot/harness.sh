# SPDX-License-Identifier: BSD-2-Clause
#
# Shared by what boots the harness; read with ".", after $boot is set to the
# folder of this file.

# A kernel's flags (demo/kernel.mk), for the harness itself.
harness_flags="-O2 -std=gnu11 -ffreestanding -fno-pic -mcmodel=kernel \
-mno-red-zone -mno-mmx -mno-sse -msoft-float -fwrapv -fno-strict-aliasing \
-fno-common -fno-omit-frame-pointer -fno-asynchronous-unwind-tables \
-fno-stack-protector -D_KERNEL -Wall -Wextra -Werror"

# harness_build FOLDER CC: boot.o, fpu.o, start.o
harness_build() {
	for file in boot.c fpu.c boot.S; do
		object=${file%.c}
		[ "$file" != boot.S ] || object=start
		"$2" $harness_flags -I "$boot" -I "$boot/../kern" \
		    -c "$boot/$file" -o "$1/$object.o" || return
	done
}

# harness_boot KERNEL SECONDS: the console on standard output; the status is
# the program's, or 124 when it takes too long.
harness_boot() {
	timeout "$2" qemu-system-x86_64 -accel tcg -cpu max -m 256 \
	    -machine pc -nodefaults -no-reboot -display none \
	    -device isa-debug-exit,iobase=0xf4,iosize=1 \
	    -serial stdio -monitor none -kernel "$1" </dev/null
	status=$?
	[ "$status" -ge 124 ] || [ $((status & 1)) -eq 0 ] ||
	    return $((status >> 1))
	[ "$status" -ne 0 ] || status=125
	return "$status"
}
