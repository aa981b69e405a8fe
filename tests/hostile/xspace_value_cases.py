"""XSpace: names, ids, stats and times that are wrong, odd or at a limit."""

from __future__ import annotations

from tests.hostile.case import Case, Indexed, Refused
from tests.hostile.xspace_bytes import (
    DEVICE,
    HOST,
    NAME,
    NS,
    OPS,
    SPACE,
    SPANS,
    case,
    environment,
    event,
    kept,
    line,
    plane,
)
from tests.tiler.readers import wire_writer as w

MAX, MIN = (1 << 63) - 1, -(1 << 63)
YEAR_NS = 365 * 86_400 * 10**9
ASIDE = (r"1\b.*73|1 × \w*(window|outside|far|out_of_range|aside)", "73|outside|set aside|× ")
CLEAR = Refused(r"h\.xplane\.pb.*(time|start|range)")

# `profile_start_time` as it is written.
_STARTS = {
    "2-64-minus-1": w.number(3, (1 << 64) - 1),
    "2-63": w.number(3, 1 << 63),
    "int64-max": w.number(4, MAX),
    "int64-min": w.number(4, MIN),
    "minus-1": w.number(4, -1),
    "0": w.number(3, 0),
    "double": w.double(2, 1.7e18),
    "nan": w.double(2, float("nan")),
    "text": w.data(5, "1700000000000000000"),
    "bytes": w.data(6, b"\xff" * 8),
    "reference": w.number(7, 1),
    "no-value": b"",
}

_HOSTNAMES = {
    "no-utf8": (b"host\xff\xfe", "host\ufffd\ufffd"),
    "empty": (b"", "h"),
    "new-line": (b"a\nb", None),
    "escape-sequence": (b"\x1b[31mred", None),
    "nul": (b"a\x00b", None),
    "slashes": (b"../../etc", "../../etc"),
    "long": (b"n" * 100_000, None),
    "direction": ("\u202eabc".encode(), None),
}

_NAMES = {
    "no-utf8": (b"a\xffb", "a\ufffdb"),
    "overlong": (b"\xc0\xaf", "\ufffd\ufffd"),
    "surrogate": (b"\xed\xa0\x80", "\ufffd" * 3),
    "new-line": (b"a\nb", "a\nb"),
    "escape-sequence": (b"\x1b[2Ja", "\x1b[2Ja"),
    "nul": (b"\x00", "\x00"),
    "empty": (b"", "[no name]"),
    "long": (b"%fusion" * 30_000, "%fusion" * 30_000),
    "replacement": (b"\xef\xbf\xbd", "\ufffd"),
}

# More fields of an event.
_EVENTS: dict[str, tuple[bytes, tuple[str, int, int]]] = {
    "zero-duration": (event(1, 0, 0), ("a", 0, 0)),
    "negative-duration": (event(1, 0, -5), ("a", 0, 0)),
    "smallest-duration": (event(1, 0, MIN), ("a", 0, 0)),
    "aggregated": (w.message(4, w.number(1, 1), w.number(5, 7), w.number(3, 2000)), ("a", 0, 2000)),
    "aggregated-without-limit": (
        w.message(4, w.number(1, 1), w.number(5, (1 << 64) - 1), w.number(3, 2000)),
        ("a", 0, 2000),
    ),
    "offset-then-occurrences": (event(1, 9000, 2000, w.number(5, 3)), ("a", 0, 2000)),
    "unknown-name": (event(99, 0), ("[no name]", 0, 2000)),
    "negative-name": (event(-1, 0), ("[no name]", 0, 2000)),
    "offset-twice": (event(1, 9000, 2000, w.number(2, 0)), ("a", 0, 2000)),
}


def _stats(*values: bytes) -> bytes:
    return event(1, 0, 2000, *(w.message(4, w.number(1, 1), value) for value in values))


# Stats of an event: whatever they are, the event stays.
_STATS = {
    "nan": _stats(w.double(2, float("nan"))),
    "infinity": _stats(w.double(2, float("-inf"))),
    "text-no-utf8": _stats(w.data(5, b"\xff\xfe")),
    "text-escape": _stats(w.data(5, "\x1b[31m\n")),
    "bytes-long": _stats(w.data(6, bytes(1_000_000))),
    "text-long": _stats(w.data(5, "x" * 1_000_000)),
    "reference-to-nothing": _stats(w.number(7, 999)),
    "reference-to-itself": _stats(w.number(7, 1)),
    "no-value": _stats(b""),
    "two-values": _stats(w.number(3, 1) + w.data(5, "x")),
    "unknown-stat": event(1, 0, 2000, w.message(4, w.number(1, 12345), w.number(3, 1))),
    "no-stat": event(1, 0, 2000, w.message(4)),
    "cut-inside": event(1, 0, 2000, w.data(4, b"\x08\x01\x2a\x7fx")),
    "wrong-wire-type": event(1, 0, 2000, w.data(4, b"\x0a\x01x")),
    "varint-of-11-bytes": event(1, 0, 2000, w.data(4, b"\x08" + b"\xff" * 11)),
    "thousand": _stats(*(w.number(3, k) for k in range(1000))),
    "group-inside": event(1, 0, 2000, w.data(4, w.varint(9 << 3 | 3) + w.varint(9 << 3 | 4) + w.number(1, 1))),
}

