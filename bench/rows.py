# SPDX-License-Identifier: Apache-2.0
"""What is measured, and what its goal is. A row measures each side once a round; its lines are what the table shows.

A side is "ours", "peer" (object_store 0.12.5 with its table), "native" (the newest, with the store's conditions), "null"
(libcurl alone) or "fsync" (files alone); of transactions "boto3" or "sdk" (that of AWS for Rust).
"""

import argparse
import contextlib
import dataclasses
import os
import tempfile
import typing

import programs
from programs import NATIVE, RECORD, run_load


@dataclasses.dataclass
class Line:
    """metric: of what a measurement gives. goal: ("peer", 0.7) is at most that share of the peer's value, ("most", 3) at
    most that, ("flat", ROW) within a fifth of another row's, ("row", (ROW, 1.15)) at most that share of another row's;
    None: only shown."""

    title: str
    metric: str
    goal: typing.Optional[tuple] = None


@dataclasses.dataclass
class Row:
    name: str
    sides: tuple
    measure: typing.Callable  # (side, settings) -> {metric: number or text}
    lines: list
    stall: bool = False  # mostly waits: all such rows run at the same time
    servers: bool = True  # MinIO and DynamoDB Local


def per_operation(measured):
    """From sums to what one operation took."""
    count = max(measured["operations"], 1)
    if measured["operations"] == 0 or measured["failed"]:
        raise programs.Failed(measured["error"] or "nothing was committed")
    return {
        "cpu_us": measured["cpu_us"] / count,
        "wall_ms": 1000 * measured["wall_s"] / count,
        "per_s": count / measured["wall_s"],
        **{f"{name}_ms": measured[f"{name}_us"] / 1000 for name in ("p50", "p90", "p99", "max")},
        "rss_mb": measured["rss_kb"] / 1024,
    }


def arguments(settings, in_flight, options):
    return [
        *("--in-flight", in_flight, "--seconds", settings.seconds, "--warm", settings.warm),
        *("--bytes", settings.bytes, "--runtime", settings.runtime),
        *options,
    ]


def plain_arguments(settings, in_flight):
    """Of who has no runtime."""
    return ["--in-flight", in_flight, "--seconds", settings.seconds, "--warm", settings.warm, "--bytes", settings.bytes]


def options_of(side, ours):
    return ours if side == "ours" else []


STARTED = ["--calls", "started"]


def on_stub(mode, in_flight, ours, calls=()):
    """CPU and latency with nothing between client and stub."""

    def measure(side, settings):
        with programs.stub() as stub:
            if side == "null":
                kind = "native" if ours is NATIVE else "create"
                return per_operation(run_load("null", kind, stub.url, plain_arguments(settings, in_flight)))
            options = options_of(side, [*ours, *calls])
            return per_operation(run_load(side, mode, stub.url, arguments(settings, in_flight, options)))

    return measure


def over_tls(mode, in_flight, ours, calls=()):
    """The same over TLS: what that takes once the connections are there."""

    def measure(side, settings):
        with programs.tls_stub() as (stub, certificate):
            options = [*ours, *calls, "--ca-file", certificate]
            return per_operation(run_load(side, mode, stub.url, arguments(settings, in_flight, options)))

    return measure


def in_folder(writers):
    """In the folder of the results, so that both sides are on one file system."""

    def measure(side, settings):
        with tempfile.TemporaryDirectory(dir=os.path.abspath(settings.out), prefix="embedded-") as folder:
            return per_operation(programs.run_in_folder(side, "create", folder, plain_arguments(settings, writers)))

    return measure


def counted(router, side, mode, settings, in_flight, ours, delay_ms):
    """Through a router: what one operation took, its requests and round trips too."""
    options = arguments(settings, in_flight, options_of(side, ours))
    return counted_run(router, delay_ms, lambda reset: run_load(side, mode, router.url, options, when_ready=reset))


def counted_run(router, delay_ms, run):
    """The same of what `run` measures, which calls what it is given when that begins."""
    router.reset(delay_ms)
    measured = run(lambda: router.reset(delay_ms))
    counts = router.counts()
    count = max(measured["operations"], 1)
    kinds = {kind: round(number / count, 2) for kind, number in counts["requests"].items()}
    return {
        **per_operation(measured),
        "trips": counts["trips"] / count,
        "requests": sum(counts["requests"].values()) / count,
        "kinds": ", ".join(f"{number:g} {kind}" for kind, number in kinds.items() if number >= 0.05),
    }


