"""Trace-event JSON: pairing, async slices, flows, counters, and times far from all others."""

from __future__ import annotations

from tests.hostile.case import Case, Indexed
from tests.hostile.json_text import US, A, B, Spans, array, case, event, kept

OPEN = "1 slice has no end"
UNMATCHED = "^1 × end_without_begin"
YEAR_US = 365 * 86_400 * 10**6
OUTSIDE = r"73"
INT64_MAX_US = "9223372036854775.807"
INT64_MIN_US = "-9223372036854775.808"


def _b(ts: object, name: str = '"a"', **more: object) -> str:
    return event("B", ts, name=name, **more)


def _e(ts: object, name: str | None = '"a"', **more: object) -> str:
    return event("E", ts, name=name, **more)


def _async(ph: str, ts: int, **more: object) -> str:
    return event(ph, ts, **{"cat": '"x"', "id": '"1"', **more})


# Events of one thread, how many slices are counted, what is said, and the slices.
_PAIRS: dict[str, tuple[list[str], int, tuple[str, ...], Spans]] = {
    "end-alone": ([A, _e(9)], 1, (UNMATCHED,), (("a", 0, 2 * US),)),
    "begin-alone": ([_b(1), B], 2, (OPEN,), (("a", 0, 6 * US), ("b", 4 * US, 2 * US))),
    "end-first-in-file": ([_e(9), _b(1)], 1, (), (("a", 0, 8 * US),)),
    "end-before-begin": ([_e(1), _b(9)], 1, (UNMATCHED, OPEN), (("a", 8 * US, 0),)),
    "same-time": ([_b(5), _e(5)], 1, (), (("a", 0, 0),)),
    "names-differ": ([_b(1), _e(4, '"z"')], 1, ("name",), (("a", 0, 3 * US),)),
    "end-without-name": ([_b(1), _e(4, None)], 1, (), (("a", 0, 3 * US),)),
    "interleaved": ([_b(1), _b(2, '"b"'), _e(5), _e(7, '"b"')], 2, ("overlap",), (("a", 0, 4 * US), ("b", US, 5 * US))),
    "end-with-nan": ([_b(1), _e("NaN")], 1, ("1 × bad_ts", OPEN), (("a", 0, 0),)),
    "overlap": (
        [A, event("X", 2, dur=4, name='"b"')],
        2,
        ("overlap|extra row",),
        (("a", 0, 2 * US), ("b", US, 4 * US)),
    ),
}

# Async events, how many slices there are, tracks, what is said, and the slices.
_ASYNCS: dict[str, tuple[list[str], int, int, tuple[str, ...], Spans]] = {
    "legacy-end-first-elsewhere": ([_async("F", 20, pid=2), _async("S", 10)], 1, 1, (), (("a", 0, 10 * US),)),
    "nestable-end-first-elsewhere": ([_async("e", 20, pid=2), _async("b", 10)], 1, 1, (), (("a", 0, 10 * US),)),
    "end-first-same-process": ([_async("F", 20), _async("S", 10)], 1, 1, (), (("a", 0, 10 * US),)),
    "end-elsewhere-behind": ([_async("b", 10), _async("e", 20, pid=2)], 1, 1, (), (("a", 0, 10 * US),)),
    "own-process-first": (
        [_async("b", 10), _async("b", 12, pid=2, name='"b"'), _async("e", 20, pid=2, name='"b"'), _async("e", 30)],
        2, 2, (), (("a", 0, 20 * US), ("b", 2 * US, 8 * US)),
    ),
    "local-ids-stay": (
        [_async("b", 10, id=None, id2='{"local":"1"}'), _async("e", 20, pid=2, id=None, id2='{"local":"1"}')],
        1, 2, (UNMATCHED, OPEN), (("a", 0, 10 * US),),
    ),
    "global-ids-cross": (
        [_async("b", 10, id=None, id2='{"global":"1"}'), _async("e", 20, pid=2, id=None, id2='{"global":"1"}')],
        1, 1, (), (("a", 0, 10 * US),),
    ),
    "id-missing": ([_async("b", 10, id=None), _async("e", 20, id=None)], 1, 1, (), (("a", 0, 10 * US),)),
    "id-beyond-double": (
        [_async("b", 10, id=9007199254740993), _async("e", 20, id=9007199254740993)], 1, 1, (), (("a", 0, 10 * US),),
    ),
    "id-object": ([_async("b", 10, id='{"x":1}'), _async("e", 20, id='{"x":1}')], 1, 1, (), (("a", 0, 10 * US),)),
    "kinds-do-not-mix": ([_async("b", 10), _async("F", 20)], 1, 1, (UNMATCHED, OPEN), (("a", 0, 10 * US),)),
    "end-alone": ([A, _async("e", 20)], 0, 2, (UNMATCHED,), (("a", 0, 2 * US),)),
}  # fmt: skip

