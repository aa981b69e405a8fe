"""Which tracks a rollup stands for, in a run of several hosts."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from tests.demo import DEMO_TRACE
from tests.tiler.lookup.stored_histogram import histogram_of
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import EVERYTHING, QueryReader, TrackTree, finish
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.store import RunStore, open_run_store
from tilescope.tiler.store.store import need
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.tools.stats.summary import summary
from tilescope.tiler.windows import everywhere


@pytest.fixture(scope="module")
def pod(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunStore]:
    folder = tmp_path_factory.mktemp("pod")
    files = [folder / f"host{k}.xplane.pb" for k in range(3)]
    for file in files:
        shutil.copy(DEMO_TRACE, file)
    build_store(files, folder / "pod.store")
    store = open_run_store(folder / "pod.store")
    yield store
    store.close()


def test_the_tracks_of_a_rollup_are_those_that_its_tiles_sum(pod: RunStore) -> None:
    tree = TrackTree.decode(need(pod, TRACKS))
    internals = pod.internals()["tracks"]
    rollups = [track.id for track in tree.tracks if track.kind == "rollup"]
    assert rollups
    for rollup in rollups:
        children = [child for child in internals[rollup]["children"] if internals[child]["events"]]
        assert tree.children(rollup) == sorted(children)
        assert sum(tree.tracks[child].events for child in children) == tree.tracks[rollup].events


def test_the_statistics_of_a_rollup_are_those_of_its_histogram(pod: RunStore) -> None:
    reader = QueryReader(pod)
    for track in reader.tree.tracks:
        if track.kind != "counter":
            answer = finish(summary(reader, everywhere(EVERYTHING), [track.id], 100_000))
            histogram = histogram_of(pod, track.id, 0, TICK_LIMIT)
            for column in histogram.__struct_fields__:
                assert getattr(answer.rows.histogram, column).tolist() == getattr(histogram, column).tolist()


def test_groups_stand_in_a_tree() -> None:
    parents = {0: (None, 9), 1: (0, 9), 2: (1, None), 3: (None, None)}
    groups: list[dict[str, Any]] = [
        {"id": k, "parent": parent, "rollup": rollup, "kind": "process", "name": "p", "detail": ""}
        for k, (parent, rollup) in parents.items()
    ]
    kinds = {**dict.fromkeys(range(4), "slice"), 4: "slice", 5: "counter", 6: "async", 7: "instant", 8: "slice"}
    tracks: list[dict[str, Any]] = [
        {"id": k, "group": 3 if k < 4 else 2, "kind": kind, "name": "t", "detail": "", "rows": 1}
        for k, kind in kinds.items()
    ]
    tracks += [{**tracks[0], "id": 9, "group": 1, "kind": "rollup"}]
    numbers = {8: "0", 9: "3"}
    tree = TrackTree.from_json(
        {"groups": groups, "tracks": [{**t, "events": numbers.get(t["id"], "1"), "busy": "7"} for t in tracks]}
    )
    assert tree.children(9) == [4, 6, 7]
    assert tree.leaves([9, 0, 6]) == [0, 4, 6, 7]
