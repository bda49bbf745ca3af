# SPDX-License-Identifier: BSD-2-Clause
"""Checks a Linux tree with a compilation database, group by group.

usage: table.py KSIMD TREE OUT [GROUP ...]

A group is a list of folders, checked whole: its files are lowered in parts, on
all processors, and solved together, so that calls between them are known.
What its assembly needs, the object check says: a contract.  The graphs of all
groups are then solved together.  OUT gets a row a group
(linux.tsv), and by group the contract, the findings as JSON lines and as text,
and the standard error with the assumptions.

At the end, files of the tree that have SIMD code of x86 and are in no group
are named: what this kernel's configuration leaves out, and nothing else, may
be there.
"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import time

# Name, profile, what the paths begin with; "/*.c": not in folders below.
GROUPS = [
    ("crypto", "linux", ["arch/x86/crypto/", "crypto/", "lib/crypto/",
                         "drivers/crypto/padlock"]),
    ("raid", "linux", ["lib/raid6/", "drivers/md/"]),
    ("wireguard", "linux", ["drivers/net/wireguard/"]),
    ("netfilter", "linux", ["net/netfilter/"]),
    ("kvm", "linux", ["arch/x86/kvm/", "virt/"]),
    ("x86", "linux", ["arch/x86/", "drivers/firmware/efi/"]),
    ("lib", "linux", ["lib/*.c", "lib/zstd/"]),
    ("drm", "linux", ["drivers/gpu/drm/*.c", "drivers/gpu/drm/i915/*.c",
                      "drivers/char/hw_random/*.c"]),
    ("amdgpu", "amdgpu-dc", ["drivers/gpu/drm/amd/display/"]),
]

ENTER = re.compile(r"\b(kernel_fpu_begin\w*|kvm_fpu_get|DC_FP_START|"
                   r"dc_fpu_begin)\b")
FLAGS = re.compile(r"(?<=\s)-m(sse|avx|hard-float|mmx|80387|aes)")
CODE = re.compile(r"%[xyz]?mm[0-9]|\b_mm[0-9]*_[a-z0-9_]+\(|"
                  r"\.byte[^\"\n]*0x0f, *0xa[67]|[\"'\s\\tn](emms|fninit|fnclex|"
                  r"fldcw|fxsave|fxrstor|xsaves?|xrstors?|ldmxcsr|movntdqa|"
                  r"vmovntdqa|xcrypt\w+|xstore)\b[^()\"\n]*\"",
                  re.I)
FLOATS = re.compile(r"^[^*/\n]*\b(float|double)\s+\**\w+\s*[;=,)(\[]", re.M)


def group_of(path, names):
    for name, _, prefixes in GROUPS:
        for p in prefixes:
            if path.startswith(p) if not p.endswith("/*.c") else \
                    os.path.dirname(path) == p[:-4]:
                return name if name in names else None
    return None


def assembled(tree, prefixes):
    """Objects made from .S in these folders."""
    for p in prefixes:
        top = os.path.join(tree, os.path.dirname(p))
        for folder, folders, files in os.walk(top):
            if p.endswith("*.c"):
                folders[:] = []
            for f in sorted(files):
                path = os.path.relpath(os.path.join(folder, f[:-1] + "o"),
                                       tree)
                if f.endswith(".S") and path.startswith(p.rstrip("*.c")) and \
                        os.path.exists(os.path.join(tree, path)):
                    yield path


def contract(ksimd, profile, prefixes, tree, out):
    """A contract of the functions in assembly that need a region."""
    objects = list(assembled(tree, prefixes))
    needs, known = set(), set()
    if objects:
        # Names that only the assembly itself can call may be others' too.
        r = subprocess.run(["llvm-nm-19", "-g", "--defined-only", "-j"] +
                           objects, cwd=tree, text=True, check=True,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        known = set(r.stdout.split())
        r = subprocess.run([ksimd, "obj", "--profile", profile, "--format",
                            "json"] + objects, cwd=tree, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if r.returncode > 1:
            sys.exit("linux.sh: assembly: " + r.stderr)
        for line in r.stdout.splitlines():
            f = json.loads(line)
            if f["id"] == "needs-region" and f["function"] in known:
                needs.add(f["function"])
    with open(out, "w") as f:
        f.write("".join("needs %s\n" % n for n in sorted(needs)))
    return len(needs)


def stated(group):
    """A contract of what was read in the source, if there is one."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                        group + ".contract")
    return ["--contract", path] if os.path.exists(path) else []


