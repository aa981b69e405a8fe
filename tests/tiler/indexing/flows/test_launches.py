"""Launches: read from a real trace, held against plain Python, and proven."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from traceback import walk_stack
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from tests.corpus import corpus_path
from tests.tiler.json_traces import write_trace
from tests.tiler.verify.altered_store import AlteredStore
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.indexing import build_store
from tilescope.tiler.indexing.flows import correlation
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.lookup.launches import launched_work
from tilescope.tiler.pages import compress, decompress
from tilescope.tiler.records import flow_ends, launches
from tilescope.tiler.records.flow_ends import FLOW_ENDS, FlowEnds
from tilescope.tiler.records.launch_places import LAUNCH_PLACES, LaunchPlaces
from tilescope.tiler.records.launches import LAUNCHES, Launches, LaunchWay, launch_chunks, merged_chunks
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.store.run_store import RunStore, open_run_store
from tilescope.tiler.store.store import need
from tilescope.tiler.verify import launches as proof
from tilescope.tiler.verify import verify_store
from tilescope.tiler.verify.memory import ProofMemory


def tree_of(store: RunStore) -> dict[str, Any]:
    tree: dict[str, Any] = json.loads(decompress(need(store, TRACKS)))
    return tree


def tracks_of(store: RunStore, process: str) -> list[int]:
    tree = tree_of(store)
    return [track["id"] for track in tree["tracks"] if tree["groups"][track["group"]]["name"] == process]


def stored(store: RunStore, track: int) -> list[tuple[int, ...]]:
    """Track and ordinal of the work, those of its launch, and the way."""
    pairs: list[tuple[int, ...]] = []
    for numbers, value in store.scan(LAUNCHES, track):
        chunk = Launches.decode(decompress(value), track)
        assert numbers == (track, int(chunk.ordinal[0]))
        pairs += ((track, *row) for row in rows_of(chunk))
    return pairs


def launched(store: RunStore, track: int) -> list[tuple[int, ...]]:
    """The same with the launch first."""
    return sorted((track, *row) for chunk in launched_work(store, track) for row in rows_of(chunk))


def built(tmp_path: Path, file: Path) -> Path:
    build_store([file], tmp_path / "store")
    verify_store(tmp_path / "store")
    return tmp_path / "store"


def test_each_kernel_of_a_real_trace_has_one_launch(tmp_path: Path) -> None:
    with closing(open_run_store(built(tmp_path, corpus_path("kineto/ns_resolution.pt.trace.json.gz")))) as store:
        (stream,) = (k for k in tracks_of(store, "GPU 0") if tree_of(store)["tracks"][k]["kind"] == "slice")
        kernels = stored(store, stream)
        assert len(kernels) == 6095  # as many kernels, copies and fills as have a launch of their correlation
        ordinals = [pair[1] for pair in kernels]
        assert ordinals == sorted(set(ordinals))
        others = set(range(int(tree_of(store)["tracks"][stream]["events"]))) - set(ordinals)
        details = [event_details(store, stream, ordinal) for ordinal in others]
        categories = {event["category"] for event in details if event is not None}
        assert categories == {"gpu_user_annotation"}
        hosts = [track for track in range(store.manifest()["tracks"]) if track != stream]
        from_hosts = {(b, c, track, ordinal, way) for k in hosts for track, ordinal, b, c, way in launched(store, k)}
        assert from_hosts == set(kernels)


TICKS = st.integers(0, 40)


@given(
    pairs=st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3), st.integers(0, 3), TICKS, st.booleans())),
    on_device=st.lists(st.booleans(), min_size=4, max_size=4),
    track=st.integers(0, 3),
    size=st.integers(1, 5),
)
def test_launches_are_those_of_plain_python(
    pairs: list[tuple[int, int, int, int, bool]], on_device: list[bool], track: int, size: int
) -> None:
    """Pairs: ordinal, partner's track and ordinal, tick, and whether the end arrives."""
    rows = sorted(pairs, key=lambda row: (row[0], row[4], row[3]))
    columns = np.array([(*row[:4], int(row[4])) for row in rows], np.int64).reshape(-1, 5).T
    ordinal, partner_track, partner_ordinal, tick, incoming = columns
    nothing = np.zeros(len(rows), np.int64)
    ends = FlowEnds(ordinal, incoming, tick, partner_track, partner_ordinal, nothing, nothing, nothing)
    ways: dict[tuple[int, int, int], int] = {}
    for ordinal_, partner, other, _, arrives in pairs:
        if arrives and not on_device[partner]:
            ways[ordinal_, partner, other] = LaunchWay.FLOW
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flow_ends, "_CHUNK_ENDS", size)
        patch.setattr(launches, "LAUNCHES_OF_A_CHUNK", size)
        chunks = list(launch_chunks(ends, np.array(on_device)))
    decoded = [Launches.decode(chunk.stored(track).data, track) for chunk in chunks]
    found_rows = [
        row
        for chunk in decoded
        for row in zip(*(getattr(chunk, name).tolist() for name in Launches.__struct_fields__), strict=True)
    ]
    assert found_rows == [(*pair, way) for pair, way in sorted(ways.items())]
    slices = [set(chunk.ordinal.tolist()) for chunk in chunks]
    assert sum(map(len, slices)) == len(set().union(*slices))  # all of a slice are in one chunk


