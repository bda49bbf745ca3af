# SPDX-License-Identifier: BSD-2-Clause
"""Each line is an object with the documented keys, in that order."""
import json
import sys

PLACE = ["function", "file", "line", "column", "object", "section", "offset"]
KEYS = ["id", "severity"] + PLACE + ["message", "fingerprint", "trace"]

with open(sys.argv[1], encoding="utf-8") as f:
    lines = f.read().splitlines()
assert lines
for line in lines:
    one = json.loads(line)
    assert list(one) == [key for key in KEYS if key in one], line
    assert {"id", "severity", "message", "fingerprint", "trace"} <= set(one)
    assert len(one["fingerprint"]) == 32, line
    for step in one["trace"]:
        assert list(step) == [k for k in PLACE + ["message"] if k in step], line
prints = [json.loads(line)["fingerprint"] for line in lines]
assert len(set(prints)) == len(prints), "a fingerprint twice"
