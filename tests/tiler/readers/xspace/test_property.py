"""The native XSpace reader against the plain-Python reference, on anything that protobuf allows."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.tiler.readers import wire_writer as w
from tests.tiler.readers.xspace.xspace_reference import RefSpace, read_space
from tests.tiler.readers.xspace.xspace_rows import ReadSpace, read
from tilescope.tiler.columns import TrackKind

INT64 = st.integers(-(1 << 63), (1 << 63) - 1)
IDS = st.one_of(st.integers(0, 6), st.sampled_from([-1, -(1 << 40), 1 << 62, 70, 700, 5000]))
NAMES = st.one_of(
    st.sampled_from(["", "matmul", "fusion.1", "_pt", "_p", "_ct", "_c", "step_num", "hlo_category", "größe"]),
    st.text("ab", max_size=2),
)
SMALL = st.integers(-5_000, 5_000)


@st.composite
def shuffled(draw: st.DrawFn, *parts: st.SearchStrategy[bytes]) -> bytes:
    """The fields in any order, among fields that the schema does not know."""
    unknown = st.sampled_from(
        [
            w.number(900, 7),
            w.double(901, 1.5),
            w.data(902, b"\xff\xfe"),
            w.varint(903 << 3 | 5) + b"abcd",
            w.varint(904 << 3 | 3) + w.number(1, 5) + w.varint(904 << 3 | 4),
        ]
    )
    drawn = [draw(part) for part in parts]
    drawn += draw(st.lists(unknown, max_size=1))
    return b"".join(draw(st.permutations(drawn)))


def maybe(strategy: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    return st.one_of(st.just(b""), strategy)


STAT_VALUES = st.one_of(
    st.floats().map(lambda value: w.double(2, value)),
    st.integers(0, (1 << 64) - 1).map(lambda value: w.number(3, value)),
    st.integers(0, 3).map(lambda value: w.number(3, value)),
    INT64.map(lambda value: w.number(4, value)),
    NAMES.map(lambda value: w.data(5, value)),
    st.binary(max_size=3).map(lambda value: w.data(6, value)),
    IDS.map(lambda value: w.number(7, value)),
)


def stats(field: int) -> st.SearchStrategy[bytes]:
    stat = shuffled(maybe(IDS.map(lambda key: w.number(1, key))), maybe(STAT_VALUES))
    return stat.map(lambda body: w.data(field, body))


# As profilers write them: fields in their order, nothing else. They are read in a way of their own.
USUAL_STATS = st.tuples(maybe(st.integers(0, 90).map(lambda key: w.number(1, key))), STAT_VALUES)
USUAL_EVENTS = st.tuples(
    maybe(st.one_of(st.integers(0, 200), st.integers(0, 1 << 50)).map(lambda key: w.number(1, key))),
    maybe(st.one_of(st.integers(0, 1 << 20), st.integers(-(1 << 50), 1 << 57)).map(lambda ps: w.number(2, ps))),
    maybe(st.one_of(st.integers(0, 1 << 29), st.integers(-1, (1 << 63) - 1)).map(lambda ps: w.number(3, ps))),
    st.lists(USUAL_STATS.map(lambda parts: w.message(4, *parts)), max_size=20).map(b"".join),
).map(b"".join)

OTHER_EVENTS = shuffled(
    maybe(IDS.map(lambda key: w.number(1, key))),
    maybe(st.one_of(SMALL, st.integers(-(1 << 60), 1 << 60)).map(lambda ps: w.number(2, ps))),
    maybe(st.one_of(SMALL, INT64).map(lambda ps: w.number(3, ps))),
    maybe(st.integers(0, 1 << 40).map(lambda count: w.number(5, count))),
    maybe(stats(4)),
    maybe(stats(4)),
    maybe(stats(4)),
    maybe(SMALL.map(lambda ps: w.number(2, ps))),
)
EVENTS = st.one_of(USUAL_EVENTS, OTHER_EVENTS).map(lambda body: w.data(4, body))

LINE_NAMES = st.one_of(NAMES, st.just("_counters_"))
LINES = shuffled(
    maybe(IDS.map(lambda key: w.number(1, key))),
    maybe(LINE_NAMES.map(lambda name: w.data(2, name))),
    maybe(st.one_of(SMALL, st.integers(0, 1 << 61)).map(lambda ns: w.number(3, ns))),
    maybe(LINE_NAMES.map(lambda name: w.data(11, name))),
    maybe(st.just(w.number(9, 12) + w.number(10, 3))),
    st.lists(EVENTS, max_size=6).map(b"".join),
).map(lambda body: w.data(3, body))

EVENT_METADATA = st.tuples(
    IDS,
    shuffled(
        maybe(NAMES.map(lambda name: w.data(2, name))),
        maybe(NAMES.map(lambda name: w.data(4, name))),
        maybe(st.just(w.data(3, b"\x00" * 10))),
        maybe(stats(5)),
        maybe(stats(5)),
    ),
).map(lambda entry: w.message(4, w.number(1, entry[0]), w.data(2, entry[1])))
STAT_NAMES = st.one_of(NAMES, st.just("hlo_category"))
STAT_METADATA = st.tuples(IDS, STAT_NAMES).map(lambda entry: w.stat_metadata(entry[0], entry[1]))
CATEGORY_STATS = st.tuples(st.integers(1, 3).map(lambda key: w.number(1, key)), STAT_VALUES)
OPERATION_METADATA = st.tuples(
    IDS,
    st.sampled_from(["fusion.1", "copy"]),
    st.lists(CATEGORY_STATS.map(lambda parts: w.message(5, *parts)), max_size=3),
).map(lambda entry: w.event_metadata(entry[0], entry[1], "", *entry[2]))
CATEGORY_METADATA = st.integers(1, 3).map(lambda key: w.stat_metadata(key, "hlo_category"))
EMPTY_ENTRIES = st.sampled_from([w.data(4, b""), w.data(5, b""), w.message(4, w.number(1, 3))])

PLANES = shuffled(
    maybe(st.just(w.number(1, 9))),
    NAMES.map(lambda name: w.data(2, name)),
    *[maybe(LINES)] * 3,
    *[maybe(EVENT_METADATA)] * 4,
    *[maybe(OPERATION_METADATA)] * 3,
    *[maybe(STAT_METADATA)] * 6,
    maybe(CATEGORY_METADATA),
    maybe(EMPTY_ENTRIES),
    maybe(stats(6)),
).map(lambda body: w.data(1, body))

SPACES = st.tuples(
    st.lists(PLANES, max_size=3).map(b"".join),
    maybe(st.just(w.data(4, "host7"))),
    maybe(st.just(w.data(2, "oops"))),
    maybe(st.just(w.data(905, b"\x08" * 80))),  # so much that events before it are not near the end of the file
).map(b"".join)


COUNTER = w.message(4, w.number(1, 0), w.message(4, w.double(2, 0.0)))
OTHER_COUNTER = w.message(4, w.number(1, 1), w.message(4, w.double(2, 0.0)))
# The first counter is called like the second, and has a category: each is a series.
NAMESAKES_OF_TWO_CATEGORIES = w.message(
    1,
    w.data(2, ""),
    w.message(3, w.data(2, "_counters_"), COUNTER, OTHER_COUNTER),
    w.event_metadata(0, "", "", w.message(5, w.number(1, 3), w.data(5, "matmul"))),
    w.stat_metadata(3, "hlo_category"),
)


def assert_same(actual: ReadSpace, expected: RefSpace) -> None:
    assert [process.name for process in actual.summary.processes] == expected.planes
    tracks = [(track.process, track.detail, track.kind == TrackKind.COUNTER) for track in actual.summary.tracks]
    wanted = [(track.plane, f"line {track.line}", track.is_counter) for track in expected.tracks]
    assert tracks == wanted  # names: test_names.py
    assert actual.events == expected.events
    assert actual.samples == expected.samples
    counts = actual.summary.counts
    assert (counts.slices, counts.counter_samples) == (len(expected.events), expected.sampled)
    assert counts.total == counts.slices + counts.counter_samples
    assert len(actual.summary.names) == len(actual.summary.categories)
    names = list(zip(actual.summary.names, actual.summary.categories, strict=True))
    assert len(set(names)) == len(names)
    assert len(set(actual.flow_keys.values())) == len(actual.flow_keys)
    if expected.hostnames:
        assert actual.summary.hostname == expected.hostnames[0]


@pytest.mark.parametrize("compressed", [False, True])
@given(raw=SPACES)
@example(raw=NAMESAKES_OF_TWO_CATEGORIES)
@settings(deadline=None, suppress_health_check=list(HealthCheck))
def test_same_as_the_reference(raw: bytes, compressed: bool, tmp_path: Path) -> None:
    path = tmp_path / "host.xplane.pb"
    path.write_bytes(gzip.compress(raw, 1) if compressed else raw)
    assert_same(read(path), read_space(raw))
