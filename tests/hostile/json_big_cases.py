"""Trace-event JSON that wants much memory or time: linear, within the budget, or refused with the limit named."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial

from tests.hostile.case import GIB, Case, Indexed, Refused, put
from tests.hostile.json_text import A, B, array, many

MILLION = 1_000_000
LIMIT = Refused(r"(?i)limit|at most|more than|memory|too (many|much|large|long)")
EMPTY = Indexed(0, 0, ("empty",))
CPU_SECONDS = 40.0
DATA_BYTES = GIB + GIB // 2  # the budget of 1 GiB is about what indexing takes


def big_case(
    name: str, about: str, data: Callable[[], str | bytes], *accepted: Indexed | Refused, seconds: float = CPU_SECONDS
) -> Case:
    def encoded() -> bytes:
        made = data()
        return made.encode() if isinstance(made, str) else made

    return Case(
        f"json-big/{name}",
        about,
        put("t.json", encoded),
        accepted,
        cpu_seconds=seconds,
        data_bytes=DATA_BYTES,
        apart=True,
    )


def _x(k: int, ts: int, dur: int) -> str:
    return f'{{"ph":"X","name":"n{k % 7}","pid":1,"tid":2,"ts":{ts},"dur":{dur}}}'


def differing(member: str) -> Callable[[int], str]:
    """Events that differ in one member; %d is the number of the event."""
    return lambda k: '{"ph":"X","name":"a",' + member % k + f',"ts":{k},"dur":1}}'


def _wild() -> str:
    rng = random.Random(5)
    return many(100_000, lambda k: _x(k, rng.randrange(-(1 << 62) // 1000, (1 << 62) // 1000), 1))


CASES = [
    big_case(
        "series",
        "an event with 100,000 series",
        lambda: (
            '[{"ph":"C","name":"c","pid":1,"ts":1,"args":{' + ",".join(f'"s{k}":{k}' for k in range(100_000)) + "}}]"
        ),
        Indexed(1, 100_000),
        LIMIT,
    ),
    big_case(
        "series-of-events",
        "100 events with 10,000 series each",
        lambda: many(
            100,
            lambda e: (
                f'{{"ph":"C","name":"c","pid":1,"ts":{e},"args":{{'
                + ",".join(f'"s{k}":{k}' for k in range(10_000))
                + "}}"
            ),
        ),
        Indexed(100, 10_000),
    ),
    big_case(
        "series-growing",
        "series that come one by one",
        lambda: many(
            1000,
            lambda e: (
                f'{{"ph":"C","name":"c","pid":1,"ts":{e},"args":{{' + ",".join(f'"s{k}":{k}' for k in range(e)) + "}}"
            ),
        ),
        Indexed(1000, 999, ("^1 × counter_without_series",)),
    ),
    big_case(
        "unmatched-begins",
        "a million begins without an end",
        lambda: many(MILLION, lambda k: f'{{"ph":"B","name":"n{k % 7}","pid":1,"tid":2,"ts":{k}}}'),
        Indexed(MILLION, 1, ("1,000,000 slices have no end",)),
        LIMIT,
        seconds=60,
    ),
    big_case(
        "unmatched-ends",
        "a million ends without a begin",
        lambda: many(MILLION, lambda k: f'{{"ph":"E","name":"n{k % 7}","pid":1,"tid":2,"ts":{k}}}'),
        Indexed(MILLION, 1, ("^1000000 × end_without_begin",)),
    ),
    big_case(
        "unmatched-names",
        "ends that name what is deep below",
        lambda: array(
            *(f'{{"ph":"B","name":"n{k}","pid":1,"tid":2,"ts":{k}}}' for k in range(100_000)),
            *(f'{{"ph":"E","name":"n{k}","pid":1,"tid":2,"ts":{100_000 + k}}}' for k in range(100_000)),
        ),
        Indexed(200_000, 1, ("overlap|extra row",)),
        LIMIT,
    ),
    big_case(
        "ends-of-no-name",
        "ends whose name no open slice has",
        lambda: array(
            *(f'{{"ph":"B","name":"n{k}","pid":1,"tid":2,"ts":{k}}}' for k in range(100_000)),
            *(f'{{"ph":"E","name":"m{k}","pid":1,"tid":2,"ts":{100_000 + k}}}' for k in range(100_000)),
        ),
        Indexed(200_000, 1, ("name",)),
        Indexed(200_000, 1, ("name", "overlap")),
    ),
    *(
        big_case(
            f"identical-{count}",
            "that many rows",
            partial(many, count, lambda _: A),
            Indexed(count, 1, ("overlap",)),
            Indexed(count, 1),
            LIMIT,
        )
        for count in (12_000, 25_000, MILLION)
    ),
    big_case(
        "nested",
        "300,000 slices in one another",
        lambda: many(300_000, lambda k: _x(k, k, 700_000 - 2 * k)),
        Indexed(300_000, 1),
        LIMIT,
    ),
    big_case(
        "begins-open-at-once",
        "ten million begins, all open",
        lambda: many(10 * MILLION, lambda k: f'{{"ph":"B","ts":{k}}}'),
        LIMIT,
        seconds=60,
    ),
    big_case(
        "nested-pairs",
        "300,000 begins, then as many ends",
        lambda: array(
            *(f'{{"ph":"B","name":"a","pid":1,"tid":2,"ts":{k}}}' for k in range(300_000)),
            *(f'{{"ph":"E","name":"a","pid":1,"tid":2,"ts":{300_000 + k}}}' for k in range(300_000)),
        ),
        Indexed(600_000, 1),
        LIMIT,
    ),
    big_case(
        "stairs",
        "300,000 slices that overlap",
        lambda: many(300_000, lambda k: _x(k, k, 300_000)),
        Indexed(300_000, 1, ("overlap",)),
        LIMIT,
    ),
    big_case(
        "backwards",
        "a million events, the last first",
        lambda: many(MILLION, lambda k: _x(k, 10 * (MILLION - k), 5)),
        Indexed(MILLION, 1),
    ),
    big_case(
        "wild-times",
        "100,000 events all over the range of time",
        _wild,
        Indexed(100_000, 1, ("73|outside|set aside|× ",)),
    ),
    big_case(
        "event-of-65-mb",
        "an event that is too large is taken for a missing bracket",
        lambda: f'[{A},\n{A[:-1]},"args":{{"x":"{"x" * (65 << 20)}"}}}},\n{B}]',
        Indexed(2, 1, ("^1 × oversized_event", "damaged JSON in 1 place")),
        Indexed(3, 1, ("^1 × oversized_event", "damaged JSON in 1 place")),
    ),
    big_case(
        "event-of-60-mb",
        "an event that is not too large",
        lambda: f'[{A},\n{A[:-1]},"args":{{"x":"{"x" * (60 << 20)}"}}}},\n{B}]',
        Indexed(3, 1),
        Indexed(3, 1, ("overlap",)),
    ),
    big_case(
        "string-never-ends",
        "200 MB of an unclosed string",
        lambda: f'[{A},{{"ph":"X","name":"' + "x" * (200 << 20),
        Indexed(1, 1, ("× |ends inside|cut", "damaged|ends inside|cut", "missing|cut")),
        Indexed(1, 1, ("× |ends inside|cut|damaged|missing",)),
    ),
    big_case(
        "member-never-ends",
        "200 MB of a member before the events",
        lambda: '{"x":"' + "x" * (200 << 20),
        Refused("no traceEvents|no trace"),
        Indexed(0, 0, ("ends inside|cut|empty",)),
    ),
    big_case(
        "member-of-200-mb",
        "a large member before the events",
        lambda: '{"x":"' + "x" * (200 << 20) + '","traceEvents":[' + A + "," + B + "]}",
        Indexed(2, 1),
    ),
    big_case(
        "members",
        "a million members beside the events",
        lambda: '{"traceEvents":[' + A + "]," + ",".join(f'"m{k}":{k}' for k in range(MILLION)) + "}",
        Indexed(1, 1, ("990,000 values beside the events are left out: 10,000 are kept",)),
    ),
    big_case(
        "members-of-one-name",
        "two million members of one name",
        lambda: '{"traceEvents":[' + A + "]" + ',"a":[]' * (2 * MILLION) + "}",
        Indexed(1, 1, ("1,990,000 values beside the events are left out",)),
    ),
    big_case(
        "members-of-many-objects",
        "a million traces with a member each",
        lambda: ('{"otherData":1,"traceEvents":[]}\n') * MILLION + A,
        Indexed(1, 1, ("990,000 values beside the events are left out",)),
    ),
    big_case(
        "member-names",
        "1,000 names of members of 100 kB",
        lambda: '{"traceEvents":[' + A + "]" + "".join(f',"{k}{"n" * 100_000}":1' for k in range(1000)) + "}",
        Indexed(1, 1, ("name is too long", "999 values beside the events are left out")),
    ),
    big_case(
        "member-of-1-gb",
        "a large member behind the events",
        lambda: b'{"traceEvents":[' + A.encode() + b'],"otherData":"' + b"text " * (200 << 20) + b'"}',
        Indexed(1, 1),
    ),
    big_case(
        "nested-member",
        "a member ten million deep",
        lambda: '{"traceEvents":[' + A + '],"otherData":' + "[" * 10 * MILLION + "]" * 10 * MILLION + "}",
        Indexed(1, 1),
    ),
    big_case("brackets", "ten million brackets", lambda: "[" * 10 * MILLION, Refused(""), Indexed(0, 0, ("",))),
    big_case("braces", "ten million braces", lambda: "{" * 10 * MILLION, Refused(""), Indexed(0, 0, ("",))),
    big_case(
        "nested-members",
        "a million objects in one another",
        lambda: '{"a":' * MILLION,
        Refused(""),
        Indexed(0, 0, ("",)),
    ),
    big_case(
        "nested-args",
        "an event a million deep",
        lambda: f'[{A[:-1]},"args":{{"x":' + "[" * MILLION + "]" * MILLION + f"}}}},{B}]",
        Indexed(2, 1, ("nest|deep",)),
        Indexed(2, 1),
    ),
    big_case(
        "events-in-events",
        "objects that begin and never end",
        lambda: '[{"ph":"X","args":' * MILLION,
        Refused(""),
        Indexed(0, 0, ("",)),
        Indexed(0, 0, ("× ", "damaged", "missing|ends|cut", "empty")),
    ),
    big_case("commas", "100 MB of commas", lambda: "[" + A + "," * (100 << 20) + B + "]", Indexed(2, 1)),
    big_case("white-space", "200 MB of nothing", lambda: " " * (200 << 20), EMPTY),
    big_case(
        "white-space-then-events", "200 MB of nothing first", lambda: " " * (200 << 20) + array(A, B), Indexed(2, 1)
    ),
    big_case("quotes", "50 MB of quotes", lambda: "[" + A + "," + '"' * (50 << 20) + "]", Indexed(1, 1, ("",))),
    big_case(
        "backslashes",
        "50 MB of backslashes",
        lambda: "[" + A + ',{"ph":"X","name":"' + "\\" * (50 << 20) + f'"}},{B}]',
        Indexed(2, 1, ("",)),
        Indexed(2, 1),
        Indexed(1, 1, ("",)),
        Indexed(3, 1, ("",)),
    ),
    big_case(
        "number-of-50-mb",
        "a time of 50 million digits",
        lambda: "[" + A + ',{"ph":"X","name":"x","ts":' + "9" * (50 << 20) + f"}},{B}]",
        Indexed(3, 1, ("^1 × ts_out_of_range|^1 × bad_ts",)),
        Indexed(2, 1, ("× ", "damaged")),
    ),
    big_case(
        "pids",
        "a million processes",
        lambda: many(MILLION, differing('"pid":%d,"tid":1')),
        LIMIT,
        Indexed(MILLION, MILLION),
        seconds=90,
    ),
    big_case(
        "tids",
        "a million threads",
        lambda: many(MILLION, differing('"pid":1,"tid":%d')),
        LIMIT,
        Indexed(MILLION, MILLION),
        seconds=90,
    ),
    big_case(
        "async-ids",
        "a million async slices, all open at once",
        lambda: array(
            *(f'{{"ph":"b","cat":"c","name":"a","id":{k},"pid":1,"ts":{k}}}' for k in range(300_000)),
            *(f'{{"ph":"e","cat":"c","name":"a","id":{k},"pid":1,"ts":{k + 300_000}}}' for k in range(300_000)),
        ),
        Indexed(600_000, 1),
        Indexed(600_000, 1, ("overlap",)),
        LIMIT,
    ),
    big_case(
        "async-of-one-id",
        "300,000 slices of one id",
        lambda: array(
            *(f'{{"ph":"b","cat":"c","name":"a","id":1,"pid":{k % 1000},"ts":{k}}}' for k in range(100_000)),
            *(f'{{"ph":"e","cat":"c","name":"a","id":1,"pid":5000,"ts":{k + 100_000}}}' for k in range(100_000)),
        ),
        Indexed(200_000, None),
        Indexed(200_000, None, ("overlap",)),
        LIMIT,
    ),
    big_case(
        "async-categories",
        "100,000 categories",
        lambda: many(100_000, lambda k: f'{{"ph":"b","cat":"c{k}","name":"a","id":1,"pid":1,"ts":{k}}}'),
        Indexed(100_000, 100_000, ("100,000 slices have no end",)),
        LIMIT,
    ),
    big_case(
        "flows-of-one-id",
        "300,000 ends of one flow",
        lambda: many(
            300_000, lambda k: f'{{"ph":"{"sf"[k % 2]}","cat":"c","name":"a","id":1,"pid":1,"tid":1,"ts":{k}}}'
        ),
        Indexed(300_000, None),
        LIMIT,
    ),
    big_case(
        "flows-fan-out",
        "300,000 ends of one start",
        lambda: array(
            '{"ph":"s","cat":"c","name":"a","id":1,"pid":1,"tid":1,"ts":1}',
            *(f'{{"ph":"f","bp":"e","cat":"c","name":"a","id":1,"pid":1,"tid":1,"ts":{k}}}' for k in range(2, 300_000)),
            A,
        ),
        Indexed(300_000, None),
        LIMIT,
    ),
    big_case(
        "flows-of-one-track",
        "two million flows from one slice of a track to another",
        lambda: array(
            _x(1, 0, 10 * MILLION),
            *(
                f'{{"ph":"{"sf"[k % 2]}","bp":"e","cat":"c","name":"a","id":{k // 2},"pid":1,"tid":2,"ts":{k}}}'
                for k in range(4 * MILLION)
            ),
        ),
        Indexed(4 * MILLION + 1, 1),
        seconds=60,
    ),
    big_case(
        "flows-alone",
        "four million starts of flows that never end",
        lambda: many(
            4 * MILLION, lambda k: f'{{"ph":"s","cat":"c","name":"a","id":"{k:#x}","pid":1,"tid":1,"ts":{k}}}'
        ),
        Indexed(4 * MILLION, None),
        seconds=60,
    ),
    big_case(
        "flows-of-texts",
        "two million starts of flows, each with a long text as id",
        lambda: many(
            2 * MILLION, lambda k: f'{{"ph":"s","cat":"c","name":"a","id":"{"i" * 200}{k}","pid":1,"tid":1,"ts":{k}}}'
        ),
        LIMIT,
    ),
    big_case(
        "flows-beyond",
        "more flow ends than there is room for, in few bytes each",
        lambda: many(12 * MILLION, lambda k: '{"ph":"s","ts":1}'),
        LIMIT,
    ),
    big_case(
        "async-unmatched",
        "a million begins of an id each that never end",
        lambda: many(MILLION, lambda k: f'{{"ph":"b","cat":"c","name":"a","id":{k},"pid":1,"ts":{k}}}'),
        Indexed(MILLION, 1, ("1,000,000 slices have no end",)),
        LIMIT,
        seconds=60,
    ),
    big_case(
        "async-unmatched-ends",
        "four million ends of an id each, in two processes",
        lambda: many(4 * MILLION, lambda k: f'{{"ph":"e","cat":"c","name":"a","id":{k // 2},"pid":{k % 2},"ts":{k}}}'),
        Indexed(4 * MILLION, None, ("^4000000 × end_without_begin",)),
        LIMIT,
        seconds=60,
    ),
    big_case(
        "one-name-open",
        "a name that is open a million times at once, on two threads",
        lambda: many(MILLION, lambda k: f'{{"ph":"B","name":"a","pid":1,"tid":{k % 2},"ts":{k}}}'),
        Indexed(MILLION, 2, ("1,000,000 slices have no end",)),
        LIMIT,
        seconds=60,
    ),
    big_case(
        "metadata",
        "a million names of threads without events",
        lambda: many(
            MILLION, lambda k: f'{{"ph":"M","name":"thread_name","pid":{k},"tid":1,"args":{{"name":"t{k}"}}}}'
        ),
        EMPTY,
        LIMIT,
    ),
    big_case(
        "thread-renamed",
        "a million names of one thread",
        lambda: (
            many(MILLION, lambda k: f'{{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{{"name":"t{k}"}}}}')[:-1]
            + ","
            + A
            + "]"
        ),
        Indexed(1, 1),
    ),
    big_case(
        "unknown-phases",
        "events of 90 phases",
        lambda: many(MILLION, lambda k: f'{{"ph":"{chr(0x4E00 + k % 20_000)}","ts":1}}'),
        Indexed(MILLION, 0, ("^[0-9]+ × (unknown_phase|bad_ph)", "empty")),
        Indexed(MILLION, 0, ("^[0-9]+ × (unknown_phase|bad_ph)",)),
        LIMIT,
    ),
    big_case(
        "damage",
        "a million broken events: from the first to the next whole one it is one place",
        lambda: f"[{A}," + '{"name":"a"b","ph":"X"},\n' * MILLION + f"{B}]",
        Indexed(2, 1, ("^1 × damaged_event", "damaged JSON in 1 place")),
    ),
    big_case(
        "damage-between",
        "200,000 broken events, a whole one behind each",
        lambda: "[" + f'{{"name":"a"b","ph":"X"}},\n{A},\n' * 200_000 + f"{B}]",
        Indexed(200_001, 1, ("^200000 × damaged_event", "damaged JSON in 200,000 places")),
        Indexed(200_001, 1, ("^200000 × damaged_event", "damaged JSON in 200,000 places", "overlap")),
    ),
    big_case(
        "lists",
        "a million lists of events",
        lambda: '{"traceEvents":[' + A + "]" + ',"traceEvents":[]' * MILLION + "}",
        Indexed(1, 1),
    ),
    big_case(
        "objects",
        "a million traces one after the other",
        lambda: ('{"traceEvents":[' + A + "]}\n") * MILLION,
        Indexed(MILLION, 1, ("overlap",)),
        LIMIT,
        Indexed(MILLION, 1),
    ),
    big_case(
        "foreign-lines",
        "a million lines of another log",
        lambda: '{"level":"info","message":"hello"}\n' * MILLION,
        Refused("not a trace"),
    ),
    big_case(
        "stack-frames",
        "a million stack frames beside the events",
        lambda: (
            f'{{"traceEvents":[{A}],"stackFrames":{{'
            + ",".join(f'"{k}":{{"name":"f{k}","parent":"{k - 1}"}}' for k in range(MILLION))
            + "}}"
        ),
        Indexed(1, 1),
    ),
]
