# SPDX-License-Identifier: BSD-2-Clause
"""Makes build/bench/report.html of what the scripts of bench/ have left.

usage: page.py      (in the top folder, after the scripts: ./dev bench)

Reads build/bench/xts.json and lists.json, and the output of every script from
build/bench/NAME.txt.  What is not there is said to be missing.
"""
import glob
import html
import json
import os
import sys

sys.path.insert(0, os.path.join("bench", "report"))
from measure import BUILD  # noqa: E402
from plot import bars, curves  # noqa: E402

COLOURS = ["#0b6fb8", "#c4531b", "#2c8a3f", "#8a4fbf", "#a08000", "#777"]
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; padding: 12px;
  max-width: 46rem; color: #1c1c1c; background: #fff }
h1 { font-size: 1.5rem } h2 { font-size: 1.2rem; margin-top: 2rem }
figure { margin: 1rem 0 } svg { width: 100%; height: auto; display: block }
figcaption { font-size: .9rem; color: #555 }
svg text { font: 9px system-ui, sans-serif; fill: currentColor }
svg .value { font-size: 8px } svg .note { font-size: 8px; fill: #777;
  paint-order: stroke; stroke: #fff; stroke-width: 2.5px }
.grid { stroke: #8884; stroke-width: .5 }
.mark { stroke: #888; stroke-dasharray: 4 3 }
.error { stroke: currentColor } polyline { fill: none; stroke-width: 1.6 }
.scroll, pre { overflow-x: auto } pre { font-size: .75rem; line-height: 1.3 }
table { border-collapse: collapse; font-size: .85rem }
td, th { padding: 2px 8px; text-align: right; border-bottom: 1px solid #8884 }
td:first-child, th:first-child { text-align: left }
summary { padding: 6px 0; cursor: pointer }
@media (prefers-color-scheme: dark) { body { background: #161616;
  color: #e6e6e6 } figcaption { color: #aaa } svg .note { fill: #999;
  stroke: #161616 } }
""" + "".join(".s%d { fill: %s } .l%d { stroke: %s }\n" % (i, c, i, c)
              for i, c in enumerate(COLOURS))


def load(name):
    try:
        with open(os.path.join(BUILD, name + ".json")) as f:
            return json.load(f)
    except FileNotFoundError:
        return None


def table(head, rows):
    def line(tag, cells):
        return "<tr>%s</tr>" % "".join(
            "<%s>%s</%s>" % (tag, html.escape(str(c)), tag) for c in cells)
    return '<div class="scroll"><table>%s%s</table></div>' % (
        line("th", head), "".join(line("td", r) for r in rows))


def size(n):
    return "%d" % n if n < 1024 else "%dK" % (n // 1024)


def with_spread(s, form="%.2f"):
    if s is None:
        return "UNAVAILABLE"
    return (form + " ± " + form) % (s["median"], s["spread"])


def xts(r):
    names = ["aesni", "vaes2", "vaes512"]
    rows = {(c, x["key"], x["unit"], x["direction"], x["contender"]): x
            for c in r["rows"] for x in r["rows"][c]}

    def get(key, what):
        return tuple(rows[key][what]) if what in rows[key] else None
    groups = [(c, k, d) for c in r["rows"] for k in (128, 256)
              for d in ("encrypt", "decrypt")]
    labels = ["%s %d %s" % (c.split("-")[0], k, d[:3]) for c, k, d in groups]
    out = ["<p>%s. Ratios are medians of rounds in which all run one after "
           "the other; <i>of its limit</i> is beside a loop of the variant's "
           "own form of AESENC.</p>" % html.escape(r["openssl"])]
    out.append(bars(
        "4 KiB units: times OpenSSL's AES-XTS",
        [n.replace(" ", "·") for n in labels[:4]],
        {n: [get((c, k, 4096, d, n), "of openssl")
             for c, k, d in groups[:4]] for n in names},
        lines=[("OpenSSL", 1), ("aim of vaes512: 1.7", 1.7)]))
    out.append(bars(
        "clang-19, AES-128, encrypt: share of the issue limit by unit",
        ["512 B", "4 KiB", "64 KiB"],
        {n: [get(("clang-19", 128, u, "encrypt", n), "of limit")
             for u in (512, 4096, 65536)] for n in names},
        lines=[("aim of aesni: 0.80", 0.8)]))
    body = []
    for key, x in rows.items():
        if x["contender"] not in names + ["block"]:
            continue
        cells = ["UNAVAILABLE: " + x["unavailable"], "", ""] \
            if "unavailable" in x else [
                "%.0f" % x["MB/s"][0],
                "%.2f ± %.2f" % tuple(x["of openssl"]),
                "%.2f ± %.2f" % tuple(x["of limit"])]
        body.append(["%s, %d, %s" % (key[0], key[1], key[3]), size(key[2]),
                     key[4], *cells])
    out.append("<details><summary>All rows</summary>%s</details>" % table(
        ["compiler, key", "unit", "variant", "MB/s", "of OpenSSL",
         "of its limit"], body))
    return "".join(out)


def device(r):
    if "device" not in r:
        return "<p>UNAVAILABLE: no AES-NI or no XSAVE.</p>"
    d = r["device"]
    rows = [[n, with_spread(s, "%.0f"), d["then"].get(n, "")]
            for n, s in d["MB/s"].items()]
    rows += [[n, with_spread(s["today"]), s["then"] or ""]
             for n, s in d["ratio"].items()]
    then = [n for n, s in d["ratio"].items() if s["then"]]
    return bars("Ratios today, and in the commit of 2012/13", then, {
        "today": [d["ratio"][n]["today"]["median"] for n in then],
        "then": [d["ratio"][n]["then"] for n in then]}, log=True) + \
        table(["MB/s, ratio", "today", "then"], rows)


def jobs(r):
    if not r.get("jobs"):
        return "<p>UNAVAILABLE: no AES-NI or no XSAVE.</p>"

    def series(key):
        if r["jobs"][0][key] is None:
            return None
        return [j[key]["median"] for j in r["jobs"]]
    return curves("MB/s by jobs, wall clock, %d processors; the mail of 2020 "
                  "had 530 and 2825 MiB/s with 8 jobs" % r["processors"],
                  [j["jobs"] for j in r["jobs"]],
                  {n: series(n + " MB/s") for n in (
                      "software", "new", "VAES-512")}, log=True)


def levels(r):
    if "levels" not in r:
        return "<p>UNAVAILABLE: no AES-NI or no XSAVE.</p>"
    gain = {n: (v["gain %"], v["half interval %"])
            for n, v in r["levels"].items()}
    rows = [[n, with_spread(v["O2"], "%.0f"), with_spread(v["O3"], "%.0f"),
             "%+.1f ± %.1f %%" % gain[n],
             "yes" if v["differs at 95 %"] else "no",
             "%d, %d" % tuple(v["bytes of code"])]
            for n, v in r["levels"].items()]
    return bars("-O3 against -O2, % of speed, with the interval at 95 %",
                ["2012", *(n.replace(", ", "·") for n in gain)],
                {"gain %": [27.9, *gain.values()]}) + table(
        ["file, compiler", "-O2 MB/s", "-O3 MB/s", "gain", "differs",
         "bytes of code"], rows)


def regions(r):
    states = r.get("regions", {})
    there = {n: s for n, s in states.items() if s}
    if not there:
        return "<p>UNAVAILABLE: no AES-NI or no XSAVE.</p>"
    sizes = list(next(iter(there.values()))["extra %"])
    rows = [[n, *(["UNAVAILABLE"] + [""] * 3 if s is None else [
        "%.0f" % s["empty cycles"]["median"],
        "%.0f" % s["cycles"]["4096"]["median"],
        "%.0f" % s["extra %"]["4096"]["median"],
        size(s["bytes under 5 %"]) if s["bytes under 5 %"] else "never"])]
        for n, s in states.items()]
    return curves(
        "Extra time in % by the bytes of work in a region; dashed: the mail "
        "of 2018, and 5 %", [size(int(s)) for s in sizes],
        {n: s and [s["extra %"][z]["median"] for z in sizes]
         for n, s in states.items()}, log=True,
        lines=[("5 %", 5), ("24 %, AVX2", 24), ("121 %, AVX-512", 121)]) + \
        table(["state, work", "cycles, empty", "cycles, 4 KiB",
               "extra % at 4 KiB", "under 5 % from"], rows)


def outputs():
    out = []
    for path in sorted(glob.glob(os.path.join(BUILD, "*.txt"))):
        name = os.path.basename(path)[:-4]
        with open(path, errors="replace") as f:
            text = f.read()
        failed = os.path.exists(os.path.join(BUILD, name + ".failed"))
        out.append("<details><summary>bench/%s.sh%s</summary><pre>%s</pre>"
                   "</details>" % (html.escape(name),
                                   ": FAILED" if failed else "",
                                   html.escape(text)))
    return "".join(out) or "<p>none</p>"


def main():
    x, r = load("xts"), load("lists")
    machine = x or r
    parts = ["<h1>ksimd: measured</h1>"]
    if machine:
        parts.append("<p>%s, %d processors, load %.1f at start; %s.</p>" % (
            html.escape(machine["cpu"]), machine["processors"],
            machine["load"], html.escape("; ".join(
                machine["compilers"].values()))))
    for title, data, section in (
            ("AES-XTS beside OpenSSL", x, xts),
            ("A device in memory", r, device),
            ("Jobs", r, jobs),
            ("-O2 and -O3", r, levels),
            ("A region inside a loop", r, regions)):
        parts.append("<h2>%s</h2>%s" % (title, section(data) if data else
                                        "<p>missing: not measured</p>"))
    parts.append("<h2>What each script printed</h2>" + outputs())
    path = os.path.join(BUILD, "report.html")
    with open(path, "w") as f:
        f.write('<!doctype html><html lang="en"><head><meta charset="utf-8">'
                '<meta name="viewport" content="width=device-width, '
                'initial-scale=1"><title>ksimd: measured</title><style>%s'
                "</style></head><body>%s</body></html>\n" % (
                    STYLE, "".join(parts)))
    print("written: " + path)


if __name__ == "__main__":
    main()
