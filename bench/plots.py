# SPDX-License-Identifier: Apache-2.0
"""The results as pictures (SVG): python3 plots.py RESULTS.json DIR draws them anew."""

import json
import math
import os
import statistics
import sys

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 420, 80, 130, 50, 60
COLOURS = {"ours": "#0060b0", "peer": "#c04000", "native": "#308030", "null": "#808080"}
NAMES = {"ours": "oscommit", "peer": "object_store 0.12.5", "native": "object_store, native", "null": "libcurl alone"}


def value(rows, row, side, metric):
    found = [one[metric] for one in rows.get(row, {}).get(side, []) if metric in one]
    return statistics.median(found) if found else None


def _ticks(low, high):
    """1, 2, 5, 10 ... from low to high."""
    steps = [m * 10.0**e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1) for m in (1, 2, 5)]
    return [step for step in steps if low <= step <= high]


class Chart:
    """Lines over named places; the y axis is logarithmic."""

    def __init__(self, title, x_title, y_title, places):
        self.title, self.x_title, self.y_title, self.places = title, x_title, y_title, places
        self.series = {}

    def add(self, side, values):
        if any(one is not None for one in values):
            self.series[side] = values

    def _x(self, index):
        return LEFT + (WIDTH - LEFT - RIGHT) * (index + 0.5) / len(self.places)

    def _y(self, number):
        share = math.log(number / self.low) / math.log(self.high / self.low)
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share

    def _frame(self):
        parts = [
            f'<text x="{WIDTH / 2}" y="24" text-anchor="middle" font-size="16">{self.title}</text>',
            f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 14}" text-anchor="middle">{self.x_title}</text>',
            f'<text x="18" y="{HEIGHT / 2}" text-anchor="middle" transform="rotate(-90 18 {HEIGHT / 2})">{self.y_title}</text>',
        ]
        for tick in _ticks(self.low, self.high):
            y = self._y(tick)
            parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
            parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{tick:g}</text>')
        for index, place in enumerate(self.places):
            y = HEIGHT - BOTTOM + 20
            parts.append(f'<text x="{self._x(index):.1f}" y="{y}" text-anchor="middle">{place}</text>')
        return parts

    def _line(self, side, values):
        points = [(self._x(i), self._y(one)) for i, one in enumerate(values) if one]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        x, y = points[-1]
        colour = COLOURS[side]
        return [
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>',
            *(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in points),
            f'<text x="{x + 8:.1f}" y="{y + 4:.1f}" fill="{colour}">{NAMES[side]}</text>',
        ]

    def svg(self):
        numbers = [one for values in self.series.values() for one in values if one]
        self.low, self.high = min(numbers) / 1.5, max(numbers) * 1.5
        parts = self._frame()
        for side, values in self.series.items():
            parts += self._line(side, values)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
            f'font-size="12">\n<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n"
        )


def _percentiles(rows):
    chart = Chart("64 creates in flight, stub", "share of the operations", "latency, ms", ["50 %", "90 %", "99 %", "all"])
    for side in ("ours", "peer"):
        chart.add(side, [value(rows, "create-64", side, f"{name}_ms") for name in ("p50", "p90", "p99", "max")])
    return chart


def _in_flight(rows):
    counts = (1, 64, 512, 1000, 10000)
    chart = Chart("CPU of the client for a create, stub", "creates in flight", "µs", [f"{n:,}" for n in counts])
    for side in ("ours", "peer", "null"):
        chart.add(side, [value(rows, f"create-{count}", side, "cpu_us") for count in counts])
    return chart


def _contenders(metric, y_title):
    def make(rows):
        counts = (2, 8, 32, 64)
        title = "One counter, real servers, 5 ms a request: what a success takes"
        chart = Chart(title, "writers", y_title, [str(n) for n in counts])
        for side in ("ours", "peer"):
            chart.add(side, [value(rows, f"counter-{count}", side, metric) for count in counts])
        chart.add("native", [value(rows, f"native-counter-{count}", "native", metric) for count in counts])
        return chart

    return make


def _delays(rows):
    delays = (0, 2, 5, 10)
    chart = Chart("One create, real servers", "ms added to a request", "p50, ms", [str(n) for n in delays])
    for side in ("ours", "peer", "native"):
        chart.add(side, [value(rows, f"create-{delay}ms", side, "p50_ms") for delay in delays])
    return chart


CHARTS = {
    "latency-percentiles": _percentiles,
    "latency-delays": _delays,
    "cpu-in-flight": _in_flight,
    "contenders-time": _contenders("wall_ms", "ms"),
    "contenders-requests": _contenders("requests", "requests"),
}


def draw(rows, folder):
    """What was not measured has no picture."""
    for name, make in CHARTS.items():
        chart = make(rows)
        if chart.series:
            with open(os.path.join(folder, name + ".svg"), "w", encoding="utf-8") as file:
                file.write(chart.svg())


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as source:
        draw(json.load(source)["rows"], sys.argv[2])