def on_servers(mode, ours, delay_ms):
    def measure(side, settings):
        with programs.real_router() as router:
            return counted(router, side, mode, settings, 1, ours, delay_ms)

    return measure


@contextlib.contextmanager
def routed(stub):
    """A router in front of the stub, or of the real servers."""
    with contextlib.ExitStack() as stack:
        service = stack.enter_context(programs.stub()) if stub else None
        router = programs.Router(service.port, service.port) if stub else programs.real_router()
        yield stack.enter_context(router)


def contended(writers, ours, delay_ms, stub):
    """Longer than the others: who has not had its turn at the end has made requests for nothing."""

    def measure(side, settings):
        settings = argparse.Namespace(**{**vars(settings), "seconds": 2 * settings.seconds})
        with routed(stub) as router:
            return counted(router, side, "counter", settings, writers, ours, delay_ms)

    return measure


def transactions(mode, count, stub):
    """One after the other; nobody contends."""

    def measure(side, settings):
        times = ["--seconds", settings.seconds, "--warm", settings.warm, "--runtime", settings.runtime]
        with routed(stub) as router:
            return counted_run(
                router,
                0,
                lambda reset: programs.run_transactions(side, mode, router.url, ["--rows", count, *times], reset),
            )

    return measure


# ------------------------------------------------------------------------------------------------------------- rows


def latency_row(mode, delay_ms=5, goal=True):
    words = f"{mode}, +{delay_ms} ms a request, real servers"
    return Row(
        f"{mode}-{delay_ms}ms",
        ("ours", "peer", "native"),
        on_servers(mode, RECORD, delay_ms),
        [
            Line(f"{words}: p50, ms", "p50_ms", ("peer", 0.70) if goal else None),
            Line(f"{words}: round trips", "trips"),
            Line(f"{words}: requests", "kinds"),
        ],
    )


MEGABYTE = 1 << 20
WHOLE = [*RECORD, "--stage-above", 8 * MEGABYTE]


def megabyte_row(name, words, ours, sides, delay_ms=5):
    """A body that does not arrive at once (R15.2)."""

    def measure(side, settings):
        return on_servers("create", ours, delay_ms)(
            side, argparse.Namespace(**{**vars(settings), "bytes": MEGABYTE})
        )

    words = f"create of 1 MiB, {words}, +{delay_ms} ms a request, real servers"
    return Row(
        f"{name}-{delay_ms}ms",
        sides,
        measure,
        [
            Line(f"{words}: p50, ms", "p50_ms"),
            Line(f"{words}: round trips", "trips"),
            Line(f"{words}: requests", "kinds"),
        ],
    )


def native_row(mode, in_flight):
    words = f"native {mode}, {in_flight} in flight, stub"
    return Row(
        f"native-{mode}-{in_flight}",
        ("ours", "native", "null"),
        on_stub(mode, in_flight, NATIVE, STARTED if in_flight > 1 else ()),
        [Line(f"{words}: CPU, µs", "cpu_us", ("native", 1.0)), Line(f"{words}: per s", "per_s")],
        servers=False,
    )


def record_row(mode, in_flight, goal, threads=False):
    """More than one in flight are started by one thread, as the peers' are, or by blocking calls on as many threads."""
    words = f"{mode}, {in_flight:,} in flight{', blocking calls' if threads else ''}, stub"
    with_null = mode == "create" and in_flight <= 64 and not threads
    sides = ("ours",) if threads else ("ours", "peer")
    return Row(
        f"{mode}-{in_flight}" + ("-threads" if threads else ""),
        (*sides, "null") if with_null else sides,
        on_stub(mode, in_flight, RECORD, STARTED if in_flight > 1 and not threads else ()),
        [
            Line(f"{words}: CPU, µs", "cpu_us", goal),
            Line(f"{words}: per s", "per_s"),
            Line(f"{words}: p99, ms", "p99_ms"),
            Line(f"{words}: memory of the process, MiB", "rss_mb"),
        ],
        servers=False,
    )


def embedded_row(writers):
    words = f"embedded store, {writers} writer{'s' if writers > 1 else ''}"
    return Row(
        f"embedded-{writers}",
        ("ours", "fsync"),
        in_folder(writers),
        [Line(f"{words}: per s", "per_s"), Line(f"{words}: p50, ms", "p50_ms")],
        servers=False,
    )