_FLOW_NAMES = (
    w.stat_metadata(1, "_pt") + w.stat_metadata(2, "_p") + w.stat_metadata(3, "_ct") + w.stat_metadata(4, "_c")
)


def _flow(*stats: tuple[int, int]) -> bytes:
    return b"".join(w.message(4, w.number(1, key), w.number(3, value)) for key, value in stats)


_FLOWS = {
    "to-itself": [_flow((1, 5), (2, 7), (3, 5), (4, 7))],
    "start-alone": [_flow((1, 5), (2, 7))],
    "end-alone": [_flow((3, 5), (4, 7))],
    "id-without-type": [_flow((2, 7)), _flow((4, 7))],
    "ids-at-limits": [_flow((1, (1 << 64) - 1), (2, (1 << 64) - 1)), _flow((3, (1 << 64) - 1), (4, (1 << 64) - 1))],
    "end-before-start": [_flow((3, 5), (4, 7)), _flow((1, 5), (2, 7))],
    "500-of-one-id": [_flow((1, 5), (2, 7), (3, 5), (4, 7))] * 500,
    "type-twice": [_flow((1, 5), (1, 6), (2, 7)), _flow((3, 6), (4, 7))],
}


def _one(name: str, about: str, part: bytes, span: tuple[str, int, int], said: tuple[str, ...] = ()) -> Case:
    return case(
        name,
        about,
        plane("/device:TPU:0", line("XLA Ops", part), w.stat_metadata(1, "s")),
        Indexed(1, 1, said, (span,)),
    )


def _outlier(name: str, part: bytes, *, events: int = 4, tracks: int = 3) -> Case:
    """One event more than SPACE has, far from all others."""
    some = [Indexed(events, tracks, ASIDE, SPANS), Indexed(events, tracks - 1, ASIDE, SPANS)]
    return case(
        f"xspace-outlier/{name}", "what lies outside of 73 years is set aside, the rest is exact", SPACE + part, *some
    )


def _named(name: bytes) -> bytes:
    return w.message(1, w.data(2, "p"), line("l", event(1)), w.map_entry(4, 1, w.number(1, 1), w.data(2, name)))


