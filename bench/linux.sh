#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# "ksimd check" on Linux 6.1: all folders of an x86_64 kernel in which there
# is SIMD code, with a table of what was found.
#
# usage: bench/linux.sh [GROUP ...]
#
# 1. Fetch: Debian's linux-source-6.1, by apt, unpacked below the work folder
#    KSIMD_LINUX (build/cache/linux-6.1).
# 2. Configure: x86_64_defconfig for clang-19, and what has SIMD code besides.
# 3. Record: Kbuild runs over these folders with a compiler that leaves empty
#    objects (bench/linux/cc.sh), and the tree's own gen_compile_commands.py
#    reads the commands that it wrote down.
# 4. Check: ksimd check lowers each group of folders, ksimd solve judges it;
#    then ksimd solve over all graphs (bench/linux/table.py).
#
# A step that is done is not done again; remove the work folder to begin anew.
# The results go to build/bench/linux: the table, and by group the findings
# (JSON and text), and the standard error with the assumptions.
# Takes about 25 minutes and 3 GB the first time.
set -eu
cd "$(dirname "$0")/.."
top=$PWD
ksimd=$(realpath "${KSIMD:-build/bin/ksimd}")
work=${KSIMD_LINUX:-build/cache/linux-6.1}
out=${KSIMD_LINUX_OUT:-build/bench/linux}
mkdir -p "$work" "$out"
work=$(realpath "$work")
out=$(realpath "$out")
tree=$work/linux-source-6.1

say() { printf '%s\n' "$*" >&2; }

need() {
	for tool; do
		command -v "$tool" > /dev/null || {
			say "linux.sh: $tool is needed (Debian: $packages)"
			exit 2
		}
	done
}
packages='make flex bison bc perl xz-utils clang-19 lld-19 llvm-19'
need make flex bison bc perl xz clang-19 ld.lld-19 llvm-ar-19 llvm-nm-19

# --- the tree ------------------------------------------------------------------

if [ ! -d "$tree" ]; then
	if [ ! -f "$work/source.tar.xz" ]; then
		say "fetching linux-source-6.1"
		mkdir -p "$work/deb"
		(cd "$work/deb" && apt-get download linux-source-6.1 >&2)
		dpkg -x "$work"/deb/linux-source-6.1_*.deb "$work/deb/x"
		mv "$work/deb/x/usr/src/linux-source-6.1.tar.xz" \
		    "$work/source.tar.xz"
		rm -r "$work/deb"
	fi
	say "unpacking it"
	rm -rf "$work/new"
	mkdir "$work/new"
	tar -C "$work/new" -xf "$work/source.tar.xz"
	mv "$work/new/linux-source-6.1" "$tree"
	rmdir "$work/new"
fi

# The compiler of all steps: Kbuild makes everything anew when it changes.
mkdir -p "$work/bin"
cp bench/linux/cc.sh "$work/bin/clang-19"
KSIMD_CC=${KSIMD_CC:-$(command -v clang-19)}
export KSIMD_CC
PATH=$work/bin:$PATH
export PATH

build() {
	make -C "$tree" LLVM=-19 "$@"
}

if [ ! -f "$work/configured" ]; then
	say "configuring"
	build x86_64_defconfig > "$work/config.log" 2>&1
	# All x86 implementations of ciphers and hashes.
	sed -n 's/^config \(CRYPTO_.*\)/\1/p' "$tree/arch/x86/crypto/Kconfig" |
	    while read -r option; do
		echo "CONFIG_$option=m"
	done > "$work/config"
	cat >> "$work/config" <<-'CONFIG'
	CONFIG_CRC_T10DIF=m
	CONFIG_CRYPTO_CRCT10DIF=m
	CONFIG_RAID6_PQ=m
	CONFIG_MD=y
	CONFIG_BLK_DEV_MD=m
	CONFIG_MD_RAID456=m
	CONFIG_DRM_AMDGPU=m
	CONFIG_DRM_AMDGPU_SI=y
	CONFIG_DRM_AMDGPU_CIK=y
	CONFIG_DRM_AMD_DC=y
	CONFIG_DRM_AMD_DC_SI=y
	CONFIG_DRM_AMD_DC_HDCP=y
	CONFIG_WIREGUARD=m
	CONFIG_NETFILTER_ADVANCED=y
	CONFIG_NF_TABLES=m
	CONFIG_NF_TABLES_INET=y
	CONFIG_VIRTUALIZATION=y
	CONFIG_KVM=m
	CONFIG_KVM_INTEL=m
	CONFIG_KVM_AMD=m
	CONFIG_CRYPTO_DEV_PADLOCK=y
	CONFIG_CRYPTO_DEV_PADLOCK_AES=m
	CONFIG_CRYPTO_DEV_PADLOCK_SHA=m
	CONFIG_HW_RANDOM_VIA=m
	CONFIG_RUNTIME_TESTING_MENU=y
	CONFIG_TEST_FPU=m
	CONFIG
	(cd "$tree" && scripts/kconfig/merge_config.sh -m .config \
	    "$work/config") >> "$work/config.log" 2>&1
	build olddefconfig >> "$work/config.log" 2>&1
	for option in RAID6_PQ DRM_AMDGPU DRM_AMD_DC DRM_AMD_DC_DCN WIREGUARD \
	    NF_TABLES KVM CRYPTO_AES_NI_INTEL CRYPTO_TWOFISH_AVX_X86_64; do
		grep -q "^CONFIG_$option=[ym]" "$tree/.config" || {
			say "linux.sh: CONFIG_$option cannot be set"
			exit 2
		}
	done
	build -j "$(nproc)" prepare > "$work/prepare.log" 2>&1 || {
		tail "$work/prepare.log" >&2
		exit 2
	}
	: > "$work/configured"
fi

if [ ! -f "$tree/compile_commands.json" ]; then
	say "recording the commands"
	clang-19 -c -x c -o "$work/empty.o" /dev/null
	KSIMD_EMPTY=$work/empty.o build -j "$(nproc)" objtool=true \
	    arch/x86/ arch/x86/lib/ arch/x86/power/ crypto/ lib/ \
	    drivers/md/ drivers/net/wireguard/ net/netfilter/ \
	    drivers/gpu/drm/ \
	    drivers/crypto/ drivers/char/hw_random/ drivers/firmware/efi/ \
	    > "$work/record.log" 2>&1 || {
		tail "$work/record.log" >&2
		exit 2
	}
	(cd "$tree" && scripts/clang-tools/gen_compile_commands.py)
fi

exec python3 "$top/bench/linux/table.py" "$ksimd" "$tree" "$out" "$@"