# Events with the most of them near 0, and how many are set aside.
_OUTLIERS: dict[str, tuple[list[str], int]] = {
    "largest-int64": ([A, B, event("X", INT64_MAX_US, dur=0)], 1),
    "smallest-int64": ([A, B, event("X", INT64_MIN_US, dur=0)], 1),
    "both-limits": ([A, B, event("X", INT64_MAX_US, dur=0), event("X", INT64_MIN_US, dur=0)], 2),
    "100-years": ([A, B, event("X", 100 * YEAR_US, dur=1)], 1),
    "minus-100-years": ([A, B, event("X", -100 * YEAR_US, dur=1)], 1),
    "first-in-file": ([event("X", INT64_MAX_US, dur=0), A, B], 1),
    "long-duration": ([A, B, event("X", 1, dur=100 * YEAR_US)], 1),
    "instant": ([A, B, event("i", INT64_MAX_US, s='"t"')], 1),
    "counter": ([A, B, event("C", INT64_MAX_US, args='{"v":1}')], 1),
    "flow": ([A, B, event("s", INT64_MAX_US, id=1)], 1),
    "async": ([A, B, event("b", INT64_MAX_US, id=1, cat='"x"')], 1),
    "begin": ([A, B, event("B", INT64_MAX_US)], 1),
    "end": ([A, B, event("E", INT64_MAX_US)], 1),
}

_COUNTERS = {
    "null": ('{"v":null}', 1, "^1 × counter_value_null"),
    "nan": ('{"v":NaN}', 1, "^1 × counter_value_not_finite"),
    "too-much": ('{"v":1e999}', 1, "^1 × counter_value_not_finite"),
    "word": ('{"v":"much"}', 1, "^1 × counter_value_no_number"),
    "list": ('{"v":[1]}', 1, "^1 × counter_value_no_number"),
    "none": ("{}", 1, "^1 × counter_without_series"),
    "no-object": ("5", 1, "^1 × counter_without_series"),
}

_FLOWS: dict[str, tuple[list[str], tuple[str, ...]]] = {
    "end-alone": ([event("f", 2, id=1)], ()),
    "start-alone": ([event("s", 2, id=1)], ()),
    "no-id": ([event("s", 2), event("f", 6)], ()),
    "to-itself": ([event("s", 2, id=1), event("f", 2, id=1, bp='"e"')], ()),
    "end-first": ([event("f", 2, id=1, bp='"e"'), event("s", 6, id=1)], ()),
    "ids-of-all-kinds": (
        [event("s", 2, id='"x"'), event("f", 6, id='"x"'), event("s", 2, id="NaN"), event("s", 2, id="{}")],
        (),
    ),
    "fan-out": ([event("s", 2, id=1), *(event("f", 6, id=1, bp='"e"') for _ in range(3))], ()),
    "no-slice": ([event("s", 2, id=1, tid=77), event("f", 6, id=1, tid=78)], ()),
    "bad-bp": ([event("f", 2, id=1, bp="[1]"), event("s", 1, id=1)], ()),
}


def _counted(name: str, args: str, said: str) -> Case:
    text = array(A, event("C", 1, args='{"v":1}'), event("C", 2, args=args), B)
    return case(f"json-counter/{name}", "no value: counted", text, kept((said,), 4, tracks=2))


def _set_aside(count: int) -> str:
    return rf"{count}\b.*73|{count} × outside_window|^1 × ts_out_of_range"


