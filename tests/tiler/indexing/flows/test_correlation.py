"""Edges from launches to work of devices by correlation: any slices and flows, against plain Python."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.tiler.indexing.flow_reference import Correlated, Expected, derive
from tests.tiler.indexing.flows.test_flows import built_of, flow, flows_by_name
from tilescope.tiler.indexing import build
from tilescope.tiler.indexing.flows import correlation, flow_recorder
from tilescope.tiler.indexing.flows.correlation import CorrelatedSlices, correlated_pairs
from tilescope.tiler.indexing.flows.edges import FlowPart
from tilescope.tiler.indexing.reading.correlations import slice_correlations
from tilescope.tiler.indexing.scratch import Scratch
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.records.launches import Launches, LaunchWay

# Of a slice: its track, ordinal, number, and whether it is of a device.
SLICES = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 9), st.integers(1, 5), st.booleans()),
    max_size=25,
    unique_by=lambda one: one[:2],
)
PLACES = st.tuples(st.integers(-1, 4), st.integers(-1, 12))


def ordinals(rows: list[int]) -> NDArray[np.int64] | None:
    """None where they are all from 0 on."""
    return None if rows == list(range(len(rows))) else np.array(rows, np.int64)


@given(
    SLICES,
    st.lists(st.tuples(PLACES, PLACES), max_size=8),
    st.sets(st.integers(0, 4)),
    st.sampled_from([1, 1000, 1 << 31]),
)
@example([(0, 0, 1, True), (1, 0, 1, False)], [((-1, 0), (0, 0))], {0}, 1)
@example([(0, 0, 1, True), (1, 0, 2, False)], [((2, 0), (0, 0)), ((1, 0), (0, 9))], {0}, 1)  # flows from and to others
def test_any_slices(
    slices: list[tuple[int, int, int, bool]],
    flows: list[tuple[tuple[int, int], ...]],
    on_devices: set[int],
    apart: int,
) -> None:
    """`apart`: between numbers, which lie close together or do not, or too far for 32 bits."""
    slices = [(track, ordinal, apart * number, side) for track, ordinal, number, side in slices]
    by_track: dict[int, list[tuple[int, int, int, bool]]] = {}
    for one in sorted(slices):
        by_track.setdefault(one[0], []).append(one)
    if not by_track:
        return
    tracks: list[CorrelatedSlices] = []
    for track, rows_of_track in by_track.items():
        own = [ordinal for _, ordinal, _, _ in rows_of_track]
        keys = [-2 - (2 * number + is_of_device) for _, _, number, is_of_device in rows_of_track]
        kept = slice_correlations(np.array(keys, np.int64), None, Scratch())
        assert kept.ordinal is None
        assert [kept.base + key for key in kept.key.tolist()] == keys
        assert (kept.key.dtype == np.int32) == (max(abs(key - keys[0]) for key in keys) < 1 << 31)
        tracks.append(CorrelatedSlices(track, ordinals(own), kept.base, kept.key, 10 * np.array(own, np.int64)))
    ends = [place for pair in flows for place in pair]
    n = len(ends)
    number = np.array([track for track, _ in ends], np.int32)
    ordinal = np.array([ordinal for _, ordinal in ends], np.int64)
    none = np.zeros(n, np.int64)
    part = FlowPart(np.zeros(n, np.uint8), none, none, number, ordinal, none, number)
    edges = np.arange(0, n, 2, dtype=np.uint32), np.arange(1, n, 2, dtype=np.uint32)
    found = correlated_pairs(tracks[::-1], part, edges, np.isin(np.arange(5), list(on_devices)), 100)
    assert found is not None

    of_file = Counter((a, b, 0, c, d, 0) for (a, b), (c, d) in flows)
    expected = Expected(of_file, {})
    derive(
        expected,
        [Correlated(number, side, track, at, 10 * at) for track, at, number, side in sorted(slices)],
        on_devices,
    )

    seen: Counter[tuple[int, ...]] = Counter()
    leaving: Counter[int] = Counter()
    pairs_by_track = found.by_track()
    for track, pairs in pairs_by_track.items():
        rows: list[tuple[int, ...]] = []
        for stored, chunk in zip(pairs.stored(), pairs.chunks(), strict=True):
            assert stored.event == chunk.ordinal[0]
            again = Launches.decode(chunk.stored(track).data, track)
            assert all(
                np.array_equal(getattr(again, name), getattr(chunk, name)) for name in Launches.__struct_fields__
            )
            for number_, least, greatest in zip(stored.launching_track, stored.least, stored.greatest, strict=True):
                own = chunk.partner_ordinal[chunk.partner_track == number_]
                assert (own.min(), own.max()) == (least, greatest)
            assert sorted(stored.launching_track) == sorted(set(chunk.partner_track.tolist()))
            rows += zip(*(getattr(chunk, name).tolist() for name in Launches.__struct_fields__), strict=True)
        assert rows == sorted(set(rows))
        assert pairs.arriving == len(rows)
        for ordinal_, partner, other, way in rows:
            assert way == LaunchWay.CORRELATION
            seen[partner, other, 10 * other, track, ordinal_, 10 * ordinal_] += 1
            leaving[partner] += 1
    assert seen == expected.derived
    assert {track: pairs.leaving for track, pairs in pairs_by_track.items() if pairs.leaving} == leaving
    for track, pairs in pairs_by_track.items():
        own_ends = [(edge[2], 0, edge[3]) for edge in sorted(seen) if edge[0] == track]
        own_ends += [(edge[5], 1, edge[0]) for edge in seen if edge[3] == track]
        columns = (column.tolist() for column in np.broadcast_arrays(*pairs.ends()))
        assert list(zip(*columns, strict=True)) == sorted(own_ends, key=lambda end: end[0])
    assert found.count == expected.derived.total()
    assert found.ambiguous == int(expected.counts["ambiguous"])
    assert found.calls_without_work == int(expected.counts["calls_without_work"])
    assert found.work_without_launch == int(expected.counts["work_without_launch"])


def test_more_than_there_is_room_for() -> None:
    three = np.arange(3)
    kernels = CorrelatedSlices(0, None, 0, -3 - 2 * (three + 1), three)
    launches = CorrelatedSlices(1, three, 0, -2 - 2 * (three + 1), three)
    none, hosts = np.zeros(0, np.uint32), np.zeros(2, np.bool_)
    assert correlated_pairs([kernels, launches], FlowPart.none(), (none, none), hosts, 2) is None
    assert correlated_pairs([kernels, launches], FlowPart.none(), (none, none), hosts, 3) is not None
    # Without launches nothing is joined, however many there are.
    counted = correlated_pairs([kernels], FlowPart.none(), (none, none), hosts, 2)
    assert counted is not None
    assert (counted.count, counted.work_without_launch) == (0, 3)


@pytest.mark.parametrize(("most_joined", "advice"), [(2, "give more with --memory"), (1, "a file has more than 1")])
def test_a_warning_says_that_there_is_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most_joined: int, advice: str
) -> None:
    """More memory is no advice where there are too many slices for any."""
    monkeypatch.setattr(build, "FLOW_END_BYTES", 1 << 40)
    monkeypatch.setattr(flow_recorder, "MOST_JOINED", most_joined)
    store = built_of(tmp_path, [work("cuda_runtime", 1, 0, 7, "launch"), work("kernel", 2, 10, 7, "kernel")])
    flows = store.manifest()["flows"]
    assert (flows["derived"], flows["calls_without_work"], flows["work_without_launch"]) == ("0", None, None)
    warning = f"no room to join launches to what they launched by correlations: {advice}"
    assert [text for text in store.manifest()["warnings"] if "no room" in text] == [warning]
    store.close()


def work(cat: str, tid: int, ts: int, number: int, name: str, **more: Any) -> dict[str, Any]:
    args = {"correlation": number}
    return {"ph": "X", "pid": 1, "tid": tid, "ts": ts, "dur": 5, "name": name, "cat": cat, "args": args, **more}


def test_one_launch_of_more_than_a_slice_can_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(correlation, "MOST_WORK_OF_A_LAUNCH", 2)
    launches = [work("cuda_runtime", 1, 10 * number, number, f"launch {number}") for number in (1, 2)]
    kernels = [work("kernel", 2, 100 + 10 * k, 1, "of 1") for k in range(3)]
    kernels += [work("kernel", 2, 200 + 10 * k, 2, "of 2") for k in range(2)]
    store = built_of(tmp_path, launches + kernels)
    flows = store.manifest()["flows"]
    assert (flows["derived"], flows["ambiguous"]) == ("2", "0")
    assert (flows["calls_without_work"], flows["work_without_launch"]) == ("0", "3")
    begin = "3 events of devices have the correlation of one launch with more than "
    assert any(warning.startswith(begin) for warning in store.manifest()["warnings"])
    store.close()


def test_flows_are_launches_where_one_side_has_no_number(tmp_path: Path) -> None:
    labels = [
        {"ph": "M", "pid": pid, "name": "process_labels", "args": {"labels": label}}
        for pid, label in ((1, "CPU"), (2, "GPU 0"))
    ]
    alone = [
        {"ph": "X", "pid": pid, "tid": 3, "ts": ts, "dur": 5, "name": "no number", "cat": cat}
        for pid, ts, cat in ((1, 0, "cpu_op"), (2, 50, "kernel"))
    ]
    events = [work("kernel", 2, 10, 7, "kernel", pid=2), work("cuda_runtime", 1, 20, 8, "launch")]
    flows = [flow("s", 3, 0, 1), flow("f", 2, 10, 1, bp="e", pid=2), flow("s", 1, 20, 2)]
    store = built_of(tmp_path, [*labels, *alone, *events, *flows, flow("f", 3, 50, 2, bp="e", pid=2)])
    counts = store.manifest()["flows"]
    assert (counts["edges"], counts["derived"]) == ("2", "0")
    assert (counts["calls_without_work"], counts["work_without_launch"]) == ("0", "0")
    store.close()


def test_a_number_that_was_used_again_gives_no_arrow(tmp_path: Path) -> None:
    store = built_of(
        tmp_path,
        [
            work("cuda_runtime", 1, 0, 7, "first"),
            work("kernel", 2, 10, 7, "of the first"),
            work("cuda_runtime", 1, 20, 7, "second"),
            work("kernel", 2, 30, 7, "of the second"),
            work("cuda_runtime", 1, 40, 8, "third"),
            work("kernel", 2, 50, 8, "of the third"),
            work("kernel", 2, 60, 9, "of none"),
        ],
    )
    assert flows_by_name(store) == {"third": ([], ["of the third"]), "of the third": (["third"], [])}
    flows = store.manifest()["flows"]
    assert (flows["edges"], flows["derived"], flows["ambiguous"]) == ("0", "1", "2")
    assert (flows["calls_without_work"], flows["work_without_launch"]) == ("0", "3")
    assert (
        "2 events of devices have a correlation that several launches have: no arrow says which of them"
        in store.manifest()["warnings"]
    )
    store.close()


def test_a_flow_from_the_launch_is_enough(tmp_path: Path) -> None:
    store = built_of(
        tmp_path,
        [
            work("cuda_runtime", 1, 0, 7, "launch"),
            work("kernel", 2, 10, 7, "joined"),
            work("gpu_memcpy", 2, 20, 7, "alone"),
            flow("s", 1, 0, 7),
            flow("f", 2, 10, 7, bp="e"),
        ],
    )
    assert flows_by_name(store)["launch"] == ([], ["joined", "alone"])
    event = event_details(store, 0, 0)
    assert event is not None
    assert [partner["derived"] for partner in event["flows"]["out"]] == [False, True]
    counts = store.manifest()["flows"]
    assert (counts["edges"], counts["derived"]) == ("1", "1")
    assert (counts["calls_without_work"], counts["work_without_launch"]) == ("0", "0")
    assert store.manifest()["events"]["flow_ends"] == "2"
    store.close()


def test_a_flow_from_something_else_is_not(tmp_path: Path) -> None:
    other = {"ph": "X", "pid": 1, "tid": 3, "ts": 0, "dur": 5, "name": "other", "cat": "cpu_op"}
    events = [work("cuda_runtime", 1, 0, 7, "launch"), work("kernel", 2, 10, 7, "kernel"), other]
    store = built_of(tmp_path, [*events, flow("s", 3, 1), flow("f", 2, 10, bp="e")])
    assert flows_by_name(store)["kernel"] == (["other", "launch"], [])
    store.close()


def test_launches_and_kernels_that_begin_and_end(tmp_path: Path) -> None:
    begin = work("cuda_runtime", 1, 0, 7, "launch", ph="B")
    inner = work("cuda_runtime", 1, 1, 8, "inner", ph="B")
    ends = [{"ph": "E", "pid": 1, "tid": 1, "ts": ts} for ts in (2, 3)]
    kernels = [work("kernel", 2, 30, 8, "late"), work("kernel", 2, 10, 7, "early")]  # not in the order of time
    store = built_of(tmp_path, [begin, inner, *ends, *kernels])
    assert flows_by_name(store)["early"] == (["launch"], [])
    assert flows_by_name(store)["late"] == (["inner"], [])
    store.close()


def test_launches_and_kernels_far_apart(tmp_path: Path) -> None:
    n = 30_000  # several blocks of text
    launches = [work("cuda_runtime", 1, 10 * k, k + 1, f"launch {k % 7}") for k in range(n)]
    kernels = [work("kernel", 2, 10 * k + 3, k + 1, f"kernel {k % 7}") for k in range(n)]
    store = built_of(tmp_path, launches + kernels[::-1])
    assert store.manifest()["flows"]["derived"] == str(n)
    for ordinal in (0, 12_345, n - 1):
        event = event_details(store, 1, ordinal)
        assert event is not None
        assert [partner["ordinal"] for partner in event["flows"]["in"]] == [str(ordinal)]
    store.close()


@pytest.mark.parametrize("phases", ["BE", "X"])
def test_bind_ids_belong_to_their_own_slice(tmp_path: Path, phases: str) -> None:
    """Not to the innermost at their time: what encloses nothing but a slice of the same time would lose them."""
    outer = {"pid": 1, "tid": 1, "ts": 10, "name": "outer", "bind_id": "0x1", "flow_out": True}
    inner = {"ph": "X", "pid": 1, "tid": 1, "ts": 10, "dur": 2, "name": "inner"}
    to = {"ph": "X", "pid": 1, "tid": 2, "ts": 30, "dur": 2, "name": "to", "bind_id": "0x1", "flow_in": True}
    if phases == "X":
        events = [{**outer, "ph": "X", "dur": 9}, inner, to]
    else:
        events = [{**outer, "ph": "B"}, inner, {"ph": "E", "pid": 1, "tid": 1, "ts": 19}, to]
    store = built_of(tmp_path, events)
    assert flows_by_name(store) == {"outer": ([], ["to"]), "to": (["outer"], [])}
    store.close()


def test_bind_ids_of_a_begin_and_its_end(tmp_path: Path) -> None:
    def slice_(ph: str, tid: int, ts: int, **more: Any) -> dict[str, Any]:
        return {"ph": ph, "pid": 1, "tid": tid, "ts": ts, "name": f"on {tid}", **more}

    events = [
        slice_("X", 1, 0, dur=5, bind_id=1, flow_out=True),
        slice_("B", 2, 10, bind_id=1, flow_in=True),
        slice_("E", 2, 20, bind_id=2, flow_out=True),
        slice_("X", 3, 30, dur=5, bind_id=2, flow_in=True),
        slice_("E", 4, 40, bind_id=2, flow_in=True),  # ends nothing
    ]
    store = built_of(tmp_path, events)
    assert flows_by_name(store)["on 2"] == (["on 1"], ["on 3"])
    assert store.manifest()["flows"]["edges"] == "2"
    assert store.manifest()["flows"]["without_slice"] == "1"
    store.close()
