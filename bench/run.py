# SPDX-License-Identifier: Apache-2.0
"""Measures the rows, and writes results.json, table.md and the plots. run.sh starts it; README.md says what it does."""

import argparse
import concurrent.futures
import datetime
import json
import os
import platform
import re
import subprocess
import sys

import plots
import programs
import table
from rows import LOADS
from stalls import STALLS


def parse():
    parser = argparse.ArgumentParser(prog="bench/run.sh", description="This library beside object_store.")
    parser.add_argument("--quick", action="store_true", help="one round, one second a measurement")
    parser.add_argument("--rows", default="", metavar="REGEX", help="only rows whose name matches")
    parser.add_argument("--out", default="bench-out", metavar="DIR", help="where the results go [build/bench/out]")
    parser.add_argument("--rounds", type=int, help="how often each side has its turn [5]; the table shows medians")
    parser.add_argument("--seconds", type=float, help="of each measurement [4]")
    parser.add_argument("--bytes", type=int, default=1024, help="of each object [1024]")
    parser.add_argument("--runtime", default="multi", choices=("multi", "current"), help="tokio's, of the peers")
    parser.add_argument("--list", action="store_true", help="names the rows and ends")
    parser.add_argument("--needs", action="store_true", help="says what the rows need to be built or started, and ends")
    settings = parser.parse_args()
    settings.rounds = settings.rounds or (1 if settings.quick else 5)
    settings.seconds = settings.seconds or (1.0 if settings.quick else 4.0)
    settings.warm = min(settings.seconds / 2, 1.0)
    return settings


def say(text):
    print(text, file=sys.stderr, flush=True)


def measure(row, side, settings):
    try:
        return row.measure(side, settings)
    except (programs.Failed, OSError, ValueError) as error:
        return {"error": str(error) or type(error).__name__}


def note(results, row, side, measured):
    results.setdefault(row.name, {}).setdefault(side, []).append(measured)
    shown = measured.get("error") or ", ".join(
        f"{line.metric} {table.shown(measured.get(line.metric))}" for line in row.lines
    )
    say(f"{row.name} {side}: {shown}")


def run_loads(rows, settings, results):
    """The sides take turns, so that whatever else the machine does meets all of them."""
    for number in range(settings.rounds):
        for row in rows:
            for side in row.sides:
                say(f"round {number + 1} of {settings.rounds}: {row.name}, {side}")
                note(results, row, side, measure(row, side, settings))


def run_stalls(rows, settings, results):
    """All at the same time: they wait."""
    turns = [(row, side) for row in rows for side in row.sides]
    for number in range(settings.rounds if turns else 0):
        say(f"round {number + 1} of {settings.rounds}: {len(turns)} writers that may wait for a minute")
        with concurrent.futures.ThreadPoolExecutor(len(turns)) as pool:
            done = [(row, side, pool.submit(measure, row, side, settings)) for row, side in turns]
        for row, side, future in done:
            note(results, row, side, future.result())


def about(settings):
    commit = subprocess.run(
        ["git", "-C", programs.HERE, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    )
    return {
        "commit": commit.stdout.strip(),
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M"),
        "machine": f"{platform.machine()}, {os.cpu_count()} processors, {platform.system()} {platform.release()}",
        "load": " ".join(f"{load:.1f}" for load in os.getloadavg()),
        **{name: getattr(settings, name) for name in ("rounds", "seconds", "bytes", "runtime")},
    }


def needs(rows):
    """What run.sh must build and start for them."""
    sides = {side for row in rows for side in row.sides}
    wanted = {
        "peers": not sides.isdisjoint(programs.PEERS),
        "sdks": "sdk" in sides,
        "servers": any(row.servers for row in rows),
    }
    return [word for word, is_so in wanted.items() if is_so]


def main():
    settings = parse()
    rows = [row for row in LOADS + STALLS if re.search(settings.rows, row.name)]
    if settings.list:
        print("\n".join(row.name for row in rows))
        return
    if settings.needs:
        print(" ".join(needs(rows)))
        return
    os.makedirs(settings.out, exist_ok=True)
    if "servers" in needs(rows):
        programs.prepare_servers()
    results = {"about": about(settings), "rows": {}}
    run_stalls([row for row in rows if row.stall], settings, results["rows"])
    run_loads([row for row in rows if not row.stall], settings, results["rows"])
    with open(os.path.join(settings.out, "results.json"), "w", encoding="utf-8") as file:
        json.dump(results, file, indent=1)
    text = table.markdown(results, rows)
    with open(os.path.join(settings.out, "table.md"), "w", encoding="utf-8") as file:
        file.write(text)
    plots.draw(results["rows"], settings.out)
    print(text)


if __name__ == "__main__":
    main()