def local_text(tree, path):
    """A file, and the headers beside it and of asm/ that it includes."""
    parts = []
    with open(os.path.join(tree, path), errors="replace") as f:
        parts.append(f.read())
    for kind, name in re.findall(r'^#\s*include\s+(["<])([^">]+)[">]',
                                 parts[0], re.M):
        at = os.path.join(tree, os.path.dirname(path), name) \
            if kind == '"' else \
            os.path.join(tree, "arch/x86/include", name) \
            if name.startswith("asm/xor") else None
        if at and os.path.isfile(at):
            with open(at, errors="replace") as f:
                parts.append(f.read())
    return strip("\n".join(parts))


def strip(text):
    """Without comments, in which anything may stand."""
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)


def why(tree, path, command):
    """Why a file is of interest: "enter", "flags", "code", or None."""
    try:
        text = local_text(tree, path)
    except OSError:
        return None
    if ENTER.search(text):
        return "enter"
    if command and FLAGS.search(command):
        return "flags"
    if CODE.search(text) or (command and FLOATS.search(text)):
        return "code"
    return None


def number(pattern, text):
    m = re.search(pattern, text)
    return int(m.group(1).replace(",", "")) if m else 0


def total(pattern, text):
    return sum(int(n) for n in re.findall(pattern, text))


PART = 24  # files lowered by one process


def run(command, tree):
    """Status, standard error, CPU seconds."""
    r = subprocess.Popen(command, cwd=tree, stderr=subprocess.PIPE,
                         stdout=subprocess.DEVNULL, text=True,
                         errors="replace")
    err = r.stderr.read()
    r.stderr.close()
    _, status, use = os.wait4(r.pid, 0)
    r.returncode = os.waitstatus_to_exitcode(status)
    return r.returncode, err, use.ru_utime + use.ru_stime