@given(
    rows=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3), st.integers(0, 3), st.booleans())),
    size=st.integers(1, 5),
)
def test_flows_and_pairs_are_merged_in_order(rows: list[tuple[int, int, int, bool]], size: int) -> None:
    """Rows: ordinal, partner's track and ordinal, whether it is a pair by correlation."""
    stored = sorted({(*row[:3], int(row[3])) for row in rows})

    def whole(way: int | None) -> Launches:
        launched = [row for row in stored if way is None or row[3] == way]
        return Launches(*np.array(launched, np.int64).reshape(-1, 4).T)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(launches, "LAUNCHES_OF_A_CHUNK", size)
        merged = list(merged_chunks(whole(0).chunks(), whole(1).chunks()))
        expected = list(whole(None).chunks())
    assert [rows_of(chunk) for chunk in merged] == [rows_of(chunk) for chunk in expected]


def rows_of(chunk: Launches) -> list[tuple[int, ...]]:
    return list(zip(*(getattr(chunk, name).tolist() for name in Launches.__struct_fields__), strict=True))


def slice_at(pid: int, ts: int, name: str, **args: object) -> dict[str, Any]:
    return {"ph": "X", "pid": pid, "tid": 7, "ts": ts, "dur": 5, "name": name, "args": args}


def flow(key: int, host: int, device: int, ts: int) -> list[dict[str, Any]]:
    end = {"tid": 7, "id": key, "cat": "ac2g", "name": "ac2g"}
    return [end | {"ph": "s", "pid": host, "ts": 1}, end | {"ph": "f", "pid": device, "ts": ts, "bp": "e"}]


FLOW_LAUNCH = [
    {"ph": "M", "pid": 2, "name": "process_labels", "args": {"labels": "GPU 0"}},
    slice_at(1, 0, "launch"),
    slice_at(2, 100, "kernel"),
    *flow(1, 1, 2, 100),
]


@pytest.fixture
def graph_launch(tmp_path: Path) -> Path:
    """A launch of two kernels by flows, of which one is joined twice, and one of a kernel by a correlation."""
    events: list[dict[str, Any]] = [
        {"ph": "M", "pid": 1, "name": "process_labels", "args": {"labels": "CPU"}},
        {"ph": "M", "pid": 2, "name": "process_labels", "args": {"labels": "GPU 0"}},
        slice_at(1, 0, "launch"),
        slice_at(1, 10, "launch", correlation=3) | {"cat": "cuda_runtime"},
        slice_at(2, 100, "first"),
        slice_at(2, 200, "second"),
        slice_at(2, 300, "third", correlation=3) | {"cat": "kernel"},
    ]
    for key, ts in ((1, 100), (2, 200), (3, 200)):
        end = {"pid": 2, "tid": 7, "id": key, "cat": "ac2g", "name": "ac2g"}
        events += [end | {"ph": "s", "pid": 1, "ts": 1}, end | {"ph": "f", "ts": ts, "bp": "e"}]
    return built(tmp_path, write_trace(tmp_path / "trace.json", events))


