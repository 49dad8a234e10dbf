# SPDX-License-Identifier: Apache-2.0
"""Rows in which a writer may have to wait long: a dead holder, records that nobody holds any more, faults. On the real
servers, through a router of their own, without added time. What is measured is the last operation of each."""

from programs import NATIVE, RECORD, SECOND_BUCKET, Failed, Writer, new_prefix, real_router
from rows import Line, Row, options_of


def took(router, answer, wanted=("committed",)):
    word, ms, more = answer
    counts = router.counts()
    if word not in wanted:
        raise Failed(f"{word} after {ms / 1000:.1f} s: {more[:160]}")
    requests = counts["requests"]
    return {
        "s": ms / 1000,
        "trips": counts["trips"],
        "requests": sum(requests.values()),
        "kinds": ", ".join(f"{number} {kind}" for kind, number in requests.items()),
    }


def stall(scenario, ours=RECORD):
    """scenario(writer, router, key) makes all steps but the last, and returns the words of that."""

    def measure(side, _settings):
        with real_router() as router, Writer(side, router.url, options_of(side, ours)) as writer:
            key = new_prefix()
            writer.commit("create", key + "-warm", "warm")
            words = scenario(writer, router, key)
            if words[0] == "faulty":
                return took(router, writer(*words[1:]))
            router.reset()
            return took(router, writer(*words))

    return measure


def create_delete_create(writer, _router, key):
    etag = writer.commit("create", key, "A")
    writer.commit("delete", key, etag)
    return "create", key, "B"


def content_returns(writer, _router, key):
    first = writer.commit("create", key, "A")
    second = writer.commit("update", key, first, "B")
    again = writer.commit("update", key, second, "A")
    return "update", key, again, "B"


def same_bytes(writer, _router, key):
    etag = writer.commit("create", key, "A")
    etag = writer.commit("update", key, etag, "A")
    return "update", key, etag, "A"


def refused_once(_writer, router, key):
    router.reset()
    router.fault("503", "PUT")
    return "faulty", "create", key, "A"


def answer_held(_writer, router, key):
    router.reset()
    router.fault("hold-answer", "PUT", hold_ms=20000)
    return "faulty", "create", key, "A"


def takeover(side, _settings):
    """The holder is killed before its PUT is sent on; another writer of the same kind comes."""
    with real_router() as router:
        key = new_prefix()
        with Writer(side, router.url, options_of(side, RECORD)) as holder:
            holder.commit("create", key + "-warm", "warm")
            router.fault("hold", "PUT")
            holder.send("create", key, "killed")
            router.wait_for_fault()
            holder.kill()
        with Writer(side, router.url, options_of(side, RECORD)) as writer:
            writer.commit("create", key + "-warm2", "warm")
            router.reset()
            return took(router, writer("create", key, "second"))


def two_buckets(side, _settings):
    with real_router() as router:
        key = new_prefix()
        options = options_of(side, [*RECORD, "--records-by-bucket", "1"])
        with Writer(side, router.url, options) as one, Writer(side, router.url, options, SECOND_BUCKET) as two:
            two.commit("create", key + "-warm", "warm")
            one.commit("create", key, "A")
            router.reset()
            return took(router, two("create", key, "A"))


def stall_row(name, title, measure, goals, sides=("ours", "peer", "native")):
    """goals: of the metrics that have one."""
    lines = [
        Line(f"{title}: s", "s", goals.get("s")),
        Line(f"{title}: round trips", "trips", goals.get("trips")),
        Line(f"{title}: requests", "requests", goals.get("requests")),
        Line(f"{title}: which", "kinds"),
    ]
    return Row(name, sides, measure, lines, stall=True)


THREE_TRIPS = {"trips": ("most", 3)}
STALLS = [
    stall_row(
        "takeover",
        "takeover after SIGKILL",
        takeover,
        {"s": ("peer", 0.25), "requests": ("most", 12)},
        sides=("ours", "peer"),
    ),
    stall_row("create-delete-create", "create, delete, create", stall(create_delete_create), THREE_TRIPS),
    stall_row("abab", "content A, B, A, B", stall(content_returns), THREE_TRIPS),
    stall_row("same-bytes", "the same bytes twice", stall(same_bytes), THREE_TRIPS),
    stall_row("two-buckets", "same key in two buckets, one table", two_buckets, {"s": ("most", 0.5)}),
    stall_row(
        "503",
        "one 503 on the PUT, store that ignores conditions",
        stall(refused_once),
        {"s": ("most", 13)},
        sides=("ours", "peer"),
    ),
    stall_row("503-native", "one 503 on the PUT, native (ours: forward-only key)", stall(refused_once, [*NATIVE, "--forward-only", "1"]), THREE_TRIPS, ("ours", "native")),
    stall_row(
        "held", "PUT applied, its answer held for 20 s", stall(answer_held), {"s": ("most", 2)}, sides=("ours", "peer")
    ),
    stall_row("held-native", "the same, native", stall(answer_held, NATIVE), {}, ("ours", "native")),
]
