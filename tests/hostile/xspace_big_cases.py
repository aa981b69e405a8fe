"""XSpaces that want much memory or time: each within the budget, or refused with the limit named, in seconds."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from functools import partial

from tests.hostile.case import GIB, Case, Indexed, Refused, put
from tests.hostile.xspace_bytes import DEVICE, SPACE, environment, event, events, line, plane
from tests.tiler.readers import wire_writer as w

MILLION = 1_000_000
MIB_64 = 64 << 20
LIMIT = Refused(r"(?i)limit|at most|more than|memory|too (many|much|large|long)|inflat")
CPU_SECONDS = 40.0
DATA_BYTES = GIB + GIB // 2  # the budget of 1 GiB is about what indexing takes


def _case(
    name: str, about: str, data: Callable[[], bytes], *accepted: Indexed | Refused, compressed: bool = False
) -> Case:
    make = put("h.xplane.pb.gz" if compressed else "h.xplane.pb", data)
    return Case(f"xspace-big/{name}", about, make, accepted, cpu_seconds=CPU_SECONDS, data_bytes=DATA_BYTES, apart=True)


def _space(*parts: bytes) -> bytes:
    return b"".join(parts)


def _each(count: int, make: Callable[[int], bytes]) -> bytes:
    return b"".join(make(k) for k in range(count))


def _long(make: Callable[[bytes], bytes]) -> bytes:
    return make(b"n" * MIB_64)


def _planes() -> bytes:
    return _each(
        MILLION, lambda k: w.message(1, w.number(1, k), w.data(2, b"/device:CUSTOM:a plane that has a name %07d" % k))
    )


def _bomb() -> bytes:
    """2 GB of planes with a long name each, in members of 20 MB."""
    block = _each(20_000, lambda k: w.message(1, w.data(2, b"%07d" % k + b"n" * 990)))
    return gzip.compress(block, 6, mtime=0) * 100


_FLOW = w.stat_metadata(1, "_pt") + w.stat_metadata(2, "_p") + w.stat_metadata(3, "_ct") + w.stat_metadata(4, "_c")
_BOTH_ENDS = b"".join(w.message(4, w.number(1, key), w.number(3, 7)) for key in (1, 2, 3, 4))


def _hlo(entries: bytes) -> bytes:
    return w.message(1, w.data(2, "/host:metadata"), w.stat_metadata(1, "Hlo Proto"), entries)


def _proto(content: bytes) -> bytes:
    return w.message(5, w.number(1, 1), w.data(6, content))


def _linked(events: int, first_id: int) -> bytes:
    """Each event ends the flow that the one before begins."""

    def stats(of: int) -> bytes:
        values = (7, first_id + of + 1, 7, first_id + of)
        return b"".join(w.message(4, w.number(1, key), w.number(3, value)) for key, value in enumerate(values, 1))

    return plane("p", line("l", _each(events, lambda k: event(1, 10 * k, 5, stats(k)))), _FLOW)


def _counted(names: Callable[[int], int], stats: Callable[[int], int]) -> bytes:
    """A line of counters: a million events with a number each, named and counted so."""
    numbers = _each(MILLION, lambda k: event(names(k), 10 * k, 0, w.message(4, w.number(1, stats(k)), w.number(3, k))))
    return w.message(
        1, w.data(2, "p"), line("_counters_", numbers), _each(MILLION, lambda k: w.event_metadata(k, f"op.{k}"))
    )


CASES = [
    _case(
        "counter-names",
        "a million counters with a sample each",
        lambda: _counted(lambda k: k, lambda _: 1),
        LIMIT,
        Indexed(MILLION, 65, ("64 counters.* slices: 999,936$",)),
    ),
    _case(
        "counter-stats",
        "a million stats of one counter with a sample each",
        lambda: _counted(lambda _: 1, lambda k: k),
        LIMIT,
        Indexed(MILLION, 65, ("64 counters.* slices: 999,936$",)),
    ),
    _case(
        "counter-numbers",
        "a line of counters whose one event has a million stats",
        lambda: plane(
            "p",
            line("_counters_", event(1, 0, 0, _each(MILLION, lambda k: w.message(4, w.number(1, k), w.number(3, k))))),
        ),
        LIMIT,
        Indexed(1, 64, ("64 counters.* numbers .* 999,936$",)),
    ),
    _case("planes", "a million named planes", _planes, LIMIT, Indexed(0, 0, ("no events",))),
    _case(
        "planes-gzip",
        "a million named planes in a small file",
        lambda: gzip.compress(_planes(), 6, mtime=0),
        LIMIT,
        Indexed(0, 0, ("no events",)),
        compressed=True,
    ),
    _case("planes-bomb", "2 GB of planes in 2 MB", _bomb, LIMIT, compressed=True),
    _case(
        "planes-with-event",
        "100,000 planes with an event each",
        lambda: _each(100_000, lambda k: w.message(1, w.data(2, b"p%06d" % k), line("l", event(1)))),
        LIMIT,
        Indexed(100_000, 100_000),
    ),
    _case(
        "lines",
        "a million lines without events",
        lambda: w.message(1, w.data(2, "p"), _each(MILLION, lambda k: w.message(3, w.number(1, k)))),
        LIMIT,
        Indexed(0, MILLION, ("no events",)),
    ),
    _case(
        "lines-named",
        "a million named lines",
        lambda: w.message(1, w.data(2, "p"), _each(MILLION, lambda k: line(b"a line that has a name %07d" % k))),
        LIMIT,
        Indexed(0, MILLION, ("no events",)),
    ),
    _case(
        "lines-with-event",
        "a million lines with an event each",
        lambda: plane("p", _each(MILLION, lambda k: line(b"", event(1)))),
        LIMIT,
        Indexed(MILLION, MILLION),
    ),
    _case(
        "names",
        "a million names, each of one event",
        lambda: w.message(
            1,
            w.data(2, "p"),
            line("l", _each(MILLION, lambda k: event(k, 10 * k, 5))),
            _each(MILLION, lambda k: w.event_metadata(k, f"op.{k}")),
        ),
        LIMIT,
        Indexed(MILLION, 1),
    ),
    _case(
        "names-unused",
        "a million names that no event has",
        lambda: w.message(
            1, w.data(2, "p"), line("l", event(1)), _each(MILLION, lambda k: w.event_metadata(k, f"op.{k}"))
        ),
        LIMIT,
        Indexed(1, 1),
    ),
    _case(
        "stat-names",
        "a million names of stats",
        lambda: w.message(
            1, w.data(2, "p"), line("l", event(1)), _each(MILLION, lambda k: w.stat_metadata(k, f"stat {k}"))
        ),
        LIMIT,
        Indexed(1, 1),
    ),
    _case(
        "stat-names-alike",
        "300,000 stats that are called as a flow's is, and 30,000 events with a stat each",
        lambda: plane(
            "p",
            line("l", _each(30_000, lambda k: event(1, 10 * k, 5, w.message(4, w.number(1, 1 << 40), w.number(3, 7))))),
            _each(300_000, lambda k: w.stat_metadata(k, "_p")),
        ),
        Indexed(30_000, 1),
    ),
    _case(
        "stat-names-of-devices",
        "100,000 names of stats, and 2,000 lines of a device",
        lambda: plane(
            "/device:TPU:0",
            line("XLA Ops", event(1, 10, 5, w.message(4, w.number(1, 3), w.number(3, 7)))) * 2_000,
            _each(100_000, lambda k: w.stat_metadata(k, f"stat {k}")),
        ),
        Indexed(2_000, 2_000),
    ),
    _case(
        "names-far",
        "a million names, and 20,000 lines with an event each that has none of them",
        lambda: plane(
            "p",
            _each(MILLION, lambda k: w.event_metadata(4 + k, f"op.{k}")),
            line("l", event(255 * MILLION)) * 20_000,
        ),
        LIMIT,
        Indexed(20_000, 20_000),
    ),
    _case(
        "plane-stats",
        "a million stats of a plane",
        lambda: plane("p", line("l", event(1)), w.message(6, w.number(1, 1), w.number(3, 5)) * MILLION),
        LIMIT,
        Indexed(1, 1),
    ),
    _case(
        "start-stats",
        "a million stats before the capture's start",
        lambda: environment(w.message(6, w.number(1, 2), w.number(3, 5)) * MILLION) + SPACE,
        LIMIT,
        Indexed(3, 2),
    ),
    _case(
        "event-stats",
        "an event with a million stats",
        lambda: plane("p", line("l", event(1, 0, 5, w.message(4, w.number(1, 1), w.number(3, 5)) * MILLION))),
        LIMIT,
        Indexed(1, 1),
    ),
    _case(
        "metadata-stats",
        "a name with a million stats, and a thousand events of it",
        lambda: w.message(
            1,
            w.data(2, "p"),
            line("l", event(1) * 1000),
            w.map_entry(4, 1, w.number(1, 1), w.data(2, "n"), w.message(5, w.number(1, 1), w.number(3, 5)) * MILLION),
        ),
        LIMIT,
        Indexed(1000, 1),
        Indexed(1000, 1, ("overlap",)),
    ),
    _case(
        "event-text",
        "an argument of 64 MB",
        lambda: plane("p", line("l", event(1, 0, 5, w.message(4, w.number(1, 1), w.data(5, b"x" * MIB_64))))),
        LIMIT,
        Indexed(1, 1),
    ),
    _case(
        "hlo-protos",
        "a million HLO protos of one program",
        lambda: SPACE + _hlo(_each(MILLION, lambda k: w.event_metadata(k, "f(7)", "", _proto(b"x")))),
        LIMIT,
        Indexed(3, 2, ("990,000 values beside the events are left out: 10,000 are kept",)),
    ),
    _case(
        "hlo-proto",
        "an HLO proto of 1.5 GB",
        lambda: SPACE + _hlo(w.event_metadata(1, "f(7)", "", _proto(b"proto" * (300 << 20)))),
        Indexed(3, 2),
    ),
    _case(
        "hlo-proto-names",
        "20 HLO protos with 64 MB of name",
        lambda: SPACE + _hlo(_each(20, lambda k: w.event_metadata(k, b"n" * MIB_64, "", _proto(b"x")))),
        Indexed(3, 2),
    ),
    _case(
        "plane-stat",
        "a stat of a plane of 1 GB",
        lambda: plane("p", line("l", event(1)), w.message(6, w.number(1, 1), w.data(6, b"stat" * (256 << 20)))),
        Indexed(1, 1),
    ),
    _case(
        "unused-stats",
        "metadata without events that has 50 million stats",
        lambda: SPACE + w.message(1, w.data(2, "p"), w.map_entry(4, 1, w.message(5, w.number(1, 1)) * (50 * MILLION))),
        Indexed(3, 2),
    ),
    _case(
        "unused-metadata",
        "a million metadata without events that have stats",
        lambda: (
            SPACE
            + w.message(
                1,
                w.data(2, "p"),
                _each(MILLION, lambda k: w.map_entry(4, k, w.data(2, f"n{k}"), w.message(5, w.number(1, 1)))),
            )
        ),
        LIMIT,
        Indexed(3, 2),
    ),
    _case(
        "large-metadata",
        "20,000 metadata without events that are too large for tables",
        lambda: (
            SPACE
            + w.message(
                1,
                w.data(2, "p"),
                _each(20_000, lambda k: w.map_entry(4, k, w.message(5, w.number(1, 1), w.data(5, b"x" * 66_000)))),
            )
        ),
        Indexed(3, 2, ("10,000 values beside the events are left out",)),
    ),
    *(
        _case(
            f"{where}-name",
            f"64 MB of name: {where}",
            partial(_long, make),
            LIMIT,
            Indexed(1, 1),
            Indexed(1, 1, ("name|long|cut",)),
        )
        for where, make in (
            ("plane", lambda name: plane(name, line("l", event(1)))),
            ("line", lambda name: plane("p", line(name, event(1)))),
            (
                "event",
                lambda name: w.message(1, line("l", event(1)), w.map_entry(4, 1, w.number(1, 1), w.data(2, name))),
            ),
            ("host", lambda name: plane("p", line("l", event(1))) + w.data(4, name)),
        )
    ),
    _case("hostnames", "a million host names", lambda: SPACE + w.data(4, "host1") * MILLION, LIMIT, Indexed(3, 2)),
    _case(
        "errors",
        "a million errors of the profiler",
        lambda: SPACE + w.data(2, "something went wrong") * MILLION,
        LIMIT,
        Indexed(3, 2, ("error",)),
    ),
    _case(
        "unknown-fields",
        "four million fields that nobody knows",
        lambda: SPACE + w.number(99, 1) * (4 * MILLION),
        Indexed(3, 2),
    ),
    _case(
        "groups",
        "a million groups in one another",
        lambda: DEVICE + w.varint(9 << 3 | 3) * MILLION,
        Refused("nested|no known trace format"),
    ),
    _case(
        "empty-events",
        "ten million events without anything",
        lambda: plane("p", line("l", w.message(4) * (10 * MILLION))),
        Indexed(10 * MILLION, 1),
        Indexed(10 * MILLION, 1, ("overlap",)),
    ),
    _case(
        "identical-events",
        "300,000 identical events",
        lambda: plane("p", line("l", event(1) * 300_000)),
        Indexed(300_000, 1),
        Indexed(300_000, 1, ("overlap",)),
        LIMIT,
    ),
    _case(
        "nested-events",
        "100,000 events in one another",
        lambda: plane("p", line("l", _each(100_000, lambda k: event(1, k, 400_000 - 2 * k)))),
        Indexed(100_000, 1),
    ),
    _case(
        "open-at-once",
        "ten million events in one another",
        lambda: plane("p", line("l", events(range(10 * MILLION), range(40 * MILLION, 20 * MILLION, -2)))),
        LIMIT,
    ),
    _case(
        "open-at-one-time",
        "ten million events that all run at one time",
        lambda: plane("p", line("l", event(1, 5, 1000) * (10 * MILLION))),
        LIMIT,
    ),
    _case(
        "open-at-once-far-from-one",
        "a million events that run at one time, far shorter than the run: bins of many levels",
        lambda: plane("p", line("l", _each(MILLION, lambda k: event(1, k, 4 * MILLION)), event(1, 1 << 60))),
        LIMIT,
        Indexed(MILLION + 1, 1, ("overlap",)),
    ),
    _case(
        "at-one-time-without-length",
        "ten million events without length at one time: one row, one page",
        lambda: plane("p", line("l", event(1, 5, 0) * (10 * MILLION))),
        LIMIT,
        Indexed(10 * MILLION, 1),
    ),
    _case(
        "flows-of-one-id",
        "300,000 ends of one flow",
        lambda: plane("p", line("l", _each(300_000, lambda k: event(1, 10 * k, 5, _BOTH_ENDS))), _FLOW),
        Indexed(300_000, 1),
        LIMIT,
    ),
    _case(
        "flows-of-one-line",
        "a million events of a line that each end a flow and begin the next",
        lambda: _linked(MILLION, 0),
        Indexed(MILLION, 1),
    ),
    _case(
        "flows-of-large-ids",
        "a million events that do so, with ids of 60 bits",
        lambda: _linked(MILLION, 1 << 60),
        Indexed(MILLION, 1),
        LIMIT,
    ),
    _case(
        "flows-beyond",
        "more flow ends than there is room for",
        lambda: plane("p", line("l", event(1, 0, 5, _BOTH_ENDS) * (6 * MILLION)), _FLOW),
        LIMIT,
    ),
    _case(
        "centuries",
        "10,000 lines, each in another year",
        lambda: plane("p", _each(10_000, lambda k: line(b"", event(1), start_ns=k * 365 * 86_400 * 10**9 % (1 << 62)))),
        Indexed(10_000, None, (r"73|outside|set aside|× ",)),
        LIMIT,
    ),
    _case(
        "unsorted-events",
        "a million events, the last first",
        lambda: plane("p", line("l", _each(MILLION, lambda k: event(1, 10 * (MILLION - k), 5)))),
        Indexed(MILLION, 1),
    ),
]