CASES = [
    *(
        case(
            f"json-pair/{name}",
            "begin and end",
            array(*events),
            Indexed(sum('"E"' not in e for e in events) + sum('"E"' in e for e in events), 1, said, spans),
        )
        for name, (events, _, said, spans) in _PAIRS.items()
    ),
    *(
        case(
            f"json-async/{name}",
            "begin and end by identity and time",
            array(*events),
            Indexed(len(events), tracks, said, spans),
            *((Indexed(len(events), tracks + 1, said, spans),) if "elsewhere" in name or "cross" in name else ()),
        )
        for name, (events, _, tracks, said, spans) in _ASYNCS.items()
    ),
    *(
        case(
            f"json-outlier/{name}",
            "what lies outside of 73 years is set aside, the rest is exact",
            array(*events),
            *(
                Indexed(
                    len(events),
                    tracks,
                    (_set_aside(count), "73|outside|set aside|empty|× "),
                    (("a", 0, 2 * US), ("b", 4 * US, 2 * US)),
                )
                for tracks in (1, 2)
            ),
        )
        for name, (events, count) in _OUTLIERS.items()
    ),
    case(
        "json-outlier/picoseconds-stay",
        "an outlier does not cost the others their picoseconds",
        array(event("X", "1.000001", dur="0.000003"), B, event("X", INT64_MAX_US, dur=0)),
        Indexed(3, 1, (_set_aside(1), "73|outside|set aside|× "), (("a", 1, 3), ("b", 4 * US, 2 * US))),
    ),
    case(
        "json-outlier/tie-earliest",
        "of two windows with equally many events the earliest",
        array(A, B, event("X", 200 * YEAR_US, dur=1), event("X", 200 * YEAR_US + 7, dur=1)),
        Indexed(4, 1, (_set_aside(2), "73|outside|set aside|× "), (("a", 0, 2 * US), ("b", 4 * US, 2 * US))),
    ),
    case(
        "json-outlier/majority-late",
        "the window with the most events, wherever it is",
        array(event("X", -200 * YEAR_US, dur=1), A, B),
        Indexed(3, 1, (_set_aside(1), "73|outside|set aside|× "), (("a", 0, 2 * US), ("b", 4 * US, 2 * US))),
    ),
    case(
        "json-outlier/just-within", "72 years are within", array(A, B, event("X", 72 * YEAR_US, dur=1)), Indexed(3, 1)
    ),
    *(_counted(name, args, said) for name, (args, _, said) in _COUNTERS.items()),
    case(
        "json-counter/1000-series",
        "a track each",
        array(event("C", 1, args="{" + ",".join(f'"s{k}":{k}' for k in range(1000)) + "}")),
        Indexed(1, 1000),
    ),
    case(
        "json-counter/edge-values",
        "doubles at their limits",
        array(
            *(
                event("C", k, args=f'{{"v":{v}}}')
                for k, v in enumerate(("1e308", "-1e308", "5e-324", "-0.0", "1.7976931348623157e308"))
            )
        ),
        Indexed(5, 1),
    ),
    case(
        "json-counter/same-time",
        "several samples at one time",
        array(*(event("C", 1, args=f'{{"v":{k}}}') for k in range(50))),
        Indexed(50, 1),
    ),
    *(
        case(
            f"json-flow/{name}",
            "ends that find no partner, or a strange one",
            array(A, B, *events),
            *(Indexed(2 + len(events), tracks, said) for tracks in (1, 2, 3)),
        )
        for name, (events, said) in _FLOWS.items()
    ),
    *(
        case(
            f"json-phase/{ph}",
            "a phase that is counted, not shown",
            array(A, event(ph, 3, id=1), B),
            kept((f"^1 × {what}",), 3),
        )
        for ph, what in (
            ("N", "object_created"),
            ("O", "object_snapshot"),
            ("D", "object_deleted"),
            ("c", "clock_sync"),
            ("v", "memory_dump"),
            ("V", "memory_dump"),
            ("Q", "unknown_phase"),
            ("é", "unknown_phase|bad_ph"),
            ("\\u0001", "unknown_phase|bad_ph"),
            ("(", "unknown_phase"),
        )
    ),
    case(
        "json-pair/thousand-deep",
        "a thousand rows",
        array(*(_b(k, f'"n{k}"') for k in range(1000)), *(_e(2000 - k, f'"n{k}"') for k in range(1000))),
        Indexed(2000, 1),
    ),
    case(
        "json-pair/identical-1000",
        "as many rows as identical slices",
        array(*[A] * 1000),
        Indexed(1000, 1, ("overlap|extra row",)),
        Indexed(1000, 1),
    ),
]
