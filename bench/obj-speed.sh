#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# How fast is "ksimd obj", on one core, beside decoders and disassemblers?
#
# usage: bench/obj-speed.sh [MODULE_DIR]
#
# 1. All modules in one run (not amdgpu: its own profile would be chosen for
#    all), and one large module (i915) by itself.
# 2. On that module, also objdump -d and llvm-objdump -d; on all modules,
#    the first level alone and Zydis without operands (bench/decode-bench).
# 3. The programs take turns, five times; CPU seconds (user and system) of
#    the median count, and the peak of memory.  MB are 10^6 bytes of
#    executable sections.
#
# Without a folder: what bench/debian-modules.sh has unpacked.
set -eu
cd "$(dirname "$0")/.."
ksimd=${KSIMD:-build/bin/ksimd}
decode=${DECODE_BENCH:-build/bench/bench-decode-bench}
dir=${1:-build/cache/debian-modules}
llvm=$(command -v llvm-objdump-19 || command -v llvm-objdump || true)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

find "$dir" -name '*.ko' ! -name 'amdgpu.ko' | LC_ALL=C sort > "$tmp/all"
[ -s "$tmp/all" ] || {
	echo "$dir: no modules; run bench/debian-modules.sh first" >&2
	exit 1
}
large=$(grep '/i915\.ko$' "$tmp/all" || xargs ls -S < "$tmp/all" | head -n 1)
printf '%s\n' "$large" > "$tmp/large"

cat > "$tmp/measure.py" <<'END'
import os, resource, subprocess, sys

RUNS = 5
tmp, ksimd, llvm = sys.argv[1:4]
files = {name: open(f"{tmp}/{name}").read().split()
         for name in ("all", "large")}
ksimd_args = [ksimd, "obj", "--profile", "linux", "--stats", "-o",
              "/dev/null"]
jobs = {("ksimd obj", "all"): ksimd_args, ("ksimd obj", "large"): ksimd_args,
        ("objdump -d", "large"): ["objdump", "-d"]}
if llvm:
    jobs[("llvm-objdump -d", "large")] = [llvm, "-d"]


def run(command):
    """CPU seconds, peak KiB and standard error of a command."""
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(w, 2)
        os.execvp(command[0], command)
    os.close(w)
    with os.fdopen(r, errors="replace") as f:
        text = f.read()
    _, status, use = os.wait4(pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"{command[0]} failed: {text}")
    return use.ru_utime + use.ru_stime, use.ru_maxrss, text


times = {job: [] for job in jobs}
peak = {}
size = {}
for _ in range(RUNS):
    for job, command in jobs.items():
        t, kib, text = run(command + files[job[1]])
        times[job].append(t)
        peak[job] = max(peak.get(job, 0), kib)
        if job[0] == "ksimd obj":
            words = text.split()
            size[job[1]] = int(words[words.index("bytes") - 1])
speed = {}
print(f"{'program':18} {'input':6} {'MB':>7} {'CPU s':>8} {'MB/s':>8} "
      f"{'peak MiB':>9}")
for job in jobs:
    t = sorted(times[job])[RUNS // 2]
    mb = size[job[1]] / 1e6
    speed[job] = mb / t
    print(f"{job[0]:18} {job[1]:6} {mb:7.2f} {t:8.3f} {mb / t:8.1f} "
          f"{peak[job] / 1024:9.1f}")
own = speed[("ksimd obj", "large")]
for job in jobs:
    if job[0] != "ksimd obj":
        print(f"ksimd obj is {own / speed[job]:.1f} times as fast as "
              f"{job[0]}")
END
echo "all: $(wc -l < "$tmp/all") modules; large: $(basename "$large")"
python3 "$tmp/measure.py" "$tmp" "$ksimd" "$llvm"
if [ -x "$decode" ]; then
	echo "decoders alone, on the code of all:"
	xargs -s 1000000 "$decode" < "$tmp/all"
fi
