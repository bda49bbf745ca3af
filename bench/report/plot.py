# SPDX-License-Identifier: BSD-2-Clause
"""Plots as SVG text: grouped bars and lines.

A plot is 360 units wide whatever the screen: the page scales it to the width
there is, so that a phone shows it as it is.  Colours are classes s0, s1...,
which the page defines.  Values that are None are left out and named below.
"""
import html
import math

WIDTH, HEIGHT = 360, 236
LEFT, RIGHT, TOP, BOTTOM = 40, 8, 8, 58


def text(x, y, s, extra=""):
    return '<text x="%.1f" y="%.1f" %s>%s</text>' % (
        x, y, extra, html.escape(str(s)))


def short(v):
    if v == 0:
        return "0"
    if abs(v) >= 1000:
        return "%gk" % round(v / 1000, 1)
    return "%g" % round(v, 2 if abs(v) < 10 else 0)


class Scale:
    """From values to y, linear from 0 (or below) or by powers of ten."""

    def __init__(self, values, log):
        self.log = log
        if log:
            self.low = math.floor(math.log10(min(values)))
            self.high = math.ceil(math.log10(max(values)))
            self.high = max(self.high, self.low + 1)
            self.ticks = [10.0 ** e for e in range(self.low, self.high + 1)]
            return
        self.low, top = min(0, *values), max(0, *values)
        step = 10 ** math.floor(math.log10((top - self.low) / 2))
        for factor in (1, 2, 5, 10):
            if (top - self.low) / (step * factor) <= 5:
                step *= factor
                break
        self.low = math.floor(self.low / step) * step
        self.high = math.ceil(top / step) * step
        self.ticks = [self.low + step * i for i in range(
            round((self.high - self.low) / step) + 1)]

    def y(self, v):
        if self.log:
            v = math.log10(max(v, 10.0 ** self.low))
        return TOP + (HEIGHT - TOP - BOTTOM) * (
            1 - (v - self.low) / (self.high - self.low))

    def grid(self):
        out = []
        for t in self.ticks:
            y = self.y(t)
            out.append('<line class="grid" x1="%d" x2="%d" y1="%.1f" '
                       'y2="%.1f"/>' % (LEFT, WIDTH - RIGHT, y, y))
            out.append(text(LEFT - 4, y + 3, short(t), 'text-anchor="end"'))
        return out


def marks(scale, lines):
    """Horizontal lines with a name at their right end."""
    out = []
    for name, v in lines:
        y = scale.y(v)
        out.append('<line class="mark" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/>'
                   % (LEFT, WIDTH - RIGHT, y, y))
        out.append(text(WIDTH - RIGHT, y - 3, name,
                        'text-anchor="end" class="note"'))
    return out


def legend(names):
    """In rows; returns the height of the plot with it."""
    out, x, y = [], LEFT, HEIGHT - 24
    for i, name in enumerate(names):
        if x > LEFT and x + 12 + 5 * len(name) > WIDTH:
            x, y = LEFT, y + 14
        out.append('<rect class="s%d" x="%d" y="%d" width="9" height="9"/>' %
                   (i, x, y - 8))
        out.append(text(x + 12, y, name))
        x += 24 + 5 * len(name)
    return out, y + 8


def figure(title, parts, missing, names=()):
    names, height = legend(names)
    parts = parts + names
    below = "".join("<br>UNAVAILABLE: " + html.escape(m) for m in missing)
    return ('<figure><svg viewBox="0 0 %d %d" role="img" aria-label="%s">%s'
            '</svg><figcaption>%s%s</figcaption></figure>' % (
                WIDTH, height, html.escape(title), "".join(parts),
                html.escape(title), below))


def bars(title, groups, series, log=False, lines=()):
    """series: name -> values, one for each group: None, v or (v, spread)."""
    flat = [v[0] if isinstance(v, tuple) else v
            for values in series.values() for v in values if v is not None]
    if not flat:
        return figure(title, [], ["all of it"])
    scale = Scale(flat + [v for _, v in lines], log)
    parts, missing = scale.grid(), []
    wide = (WIDTH - LEFT - RIGHT) / len(groups)
    bar = min(wide * 0.86 / len(series), 40)
    base = scale.y(10.0 ** scale.low if log else 0)
    for g, group in enumerate(groups):
        middle = LEFT + wide * (g + 0.5)
        parts.append(text(middle, HEIGHT - BOTTOM + 13, group,
                          'text-anchor="middle"'))
        for s, (name, values) in enumerate(series.items()):
            v, half = (values[g] if isinstance(values[g], tuple)
                       else (values[g], 0))
            if v is None:
                missing.append("%s, %s" % (group, name))
                continue
            x = middle + (s - len(series) / 2) * bar
            y = scale.y(v)
            parts.append('<rect class="s%d" x="%.1f" y="%.1f" width="%.1f" '
                         'height="%.1f"/>' % (s, x, min(y, base), bar * 0.94,
                                              abs(base - y)))
            if half:
                parts.append('<line class="error" x1="%.1f" x2="%.1f" '
                             'y1="%.1f" y2="%.1f"/>' % (
                                 x + bar / 2, x + bar / 2,
                                 scale.y(v - half), scale.y(v + half)))
            parts.append(text(x + bar * 0.47,
                              min(y, base, scale.y(v + half)) - 2, short(v),
                              'text-anchor="middle" class="value"'))
    return figure(title, parts + marks(scale, lines), missing, series)


def curves(title, points, series, log=False, lines=()):
    """series: name -> values by point, or None for one that is lacking."""
    missing = [name for name, values in series.items() if values is None]
    there = {n: v for n, v in series.items() if v is not None}
    if not there:
        return figure(title, [], missing)
    low = 0.1 if log else -math.inf
    scale = Scale([max(v, low) for values in there.values() for v in values] +
                  [v for _, v in lines], log)
    step = (WIDTH - LEFT - RIGHT - 12) / max(1, len(points) - 1)
    parts = scale.grid()
    for i, point in enumerate(points):
        parts.append(text(LEFT + 6 + step * i, HEIGHT - BOTTOM + 13, point,
                          'text-anchor="middle"'))
    for s, values in enumerate(there.values()):
        at = " ".join("%.1f,%.1f" % (LEFT + 6 + step * i, scale.y(v))
                      for i, v in enumerate(values))
        parts.append('<polyline class="l%d" points="%s"/>' % (s, at))
    return figure(title, parts + marks(scale, lines), missing, there)