def test_a_launch_may_have_several_and_a_pair_stands_once(graph_launch: Path) -> None:
    with closing(open_run_store(graph_launch)) as store:
        host, gpu = tracks_of(store, "Process 1")[0], tracks_of(store, "GPU 0")[0]
        expected = [(0, 0, LaunchWay.FLOW), (0, 1, LaunchWay.FLOW), (1, 2, LaunchWay.CORRELATION)]
        assert launched(store, host) == [(host, launch, gpu, kernel, way) for launch, kernel, way in expected]
        assert stored(store, gpu) == [(gpu, kernel, host, launch, way) for launch, kernel, way in expected]
        assert stored(store, host) == launched(store, gpu) == []
        assert len(list(store.scan(FLOW_ENDS, gpu))) == 1
    assert verify_store(graph_launch).launches == 3


# Behind the location: the path has the word "launch".
BINS_ELSEWHERE = r"level 6, tile 0: its bins are not those in which flow ends lie$"
MISCOUNTED_BINS = r"level 6, tile 0: its bins do not count the flow ends that lie in them$"

# By column and by what is added to its last value: what the proof says.
WRONG_LAUNCH = {
    ("ordinal", -1): MISCOUNTED_BINS,
    ("ordinal", 1): r"\): its leaves hold fewer events than it has launches for$",
    ("partner_track", -1): BINS_ELSEWHERE,  # of the host's track
    ("partner_track", 1): BINS_ELSEWHERE,
    ("partner_ordinal", -1): MISCOUNTED_BINS,
    ("partner_ordinal", 1): r"\): its leaves hold fewer events than it has launches for$",
    ("way", -1): BINS_ELSEWHERE,
    ("way", 1): BINS_ELSEWHERE,
}


@pytest.mark.parametrize(("column", "value"), WRONG_LAUNCH)
def test_a_wrong_launch_is_noticed(graph_launch: Path, column: str, value: int) -> None:
    store = AlteredStore(graph_launch)
    for key, record in store.records(b"l").items():
        track, _ = LAUNCHES.numbers_in(key)
        chunk = Launches.decode(decompress(record), track)
        values = getattr(chunk, column).copy()
        values[-1] += value
        wrong = compress(structs.replace(chunk, **{column: values}).stored(track).data)
        with store.replaced({key: wrong}), pytest.raises(DamagedStore, match=WRONG_LAUNCH[column, value]):
            verify_store(graph_launch)


STANDS_ELSEWHERE = "launches do not stand where their places say$"


@pytest.mark.parametrize("column", LaunchPlaces.__struct_fields__)
def test_a_wrong_place_is_noticed(graph_launch: Path, column: str) -> None:
    store = AlteredStore(graph_launch)
    altered = 0
    for key, record in store.records(b"m").items():
        (track,) = LAUNCH_PLACES.numbers_in(key)
        places = LaunchPlaces.decode(decompress(record), track)
        if not len(getattr(places, column)):
            continue
        # So that all chunks of a launch are read all the same: a launch lies between more than it has to.
        values = getattr(places, column) + {"least": -1, "greatest": 1}.get(column, 7)
        wrong = compress(structs.replace(places, **{column: values}).encode(track))
        what = STANDS_ELSEWHERE if column in ("least", "greatest") else BINS_ELSEWHERE + "|are missing$"
        with store.replaced({key: wrong}), pytest.raises(DamagedStore, match=what):
            verify_store(graph_launch)
        altered += 1
    assert altered == 1  # of the host's record and of the device's


def test_places_of_which_there_are_too_few_or_too_many_are_noticed(graph_launch: Path) -> None:
    store = AlteredStore(graph_launch)
    places = store.records(b"m")
    assert [LAUNCH_PLACES.numbers_in(key) for key in sorted(places)] == [(0,), (1,)]
    # Those of the host are read before: what it launched is missing in its tiles.
    with store.replaced({min(places): None}), pytest.raises(DamagedStore, match=BINS_ELSEWHERE):
        verify_store(graph_launch)
    nowhere = LaunchPlaces.nowhere()
    with store.replaced({LAUNCH_PLACES.key(2): compress(nowhere.encode(2))}), pytest.raises(DamagedStore):
        verify_store(graph_launch)
    only_flows = built(graph_launch.parent / "flows", write_trace(graph_launch.parent / "flows.json", FLOW_LAUNCH))
    store = AlteredStore(only_flows)
    for key in store.records(b"m"):
        with store.replaced({key: None}), pytest.raises(DamagedStore, match=r"the places of its launches are missing$"):
            verify_store(only_flows)
    assert len(store.records(b"m")) == 2


def test_each_column_of_a_launch_is_altered() -> None:
    assert {column for column, _ in WRONG_LAUNCH} == set(Launches.__struct_fields__)


