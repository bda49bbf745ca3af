# SPDX-License-Identifier: BSD-2-Clause
"""Prints a SARIF log without help texts, after checking what ties it
together: rule indexes, help texts, code flows that end at the finding."""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as f:
    log = json.load(f)
assert log["version"] == "2.1.0" and len(log["runs"]) == 1
run = log["runs"][0]
rules = run["tool"]["driver"]["rules"]
assert [r["id"] for r in rules] == sorted(r["id"] for r in rules)
assert run["results"]
used = set()
for result in run["results"]:
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    used.add(result["ruleId"])
    assert len(result["partialFingerprints"]["ksimd/v1"]) == 32
    if "codeFlows" in result:
        steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
        last = dict(steps[-1]["location"])
        assert last.pop("message") == result["message"]
        assert last == result["locations"][0]
        assert len(steps) >= 2
assert used == {r["id"] for r in rules}, "a rule without a result"
for rule in rules:
    text = rule["help"].pop("text")
    assert rule["help"].pop("markdown") == text
    assert "Cure:" in text and "Silence:" in text, rule["id"]
json.dump(log, sys.stdout, indent=1)
print()
