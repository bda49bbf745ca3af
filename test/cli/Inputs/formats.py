# SPDX-License-Identifier: BSD-2-Clause
"""Compares what ksimd obj prints of the same objects in each format, with
several threads, and what ksimd solve says of their graphs."""
import json
import subprocess
import sys

ksimd, objects = sys.argv[1], sys.argv[2:]
base = [ksimd, "obj", "--profile", "freebsd", "--advice", "--all"]


def run(*command):
    result = subprocess.run(command, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)
    assert result.returncode == 1, result
    return result.stdout


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


plain = run(*base, "--format", "json", *objects)
found = lines(plain)
assert {"simd-outside-region", "region-nested", "region-in-loop"} <= {
    one["id"] for one in found}, plain

# The same bytes, however many threads.
for threads in ("0", "2", "7"):
    assert run(*base, "-j", threads, "--format", "json", *objects) == plain
# The order of inputs does not matter either.
assert run(*base, "--format", "json", *reversed(objects)) == plain

text = run(*base, *objects)
assert len([line for line in text.splitlines() if line.endswith("]")]) == len(
    found), text
for one in found:
    assert "%s:%s+0x%x: %s: %s [%s]" % (
        one["object"], one["function"], one["offset"], one["severity"],
        one["message"], one["id"]) in text, one

sarif = json.loads(run(*base, "--format", "sarif", *objects))["runs"][0]
assert [(r["ruleId"], r["level"], r["partialFingerprints"]["ksimd/v1"])
        for r in sarif["results"]] == [
    (one["id"], one["severity"], one["fingerprint"]) for one in found]
assert sarif["invocations"][0]["commandLine"].startswith("ksimd obj --profile")

html = run(*base, "--format", "html", *objects)
assert html.count("<section") == len(found)

# The file is what standard output was.
run(*base, "--format", "json", "-o", "out.json", *objects)
with open("out.json") as f:
    assert f.read() == plain

# Graphs: the places are the objects', without source lines.
run(*base, "--emit-graph", "all.ksg", *objects)
solved = lines(run(ksimd, "solve", "--profile", "freebsd", "--advice",
                   "--format", "json", "all.ksg"))


def key(one):
    return (one["id"], one["object"], one["function"], one["offset"],
            one["fingerprint"])


assert [key(one) for one in solved] == [
    key(one) for one in found if not one["id"].startswith("obj-")]