def test_launches_in_small_chunks_are_proven(graph_launch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flow_ends, "_CHUNK_ENDS", 2)
    monkeypatch.setattr(launches, "LAUNCHES_OF_A_CHUNK", 1)
    monkeypatch.setattr(proof, "_PIECE", 1)
    store = built(graph_launch.parent / "again", graph_launch.parent / "trace.json")
    with closing(open_run_store(store)) as opened:
        gpu = tracks_of(opened, "GPU 0")[0]
        assert len(list(opened.scan(FLOW_ENDS, gpu))) == 2  # the ends of the second kernel are in one
        assert len(stored(opened, gpu)) == len(launched(opened, tracks_of(opened, "Process 1")[0])) == 3
        assert len(list(opened.scan(LAUNCHES, gpu))) == 3
    assert verify_store(store).launches == 3


def test_the_proof_counts_what_launches_of_one_slice_take(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    count = 2000
    events = [
        {"ph": "M", "pid": 2, "name": "process_labels", "args": {"labels": "GPU 0"}},
        slice_at(1, 0, "launch"),
        *(slice_at(2, 100 + 10 * k, "kernel") for k in range(count)),
    ]
    for key in range(count):
        end = {"pid": 2, "tid": 7, "id": key, "cat": "ac2g", "name": "ac2g"}
        events += [end | {"ph": "s", "pid": 1, "ts": 1}, end | {"ph": "f", "ts": 100 + 10 * key, "bp": "e"}]
    build_store([write_trace(tmp_path / "trace.json", events)], tmp_path / "store")
    counted, greatest = [0], [0]
    taken = ProofMemory.taken

    @contextmanager
    def counting(memory: ProofMemory, size_bytes: int) -> Iterator[None]:
        is_launches = any(frame.f_globals["__name__"] == proof.__name__ for frame, _ in walk_stack(None))
        with taken(memory, size_bytes):
            counted[0] += size_bytes * is_launches
            greatest[0] = max(greatest[0], counted[0])
            yield
            counted[0] -= size_bytes * is_launches

    monkeypatch.setattr(ProofMemory, "taken", counting)
    assert verify_store(tmp_path / "store").launches == count
    assert greatest[0] >= 6 * 4 * 8 * count  # copies of four columns


@pytest.mark.parametrize("group", [-1, 1 << 20])
def test_a_track_in_a_group_that_there_is_not_is_noticed(graph_launch: Path, group: int) -> None:
    store = AlteredStore(graph_launch)
    (key,) = store.records(b"T")
    tree = json.loads(decompress(store.records(b"T")[key]))
    tree["tracks"][0]["group"] = group
    wrong = compress(json.dumps(tree).encode())
    with store.replaced({key: wrong}), pytest.raises(DamagedStore, match=f"in group {group}, which there is not"):
        verify_store(graph_launch)


@pytest.mark.parametrize("missing", ["name", "detail"])
def test_a_group_without_name_is_noticed(graph_launch: Path, missing: str) -> None:
    store = AlteredStore(graph_launch)
    (key,) = store.records(b"T")
    tree = json.loads(decompress(store.records(b"T")[key]))
    del tree["groups"][-1][missing]
    wrong = compress(json.dumps(tree).encode())
    with store.replaced({key: wrong}), pytest.raises(DamagedStore, match="track tree is damaged"):
        verify_store(graph_launch)


@pytest.mark.parametrize(
    ("key", "text"),
    [("labels", "GPU 0"), ("name", "Ascend Hardware"), ("name", "/job:worker/replica:0/device:GPU:0")],
)
def test_processes_of_devices_that_are_called_alike(tmp_path: Path, key: str, text: str) -> None:
    kind = "process_labels" if key == "labels" else "process_name"
    events = [
        *({"ph": "M", "pid": pid, "name": kind, "args": {key: text}} for pid in (2, 3)),
        *(slice_at(pid, ts, name) for pid, ts, name in ((1, 0, "launch"), (2, 100, "first"), (3, 200, "second"))),
        *flow(1, 1, 2, 100),
        *flow(2, 1, 3, 200),
    ]
    with closing(open_run_store(built(tmp_path, write_trace(tmp_path / "trace.json", events)))) as store:
        host = tracks_of(store, "Process 1")[0]
        assert [(pair[1], pair[4]) for pair in launched(store, host)] == [(0, LaunchWay.FLOW)] * 2
        assert len({pair[2] for pair in launched(store, host)}) == 2


def test_slices_of_one_correlation_need_no_name_of_a_device(tmp_path: Path) -> None:
    events = [
        slice_at(1, 0, "launch", correlation=3) | {"cat": "cuda_runtime"},
        slice_at(2, 300, "kernel", correlation=3) | {"cat": "kernel"},
    ]
    with closing(open_run_store(built(tmp_path, write_trace(tmp_path / "trace.json", events)))) as store:
        host, device = tracks_of(store, "Process 1")[0], tracks_of(store, "Process 2")[0]
        assert launched(store, host) == [(host, 0, device, 0, LaunchWay.CORRELATION)]
        assert stored(store, device) == [(device, 0, host, 0, LaunchWay.CORRELATION)]


def test_missing_and_divided_launches_are_noticed(graph_launch: Path) -> None:
    store = AlteredStore(graph_launch)
    for key, record in store.records(b"l").items():
        track, _ = LAUNCHES.numbers_in(key)
        whole = Launches.decode(decompress(record), track)
        with (
            store.replaced({key: None}),
            pytest.raises(DamagedStore, match=r"\): launches from event 0 on are missing$"),
        ):
            verify_store(graph_launch)
        first, rest = (
            Launches(*(getattr(whole, name)[part] for name in Launches.__struct_fields__))
            for part in (slice(0, 1), slice(1, None))
        )
        halves = {
            key: compress(first.stored(track).data),
            LAUNCHES.key(track, int(rest.ordinal[0]) or 1): compress(rest.stored(track).data),
        }
        if int(rest.ordinal[0]) == 0:
            with (
                store.replaced(halves),
                pytest.raises(DamagedStore, match=r"\): the launches of event 0 are in two rec"),
            ):
                verify_store(graph_launch)
    verify_store(graph_launch)


def test_a_graph_of_more_works_than_a_chunk_on_tracks_with_flows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (launches, correlation):
        monkeypatch.setattr(module, "LAUNCHES_OF_A_CHUNK", 4)
    count = 150
    events: list[dict[str, Any]] = [
        {"ph": "M", "pid": 2, "name": "process_labels", "args": {"labels": "GPU 0"}},
        slice_at(1, 0, "by flow"),
        slice_at(1, 10, "graph", correlation=3) | {"cat": "cuda_runtime"},
        slice_at(2, 100, "by flow"),
        *(slice_at(2, 200 + 10 * k, "kernel", correlation=3) | {"cat": "kernel"} for k in range(count)),
        *flow(1, 1, 2, 100),
    ]
    with closing(open_run_store(built(tmp_path, write_trace(tmp_path / "trace.json", events)))) as store:
        host, gpu = tracks_of(store, "Process 1")[0], tracks_of(store, "GPU 0")[0]
        pairs = [(0, 0, LaunchWay.FLOW), *((1, 1 + k, LaunchWay.CORRELATION) for k in range(count))]
        assert launched(store, host) == [(host, call, gpu, work, way) for call, work, way in pairs]
        assert stored(store, gpu) == [(gpu, work, host, call, way) for call, work, way in pairs]
        assert len(list(store.scan(LAUNCHES, gpu))) == -(-(count + 1) // 4)
        event = event_details(store, host, 1)
        assert event is not None
        assert (event["flows"]["out_count"], event["flows"]["in_count"]) == (str(count), "0")
        assert [int(partner["ordinal"]) for partner in event["flows"]["out"]] == list(range(1, 101))


def test_numbers_that_are_alike_in_32_bits_are_not_one(tmp_path: Path) -> None:
    numbers = [(1 << 32) - 1, 1, (1 << 32) + 1]
    events = [
        event
        for k, number in enumerate(numbers)
        for event in (
            slice_at(1, 10 * k, "launch", correlation=number) | {"cat": "cuda_runtime"},
            slice_at(2, 100 + 10 * k, "kernel", correlation=number) | {"cat": "kernel"},
        )
    ]
    with closing(open_run_store(built(tmp_path, write_trace(tmp_path / "trace.json", events)))) as store:
        host = tracks_of(store, "Process 1")[0]
        assert [(pair[1], pair[3]) for pair in launched(store, host)] == [(0, 0), (1, 1), (2, 2)]