def tls_row(mode, in_flight):
    words = f"{mode}, {in_flight} in flight, stub over TLS"
    return Row(
        f"{mode}-{in_flight}-tls",
        ("ours",),
        over_tls(mode, in_flight, RECORD, STARTED),
        [Line(f"{words}: CPU, µs", "cpu_us", ("row", (f"{mode}-{in_flight}", 1.15))), Line(f"{words}: per s", "per_s")],
        servers=False,
    )


def counter_row(writers, goal, stub=False, delay_ms=5):
    words = f"{writers} writers, one counter, +{delay_ms} ms, {'stub' if stub else 'real servers'}, for a success"
    return Row(
        f"counter-{writers}" + ("-stub" if stub else ""),
        ("ours", "peer"),
        contended(writers, RECORD, delay_ms, stub),
        [
            Line(f"{words}: ms", "wall_ms", goal),
            Line(f"{words}: requests", "requests", goal),
            Line(f"{words}: which", "kinds"),
            Line(f"{words}: CPU, µs", "cpu_us"),
            Line(f"{words}: slowest, ms", "max_ms"),
        ],
        servers=not stub,
    )


def native_counter_row(writers, goal, stub=False, delay_ms=5):
    words = f"native, {writers} writers, one counter, +{delay_ms} ms, {'stub' if stub else 'real servers'}, for a success"
    return Row(
        f"native-counter-{writers}" + ("-stub" if stub else ""),
        ("ours", "native"),
        contended(writers, NATIVE, delay_ms, stub),
        [
            Line(f"{words}: ms", "wall_ms", goal),
            Line(f"{words}: requests", "requests", goal),
            Line(f"{words}: CPU, µs", "cpu_us", goal),
            Line(f"{words}: slowest, ms", "max_ms"),
        ],
        servers=not stub,
    )


TRANSACTION_WORDS = {"change": "read and changed", "put": "written unread"}


def transaction_row(mode, count, stub):
    words = f"{count} row{'s' if count > 1 else ''} {TRANSACTION_WORDS[mode]}, {'stub' if stub else 'DynamoDB Local'}"
    cpu, p50 = Line(f"{words}: CPU, µs", "cpu_us"), Line(f"{words}: p50, ms", "p50_ms")
    requests = Line(f"{words}: requests", "requests", ("most", 2 if mode == "change" else 1))
    return Row(
        f"txn-{count}" + ("-put" if mode == "put" else "") + ("" if stub else "-local"),
        ("ours", "boto3", "sdk"),
        transactions(mode, count, stub),
        [cpu, requests, p50] if stub else [p50, cpu],
        servers=not stub,
    )


TRANSACTIONS = [
    transaction_row(mode, count, stub)
    for stub in (True, False)
    for mode in ("change", "put")
    for count in (1, 2, 10, 100)
]
FLAT = ("flat", "create-64")
LOADS = [
    latency_row("create"),
    latency_row("update"),
    latency_row("copy"),
    latency_row("create", 0, goal=False),
    latency_row("create", 2, goal=False),
    latency_row("create", 10, goal=False),
    megabyte_row("megabyte", "in parts", RECORD, ("ours", "peer", "native")),
    megabyte_row("megabyte-whole", "by one PUT", WHOLE, ("ours",)),
    native_row("create", 1),
    native_row("update", 1),
    record_row("create", 1, None),
    record_row("update", 1, None),
    record_row("create", 64, ("peer", 0.70)),
    record_row("update", 64, None),
    native_row("create", 64),
    tls_row("create", 64),
    record_row("create", 512, FLAT),
    record_row("create", 1000, FLAT),
    record_row("create", 10000, FLAT),
    record_row("create", 64, None, threads=True),
    record_row("create", 512, None, threads=True),
    counter_row(32, ("peer", 0.50)),
    native_counter_row(32, ("native", 0.90)),
    *(counter_row(writers, None) for writers in (2, 8, 64)),
    *(native_counter_row(writers, None) for writers in (2, 8, 64)),
    counter_row(32, None, stub=True),
    native_counter_row(32, None, stub=True),
    embedded_row(1),
    embedded_row(8),
    *TRANSACTIONS,
]