CASES = [
    *(
        case(
            f"xspace-start/{name}",
            "whatever the capture's start is, the events are kept, or a clear error",
            environment(w.message(6, w.number(1, 1), value)) + SPACE,
            kept(),
            kept(("start",)),
            CLEAR,
        )
        for name, value in _STARTS.items()
    ),
    *(
        case(
            f"xspace-host/{name}",
            "shown, and never raw on a terminal",
            DEVICE + HOST + w.data(4, raw),
            kept(hosts=None if shown is None else (shown,)),
        )
        for name, (raw, shown) in _HOSTNAMES.items()
    ),
    *(
        case(
            f"xspace-name/{name}",
            "shown, and never raw on a terminal",
            _named(raw),
            Indexed(1, 1, (), ((shown, 0, 2000),)),
        )
        for name, (raw, shown) in _NAMES.items()
    ),
    *(
        case(
            f"xspace-name/{where}-{name}",
            "never raw on a terminal",
            plane(raw if where == "plane" else b"p", line(raw if where == "line" else b"l", event(1))),
            Indexed(1, 1, (), (("a", 0, 2000),)),
        )
        for where in ("plane", "line")
        for name, (raw, _) in _NAMES.items()
        if name not in ("overlong", "surrogate", "replacement")
    ),
    *(
        case(
            f"xspace-name/{kind}-{name}",
            "told on one line",
            SPACE + w.data(field, raw),
            kept((f"the profiler {verb}",)),
        )
        for field, kind, verb in ((2, "error", "reported an error"), (3, "warning", "warned"))
        for name, raw in (
            ("new-line", b"a\nb\r\nc"),
            ("escape-sequence", b"\x1b[2J\x1b[31mred"),
            ("no-utf8", b"\xff\xfe"),
            ("empty", b""),
            ("long", b"e" * 100_000),
        )
    ),
    *(_one(f"xspace-event/{name}", "kept", part, span) for name, (part, span) in _EVENTS.items()),
    *(
        _one(f"xspace-stat/{name}", "whatever a stat is, its event stays", part, ("a", 0, 2000))
        for name, part in _STATS.items()
    ),
    *(
        case(
            f"xspace-flow/{name}",
            "flows that find no partner, or a strange one",
            plane(
                "/device:TPU:0",
                line("XLA Ops", *(event(1, 10_000 * k, 2000, flow) for k, flow in enumerate(flows))),
                _FLOW_NAMES,
            ),
            Indexed(len(flows), 1),
        )
        for name, flows in _FLOWS.items()
    ),
    case(
        "xspace-name/thousand-errors",
        "the first are told, the others counted",
        SPACE + b"".join(w.data(2, f"error {k}") for k in range(1000)),
        kept(("the profiler reported an error: error [0-9]+$", "the profiler reported an error 980 more times")),
    ),
    _outlier("line-int64-max", plane("/host:x", line("l", event(), start_ns=MAX))),
    _outlier("line-int64-min", plane("/host:x", line("l", event(), start_ns=MIN))),
    _outlier("line-100-years", plane("/host:x", line("l", event(), start_ns=100 * YEAR_NS))),
    _outlier("line-minus-100-years", plane("/host:x", line("l", event(), start_ns=-100 * YEAR_NS))),
    case(
        "xspace-outlier/first-in-file",
        "set aside wherever it stands",
        plane("/host:x", line("l", event(), start_ns=MAX)) + SPACE,
        *(Indexed(4, tracks, ASIDE, SPANS) for tracks in (2, 3)),
    ),
    case(
        "xspace-outlier/tie",
        "of two windows with equally many events the earliest",
        plane("p", line("l", event(1)), line("m", event(2), start_ns=200 * YEAR_NS)),
        *(Indexed(2, tracks, ASIDE, (("a", 0, 2000),)) for tracks in (1, 2)),
    ),
    case(
        "xspace-outlier/picoseconds-stay",
        "an outlier does not cost the others their picoseconds",
        plane("p", line("l", event(1, 1, 3), event(2, 5, 7)), line("m", event(3), start_ns=MAX)),
        *(Indexed(3, tracks, ASIDE, (("a", 1, 3), ("b", 5, 7))) for tracks in (1, 2)),
    ),
    case(
        "xspace-outlier/offset-int64-max",
        "106 days: within 73 years",
        plane("p", line("l", event(1), event(2, MAX - 2000))),
        Indexed(2, 1),
        Indexed(2, 1, ("round",)),
    ),
    case(
        "xspace-outlier/offset-int64-min",
        "106 days before: within 73 years",
        plane("p", line("l", event(1), event(2, MIN))),
        Indexed(2, 1),
        Indexed(2, 1, ("round",)),
    ),
    case(
        "xspace-outlier/duration-int64-max",
        "106 days: within 73 years",
        plane("p", line("l", event(1), event(2, 4000, MAX - 10_000))),
        Indexed(2, 1),
        Indexed(2, 1, ("round",)),
    ),
    case(
        "xspace-outlier/start-72-years",
        "72 years are within",
        SPACE + plane("x", line("l", event(), start_ns=72 * YEAR_NS)),
        Indexed(4, 3),
        Indexed(4, 3, ("round|picosecond",)),
    ),
    case(
        "xspace-name/metadata-twice",
        "of equal ids the last one counts",
        w.message(1, w.data(2, "p"), line("l", event(1)), w.event_metadata(1, "first"), w.event_metadata(1, "last")),
        Indexed(1, 1, (), (("last", 0, 2000),)),
    ),
    case(
        "xspace-name/metadata-without-value",
        "no name",
        w.message(1, w.data(2, "p"), line("l", event(1)), w.message(4, w.number(1, 1))),
        Indexed(1, 1, (), (("[no name]", 0, 2000),)),
    ),
    case(
        "xspace-name/metadata-key-0",
        "a key that is left out is 0",
        w.message(1, w.data(2, "p"), line("l", event(0)), w.message(4, w.message(2, w.data(2, "zero")))),
        Indexed(1, 1, (), (("zero", 0, 2000),)),
    ),
    case("xspace-event/equal-lines", "two lines of one id and name stay apart", plane("p", OPS, OPS), Indexed(4, 2)),
    case("xspace-event/equal-planes", "two planes of one name stay apart", DEVICE + DEVICE + NAME, Indexed(4, 2)),
    case(
        "xspace-event/negative-line-ids",
        "ids are shown as they are",
        plane("p", line("l", event(1), number=-5), line("m", event(2), number=MIN)),
        Indexed(2, 2),
    ),
    case(
        "xspace-event/identical-1000",
        "as many rows as identical events",
        plane("p", line("l", event() * 1000)),
        Indexed(1000, 1),
        Indexed(1000, 1, ("overlap",)),
    ),
    case(
        "xspace-event/unsorted",
        "by start",
        plane("p", line("l", event(1, 9 * NS), event(2, 5 * NS), event(3, 0))),
        Indexed(3, 1, (), (("c", 0, 2000), ("b", 5 * NS, 2000), ("a", 9 * NS, 2000))),
    ),
]
