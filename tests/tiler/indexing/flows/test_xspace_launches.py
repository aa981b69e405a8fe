"""Launches of an XSpace by the stat `correlation_id`: what is joined, what is left, and that nothing breaks it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiler.readers import wire_writer as w
from tests.tiler.xspace_launches import CORRELATION, DEVICE, HOST, OTHER, STREAM, Lines, correlated, plane
from tilescope.tiler import _native
from tilescope.tiler.columns import CorrelationStat
from tilescope.tiler.indexing import build_store
from tilescope.tiler.indexing.reading.correlations import stat_correlations
from tilescope.tiler.indexing.scratch import Scratch
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.store.run_store import RunStore, open_run_store
from tilescope.tiler.verify import verify_store


def built(tmp_path: Path, *planes: bytes) -> RunStore:
    path = tmp_path / "trace.xplane.pb"
    path.write_bytes(b"".join(planes))
    build_store([path], tmp_path / "store")
    verify_store(tmp_path / "store")
    return open_run_store(tmp_path / "store")


def launches_of(store: RunStore) -> dict[str, list[str]]:
    """Names of the derived launches of each slice, by its name; without those of none."""
    launches: dict[str, list[str]] = {}
    for track in range(store.manifest()["tracks"]):
        ordinal = 0
        while (event := event_details(store, track, ordinal)) is not None:
            names = [partner["name"] for partner in event["flows"]["in"] if partner["derived"]]
            if names:
                launches[event["name"]] = names
            ordinal += 1
    return launches


def counts(store: RunStore) -> tuple[int, ...]:
    flows = store.manifest()["flows"]
    kinds = ("edges", "derived", "ambiguous", "calls_without_work", "work_without_launch")
    return tuple(int(flows[kind]) for kind in kinds)


def test_launches_of_a_graph_and_a_kernel_before_its_launch(tmp_path: Path) -> None:
    threads: Lines = {
        "main/1": [("launch", 100, correlated(1)), ("graph", 300, correlated(2)), ("sync", 500, correlated(3))],
        "other/2": [("memcpy", 200, correlated(4, field=4)), ("no call", 250, b"")],
    }
    stream: Lines = {
        STREAM: [
            ("early", 40, correlated(1)),  # the clocks differ
            ("of graph 1", 400, correlated(2)),
            ("of graph 2", 500, correlated(2)),
            ("of graph 3", 600, correlated(2)),
            ("copy", 700, correlated(4)),
            ("lost", 800, correlated(9)),
            ("silent", 900, b""),
        ],
        "XLA Ops": [("made of streams", 400, correlated(2))],
    }
    with closing(built(tmp_path, plane(HOST, threads), plane(DEVICE, stream))) as store:
        assert launches_of(store) == {
            "early": ["launch"],
            "of graph 1": ["graph"],
            "of graph 2": ["graph"],
            "of graph 3": ["graph"],
            "copy": ["memcpy"],
        }
        assert counts(store) == (0, 5, 0, 1, 1)


def test_numbers_that_were_used_again_or_have_wrapped(tmp_path: Path) -> None:
    last = (1 << 32) - 1
    threads: Lines = {
        "main/1": [
            ("last", 100, correlated(last)),
            ("zero", 200, correlated(0)),  # behind the last there is 0, which is none
            ("first", 300, correlated(1)),
            ("again", 400, correlated(1)),
            ("huge", 500, correlated(1 << 61)),
            ("negative", 600, correlated((1 << 64) - 5, field=4)),
        ],
    }
    stream: Lines = {
        STREAM: [
            ("of last", 150, correlated(last)),
            ("of zero", 250, correlated(0)),
            ("of the first or again", 350, correlated(1)),
            ("of huge", 550, correlated(1 << 61)),
            ("of negative", 650, correlated((1 << 64) - 5, field=4)),
        ]
    }
    with closing(built(tmp_path, plane(HOST, threads), plane(DEVICE, stream))) as store:
        assert launches_of(store) == {"of last": ["last"]}
        assert counts(store) == (0, 1, 1, 0, 1)
        warning = "1 event of a device has a correlation that several launches have: no arrow says which of them"
        assert warning in store.manifest()["warnings"]


@pytest.mark.parametrize("name", ["correlation", "Correlation_ID", "stream"])
def test_other_stats_join_nothing(tmp_path: Path, name: str) -> None:
    threads: Lines = {"main/1": [("launch", 100, correlated(1))]}
    stream: Lines = {STREAM: [("kernel", 200, correlated(1))]}
    with closing(built(tmp_path, plane(HOST, threads, name), plane(DEVICE, stream, name))) as store:
        assert counts(store) == (0, 0, 0, 0, 0)


def test_launches_do_not_cross_files(tmp_path: Path) -> None:
    threads: Lines = {"main/1": [("launch", 100, correlated(1))]}
    stream: Lines = {STREAM: [("kernel", 200, correlated(1))]}
    files = [tmp_path / "a.xplane.pb", tmp_path / "b.xplane.pb"]
    files[0].write_bytes(plane(HOST, threads))
    files[1].write_bytes(plane(DEVICE, stream))
    build_store(files, tmp_path / "store")
    with closing(open_run_store(tmp_path / "store")) as store:
        assert counts(store) == (0, 0, 0, 1, 1)


@pytest.mark.parametrize(
    ("beyond", "warnings"),
    [
        (0, []),
        (1, ["1 stat correlation_id joins no launches: the first 8 of a plane do"]),
        (3, ["3 stats correlation_id join no launches: the first 8 of a plane do"]),
    ],
)
def test_stats_beyond_those_that_are_compared(tmp_path: Path, beyond: int, warnings: list[str]) -> None:
    more = b"".join(w.stat_metadata(100 + k, "correlation_id") for k in range(7 + beyond))
    threads: Lines = {"main/1": [("launch", 100, correlated(1))]}
    with closing(built(tmp_path, plane(HOST, threads, more=more))) as store:
        assert store.manifest()["warnings"] == warnings


def test_damaged_stats_are_of_no_launch(tmp_path: Path) -> None:
    cut = w.message(4, bytes([0x08, CORRELATION, 0x18, 0x80]))  # the number does not end
    threads: Lines = {"main/1": [("launch", 100, correlated(1)), ("cut", 200, cut)]}
    stream: Lines = {STREAM: [("kernel", 300, correlated(1)), ("cut kernel", 400, cut)]}
    with closing(built(tmp_path, plane(HOST, threads), plane(DEVICE, stream))) as store:
        assert launches_of(store) == {"kernel": ["launch"]}
        assert counts(store) == (0, 1, 0, 0, 0)


STATS = st.lists(st.tuples(st.sampled_from([CORRELATION, OTHER, 200]), st.integers(-3, 1 << 62)), max_size=3)


@given(st.lists(STATS, max_size=12), st.booleans())
def test_keys_are_those_of_the_last_number(events: list[list[tuple[int, int]]], is_on_device: bool) -> None:
    args, ends, expected = b"", [], []
    for stats in events:
        args += w.varint(300)
        number = 0
        for key, value in stats:
            args += correlated(value % (1 << 64), field=4, key=key)
            if key in (CORRELATION, 200) and value:
                number = value
        ends.append(len(args))
        expected.append(-2 - (2 * number + is_on_device) if 0 < number < 1 << 61 else -1)
    columns = np.array(ends, np.int64), np.frombuffer(args, np.uint8)
    stat = CorrelationStat([200, CORRELATION], is_on_device)
    correlations = stat_correlations(*columns, stat, Scratch())
    with_key = [ordinal for ordinal, key in enumerate(expected) if key < -1]
    if correlations is None:
        assert not with_key
        return
    assert [correlations.base + key for key in correlations.key.tolist()] == [expected[ordinal] for ordinal in with_key]
    assert (range(len(events)) if correlations.ordinal is None else correlations.ordinal.tolist()) == (
        range(len(events)) if len(with_key) == len(events) else with_key
    )


VALUES = st.one_of(
    st.tuples(st.sampled_from([3, 4, 7]), st.integers(0, 1 << 63).map(w.varint)),
    st.tuples(st.just(2), st.binary(min_size=8, max_size=8)),
    st.tuples(st.sampled_from([5, 6]), st.binary(max_size=140).map(lambda text: w.varint(len(text)) + text)),
)
WIRE_TYPES = {2: 1, 3: 0, 4: 0, 5: 2, 6: 2, 7: 0}


@given(
    st.lists(st.lists(st.tuples(st.sampled_from([1, CORRELATION, 200]), VALUES), max_size=4), max_size=8),
    st.binary(max_size=30),
    st.sampled_from([CORRELATION, 200]),
)
def test_keys_are_those_of_the_general_search(
    events: list[list[tuple[int, tuple[int, bytes]]]], tail: bytes, wanted: int
) -> None:
    """Stats of any type, and an event whose arguments may be damaged."""
    args, ends = b"", []
    for stats in events:
        args += w.varint(300)
        for key, (field, value) in stats:
            stat = b"\x08" + w.varint(key) + bytes([field << 3 | WIRE_TYPES[field]]) + value
            args += b"\x22" + w.varint(len(stat)) + stat
        ends.append(len(args))
    args += tail
    ends.append(len(args))
    columns = np.array(ends, np.int64), np.frombuffer(args, np.uint8)
    numbers = _native.integer_stats(*columns, np.arange(len(ends)), [wanted], 0).tolist()
    expected = [-3 - 2 * number if 0 < number < 1 << 61 else -1 for number in numbers]
    for first in range(len(ends) + 1):
        for stop in range(first, len(ends) + 1):
            assert _native.correlation_keys(*columns, first, stop, [wanted], True).tolist() == expected[first:stop]


@pytest.mark.parametrize(("ends", "first", "stop"), [([1], 0, 2), ([1], 1, 0), ([9], 0, 1), ([-1, 1], 1, 2)])
def test_keys_of_events_that_there_are_not(ends: list[int], first: int, stop: int) -> None:
    with pytest.raises(ValueError, match=r"there are no such events|arguments lie beyond the data"):
        _native.correlation_keys(np.array(ends, np.int64), np.zeros(4, np.uint8), first, stop, [1], True)
