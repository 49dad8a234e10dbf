# SPDX-License-Identifier: Apache-2.0
"""The results as tables in Markdown: medians, ratios, and whether the goals are met."""

import statistics

FLAT = 0.20


def shown(value):
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def median(results, row, side, metric):
    """Of the rounds that went well; of texts the last. None: there is none."""
    values = [one[metric] for one in results["rows"].get(row, {}).get(side, []) if metric in one]
    if values and isinstance(values[0], str):
        return values[-1]
    return statistics.median(values) if values else None


def failures(results, row, side):
    return [one["error"] for one in results["rows"].get(row, {}).get(side, []) if "error" in one]


class Judged:
    """A line of the table: its values, their ratio, its goal, and whether that is met (None: nobody can say)."""

    def __init__(self, results, row, line):
        def of(side):
            return median(results, row.name, side, line.metric)

        self.ours, self.peer, self.native = of("ours"), of("peer"), of("native")
        self.ratio, self.goal, self.met = None, "", None
        kind, bound = line.goal or (None, None)
        against = self.peer if "peer" in row.sides else self.native
        self.ratio = self._share(against)
        if kind in ("peer", "native"):
            self.goal = f"≤ {bound:.2f} × {kind}"
            share = self._share(of(kind))
            self.met = None if share is None else share <= bound
        elif kind == "most":
            self.goal = f"≤ {bound:g}"
            self.met = None if self.ours is None else self.ours <= bound
        elif kind == "flat":
            self.goal = f"± {FLAT:.0%} of {bound}"
            base = median(results, bound, "ours", line.metric)
            self.met = None if None in (base, self.ours) else abs(self.ours / base - 1) <= FLAT
        elif kind == "row":
            other, most = bound
            self.goal = f"≤ {most:.2f} × {other}"
            share = self._share(median(results, other, "ours", line.metric))
            self.ratio, self.met = share, None if share is None else share <= most
        if line.goal and failures(results, row.name, "ours"):
            self.met = False

    def _share(self, against):
        if not isinstance(self.ours, (int, float)) or not isinstance(against, (int, float)) or against == 0:
            return None
        return self.ours / against


def _cell(results, row, line, side, value):
    """Why a side failed is said once, in the first line of its row."""
    failed = failures(results, row.name, side)
    if side not in row.sides:
        return ""
    if value is None and failed:
        return "failed: " + failed[-1].replace("|", "/")[:120] if line is row.lines[0] else "failed"
    return shown(value) + (f" ({len(failed)} failed)" if failed else "")


def _met(judged):
    return {None: "?" if judged.goal else "", True: "yes", False: "**no**"}[judged.met]


def _share(ours, other):
    return f"{ours / other:.2f}" if ours and other else ""


def _line(results, row, line):
    judged = Judged(results, row, line)
    cells = [_cell(results, row, line, side, getattr(judged, side)) for side in ("ours", "peer", "native")]
    ratio = f"{judged.ratio:.2f}" if judged.ratio is not None else ""
    return f"| {line.title} | {' | '.join(cells)} | {ratio} | {judged.goal} | {_met(judged)} |"


def _null_table(results, rows):
    lines = ["", "| libcurl alone, the same requests to the stub | CPU, µs | ours | per s |", "|---|---|---|---|"]
    for row in rows:
        null = median(results, row.name, "null", "cpu_us")
        if null is not None:
            ours = median(results, row.name, "ours", "cpu_us")
            rate = median(results, row.name, "null", "per_s")
            lines.append(f"| {row.name} | {shown(null)} | {shown(ours)} | {shown(rate)} |")
    return lines if len(lines) > 3 else []


def _main_table(results, rows):
    head = ["", "| row | ours | peer | native | ratio | goal | met? |", "|---|---|---|---|---|---|---|"]
    has_own = ("fsync", "sdk")
    lines = [_line(results, row, line) for row in rows for line in row.lines if not set(has_own) & set(row.sides)]
    return head + lines if lines else []


def _fsync_line(results, row, line):
    ours, fsync = (median(results, row.name, side, line.metric) for side in ("ours", "fsync"))
    cells = [_cell(results, row, line, side, value) for side, value in (("ours", ours), ("fsync", fsync))]
    return f"| {line.title} | {' | '.join(cells)} | {_share(ours, fsync)} |"


def _fsync_table(results, rows):
    head = ["", "| create, beside files alone | ours | fsync | ratio |", "|---|---|---|---|"]
    lines = [_fsync_line(results, row, line) for row in rows for line in row.lines if "fsync" in row.sides]
    return head + lines if lines else []


def _transaction_line(results, row, line):
    sides = ("ours", "boto3", "sdk")
    ours, boto3, sdk = values = [median(results, row.name, side, line.metric) for side in sides]
    cells = [_cell(results, row, line, side, value) for side, value in zip(sides, values)]
    cells += [_share(ours, boto3), _share(ours, sdk)]
    judged = Judged(results, row, line)
    return f"| {line.title} | {' | '.join(cells)} | {judged.goal} | {_met(judged)} |"


def _transaction_table(results, rows):
    head = ["", "| transactions | ours | boto3 | Rust SDK | ratio to boto3 | to the SDK | goal | met? |"]
    head.append("|---" * 8 + "|")
    lines = [_transaction_line(results, row, line) for row in rows for line in row.lines if "sdk" in row.sides]
    return head + lines if lines else []


def markdown(results, rows):
    about = results["about"]
    judged = [Judged(results, row, line).met for row in rows for line in row.lines if line.goal]
    goals = f" {judged.count(True)} of {len(judged)} goals are met." if judged else ""
    lines = [
        f"{about['date']}, {about['commit']}, {about['machine']} (load {about['load']} at the start). Medians of "
        f"{about['rounds']}, {about['seconds']:g} s each, bodies of {about['bytes']:,} bytes, tokio {about['runtime']}."
        f"{goals}",
    ]
    for table in (_main_table, _null_table, _fsync_table, _transaction_table):
        lines += table(results, rows)
    return "\n".join(lines) + "\n"
