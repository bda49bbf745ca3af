# SPDX-License-Identifier: BSD-2-Clause
"""Results of a made-up machine without AVX-512, for bench/report/page.py.

usage: bench-page.py [check]     (in a folder with build/bench)

check: parses every plot of the page as XML.
"""
import json
import re
import sys
import xml.dom.minidom

if sys.argv[1:] == ["check"]:
    with open("build/bench/report.html") as f:
        plots = re.findall(r"<svg.*?</svg>", f.read(), re.S)
    assert len(plots) == 6, len(plots)
    for plot in plots:
        node = xml.dom.minidom.parseString(plot).documentElement
        assert node.getAttribute("viewBox").startswith("0 0 360 ")
        numbers = [float(v) for n in node.getElementsByTagName("rect")
                   for v in (n.getAttribute("height"), n.getAttribute("y"))]
        assert all(0 <= v <= 300 for v in numbers), numbers
    sys.exit(0)


def s(v):
    return {"median": v, "spread": v / 50, "n": 3}


MACHINE = {"cpu": "an <odd> CPU", "processors": 2, "load": 0.5,
           "compilers": {"gcc": "gcc 12", "clang-19": "clang 19"}}
rows = []
for key in (128, 256):
    for unit in (65536, 4096, 512):
        for direction in ("encrypt", "decrypt"):
            for v in ("openssl", "block", "aesni", "vaes2", "vaes512"):
                row = {"key": key, "unit": unit, "direction": direction,
                       "contender": v}
                if v == "vaes512":
                    row["unavailable"] = "this CPU lacks AVX-512 F or BW"
                else:
                    row["MB/s"] = [1000, 10]
                    if v != "openssl":
                        row["of openssl"] = [1.25, 0.02]
                        row["of limit"] = [0.84, 0.01]
                rows.append(row)
with open("build/bench/xts.json", "w") as f:
    json.dump(dict(MACHINE, openssl="OpenSSL 3",
                   rows={"clang-19": rows, "gcc": rows}), f)

sizes = [str(64 << n) for n in range(11)]
region = {"empty ns": s(100), "empty cycles": s(320),
          "extra %": {z: s(64000 / int(z)) for z in sizes},
          "cycles": {z: s(300) for z in sizes[:-3]},
          "bytes per cycle": s(3), "bytes under 5 %": 16384}
ratios = [("old/software", 9, 1.63), ("new/old", 8, 2.27),
          ("new/software", 72, 3.71), ("VAES-512/new", None, None)]
level = {"O2": s(4000), "O3": s(3990), "gain %": -0.3, "half interval %": 1.2,
         "differs at 95 %": False, "bytes of code": [4000, 4000]}
with open("build/bench/lists.json", "w") as f:
    json.dump(dict(
        MACHINE,
        device={"MB/s": {"software": s(60), "old": s(500), "new": s(4000),
                         "VAES-512": None}, "then": {"software": 59.61},
                "ratio": {n: {"today": v and s(v), "then": t}
                          for n, v, t in ratios}},
        jobs=[{"jobs": n, "software MB/s": s(50 * n), "new MB/s": s(4000 * n),
               "VAES-512 MB/s": None} for n in (1, 2, 3)],
        levels={"wrap2, gcc": level, "rolled, gcc": dict(
            level, **{"gain %": 130.0})},
        regions={"x87+SSE": region, "AVX-512": None}), f)
with open("build/bench/lists.txt", "w") as f:
    f.write("a table with <words>\n")
with open("build/bench/linux.txt", "w") as f:
    f.write("half of it\n")
with open("build/bench/linux.failed", "w") as f:
    f.write("2\n")