def lower(ksimd, tree, base, profile, files):
    """Graphs of these files; their names, the standard errors, CPU seconds.
    What one part finds is nothing yet: only findings of all count."""
    def part(i):
        graph = "%s.%d.ksg" % (base, i // PART)
        return (graph,) + run([ksimd, "check", "-p", ".", "--profile",
                               profile, "-o", "/dev/null", "--emit-graph",
                               graph] + files[i:i + PART], tree)

    with concurrent.futures.ThreadPoolExecutor(
            int(os.environ.get("KSIMD_JOBS", os.cpu_count() or 1))) as pool:
        parts = list(pool.map(part, range(0, len(files), PART)))
    for graph, status, err, _ in parts:
        if status > 2 or not os.path.exists(graph):
            sys.exit("linux.sh: %s: %s" % (graph, err))
    return ([p[0] for p in parts],
            "".join(re.sub(r"(?m)^\d+ functions?, .*\n", "", p[2])
                    for p in parts), sum(p[3] for p in parts))


def solve(ksimd, tree, base, profile, contracts, graphs):
    """Findings to BASE.json and, to read, to BASE.txt."""
    common = ["--profile", profile] + contracts + graphs
    status, err, cpu = run([ksimd, "solve", "--format", "json", "-o",
                            base + ".json", "--assumptions"] + common, tree)
    run([ksimd, "solve", "--all", "-o", base + ".txt"] + common, tree)
    return status, err, cpu


def row(name, files, mention, asm, status, err, cpu, wall, findings):
    ids, needs = {}, 0
    with open(findings) as f:
        for line in f:
            i = json.loads(line)["id"]
            if i == "needs-region":
                needs += 1
            else:
                ids[i] = ids.get(i, 0) + 1
    lines = [l for l in err.splitlines() if re.match(r"\d+ functions?, ", l)]
    verdict = lines[-1] if lines else ""
    return {
        "group": name, "files": files, "mention": mention, "asm": asm,
        "functions": number(r"^([\d,]+) functions?", verdict),
        "regions": number(r"([\d,]+) regions?", verdict),
        "needs": needs,
        "assumptions": number(r"([\d,]+) assumptions?", verdict),
        "unknown": number(r"([\d,]+) unknown indirect", verdict),
        "skipped": total(r"(\d+) files? skipped", err),
        "failed": total(r"(\d+) files? could not be checked", err),
        "wall": "%.1f" % wall, "cpu": "%.1f" % cpu,
        "findings": " ".join("%s:%d" % kv for kv in sorted(ids.items())) +
        ("" if status <= 2 and verdict else " no verdict (exit %d)" % status),
    }


def outside(tree, database, groups):
    """Files with x86 SIMD code that no group has."""
    loose = (r"kernel_fpu_begin|kvm_fpu_get|_mm[0-9]*_[a-z0-9_]+\(|"
             r"%[xyz]?mm[0-9]|0x0f, *0xa[67]|emms|fninit|fldcw|fxsave|xsave|"
             r"fxrstor|xrstor|ldmxcsr|movntdqa|xcrypt|xstore")
    r = subprocess.run(["grep", "-rlE", "--include=*.c", loose, "."],
                       cwd=tree, stdout=subprocess.PIPE, text=True)
    skip = re.compile(r"(tools|Documentation|samples|scripts|arch/(?!x86/))")
    for path in sorted(os.path.normpath(p) for p in r.stdout.splitlines()):
        if not skip.match(path) and path not in groups and \
                why(tree, path, None):
            yield path, ("in no group" if path in database
                         else "not configured")


def main():
    ksimd, tree, out = sys.argv[1:4]
    names = sys.argv[4:] or [g[0] for g in GROUPS]
    for n in names:
        if n not in [g[0] for g in GROUPS]:
            sys.exit("linux.sh: no group %s: %s" %
                     (n, " ".join(g[0] for g in GROUPS)))
    with open(os.path.join(tree, "compile_commands.json")) as f:
        database = {os.path.relpath(c["file"], tree): c["command"]
                    for c in json.load(f)}
    groups = {}
    for path in sorted(database):
        g = group_of(path, names)
        if g:
            groups[path] = g
    columns = ["group", "files", "mention", "asm", "functions", "regions", "needs",
               "assumptions", "unknown", "skipped", "failed", "wall", "cpu",
               "findings"]
    layout = ("%-10s %5s %7s %5s %9s %7s %5s %7s %7s %7s %6s %7s %7s  %s")
    print(layout % tuple(c if c != "assumptions" else "assum."
                         for c in columns))
    rows, graphs, seen = [], [], 0

    def add(r):
        rows.append(r)
        print(layout % tuple(r[c] for c in columns), flush=True)

    contracts = []
    for name, profile, prefixes in GROUPS:
        files = [p for p in groups if groups[p] == name]
        if not files:
            continue
        base = os.path.join(out, name)
        mention = sum(why(tree, p, database[p]) is not None for p in files)
        seen += mention
        asm = contract(ksimd, profile, prefixes, tree, base + ".contract")
        mine = ["--contract", base + ".contract"] + stated(name)
        contracts += mine
        start = time.time()
        parts, err, cpu = lower(ksimd, tree, base, profile, files)
        graphs += parts
        status, more, cpu2 = solve(ksimd, tree, base, profile, mine,
                                   parts)
        with open(base + ".err", "w") as f:
            f.write(err + more)
        add(row(name, len(files), mention, asm, status, err + more,
                cpu + cpu2, time.time() - start, base + ".json"))
    if len(rows) > 1:
        base = os.path.join(out, "all")
        start = time.time()
        status, err, cpu = solve(ksimd, tree, base, "amdgpu-dc", contracts,
                                 graphs)
        with open(base + ".err", "w") as f:
            f.write(err)
        add(row("all", len(groups), seen, sum(r["asm"] for r in rows), status,
                err, cpu, time.time() - start, base + ".json"))
    with open(os.path.join(out, "linux.tsv"), "w") as f:
        for r in [dict(zip(columns, columns))] + rows:
            f.write("\t".join(str(r[c]) for c in columns) + "\n")
    if not sys.argv[4:]:
        rest = list(outside(tree, database, groups))
        with open(os.path.join(out, "outside.txt"), "w") as f:
            for path, reason in rest:
                f.write("%s\t%s\n" % (path, reason))
        print("\n%d files with x86 SIMD code are in no group "
              "(%s/outside.txt)" % (len(rest), out))
    failed = sum(r["failed"] for r in rows)
    bad = [r["group"] for r in rows if "no verdict" in r["findings"]]
    if failed or bad:
        sys.exit("linux.sh: %d files could not be checked; no verdict: %s" %
                 (failed, " ".join(bad) or "none"))


main()
