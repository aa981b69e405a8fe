"""Waits for input that msprof draws behind their steps, and arrows that lead out of a run."""

from __future__ import annotations

import json
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import corpus_path
from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.pages import decompress
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.store.run_store import RunStore, open_run_store
from tilescope.tiler.store.store import need
from tilescope.tiler.verify import verify_store

Json = dict[str, Any]

THREAD: Json = {"pid": 3, "tid": 7}
NAMES: list[Json] = [{"ph": "M", "pid": 3, "name": "process_name", "args": {"name": "Ascend Hardware"}}]
STEPS: list[Json] = [
    THREAD | {"ph": "X", "name": name, "ts": ts, "dur": dur}
    for name, ts, dur in (
        ("Iteration 1", 10, 20),
        ("FP_BP Time 1", 11, 9),
        ("Iteration 2", 40, 20),
        ("FP_BP Time 2", 42, 9),
    )
]


def arrow(number: int, begin: float, end: float) -> list[Json]:
    common = THREAD | {"name": f"Data_aug Bound {number}", "cat": "Data_aug Bound", "id": f"Data_aug Bound {number}"}
    return [
        common | {"ph": "s", "ts": begin},
        common | {"ph": "t", "ts": end, "args": {"Data_aug Bound(us)": end - begin}},
    ]


def index(tmp_path: Path, events: list[Json]) -> RunStore:
    (tmp_path / "trace.json").write_text(json.dumps(events))
    build_store([tmp_path / "trace.json"], tmp_path / "store")
    verify_store(tmp_path / "store")
    return open_run_store(tmp_path / "store")


def waits(store: RunStore) -> list[tuple[str, int, int, Any]]:
    """Track, start and duration in ticks and the argument of each wait."""
    events = []
    for track in json.loads(decompress(need(store, TRACKS)))["tracks"]:
        ordinal = 0
        while track["kind"] == "slice" and (event := event_details(store, track["id"], ordinal)) is not None:
            if event["name"].startswith("Data_aug"):
                start, duration = int(event["start"]), int(event["duration"])
                events.append((track["name"], start, duration, event["args"][0]["value"]))
            ordinal += 1
    return events


def test_a_wait_is_before_its_step(tmp_path: Path) -> None:
    with closing(index(tmp_path, [*STEPS, *arrow(2, 60, 72), *NAMES])) as store:
        assert waits(store) == [("Thread 7 · Data_aug Bound", 20_000, 12_000, 12)]
        manifest = store.manifest()
        assert manifest["end"] == "50000"
        counts = {kind: int(count) for kind, count in manifest["events"].items() if int(count)}
        assert counts == {"total": 6, "slices": 5, "other": 1}


def test_many_waits_are_placed_in_time(tmp_path: Path) -> None:
    events: list[Json] = [*NAMES]
    for number in range(10_000):
        begin = 100 * number
        events.append(THREAD | {"ph": "X", "name": f"FP_BP Time {number}", "ts": begin + 50, "dur": 20})
        events += arrow(number, begin + 80, begin + 95)
    (tmp_path / "trace.json").write_text(json.dumps(events))
    start = time.process_time()
    build_store([tmp_path / "trace.json"], tmp_path / "store")
    assert time.process_time() - start < 8  # one by one they took 15 s
    with closing(open_run_store(tmp_path / "store")) as store:
        assert store.manifest()["events"]["flow_ends"] == "2"  # the first wait would begin before all events


@pytest.mark.parametrize(
    "arrows",
    [
        arrow(1, 30, 42),  # it would begin before all events
        arrow(3, 60, 72),  # there is no such step
        [*arrow(2, 60, 72), *arrow(2, 60, 72)],  # which one?
    ],
)
def test_a_wait_that_cannot_be_placed_stays_an_arrow(tmp_path: Path, arrows: list[Json]) -> None:
    with closing(index(tmp_path, [*STEPS, *arrows, *NAMES])) as store:
        assert waits(store) == []
        assert store.manifest()["end"] == "50000"
        assert store.manifest()["events"]["flow_ends"] == str(len(arrows))


def test_only_files_of_ascend_have_such_waits(tmp_path: Path) -> None:
    with closing(index(tmp_path, [*STEPS, *arrow(2, 60, 72)])) as store:
        assert waits(store) == []


@pytest.mark.parametrize(
    ("flow", "expected_end"),
    [
        ({"ph": "s", "ts": 1000}, 50_000),
        ({"ph": "f", "ts": 1000}, 50_000),
        ({"ph": "s", "ts": 1}, 50_000),
        ({"ph": "f", "bp": "e", "ts": 1}, 50_000),
        ({"ph": "f", "ts": 1}, 59_000),  # it belongs to the slice behind it
    ],
)
def test_an_arrow_into_nothing_makes_no_run_longer(tmp_path: Path, flow: Json, expected_end: int) -> None:
    with closing(index(tmp_path, [*STEPS, THREAD | {"name": "f", "cat": "c", "id": 1} | flow])) as store:
        manifest = store.manifest()
        assert manifest["end"] == str(expected_end)
        assert manifest["events"]["flow_ends"] == "1"


def test_a_real_file_of_one_iteration(tmp_path: Path) -> None:
    build_store([corpus_path("ascend/msprof_0_2_10.json")], tmp_path / "store")
    verify_store(tmp_path / "store")
    with closing(open_run_store(tmp_path / "store")) as store:
        manifest = store.manifest()
        assert int(manifest["end"]) * int(manifest["tick_ps"]) == 16_576_120_000  # 32,576,560,000 with its arrow
        assert waits(store) == []


def test_waits_of_a_real_capture(tmp_path: Path) -> None:
    folder = "ascend/two_ranks/PROF_000001_20230818142704322_COJGGGCANRMICFBC/device_0/timeline"
    build_store([corpus_path(f"{folder}/step_trace_0_2_1.json")], tmp_path / "store")
    with closing(open_run_store(tmp_path / "store")) as store:
        placed = waits(store)
        assert len(placed) == 10
        # The second: from the end of step 1, 47,587.81 µs behind its begin, for 32,134.95 µs.
        assert placed[1] == ("Model ID:2 · Data_aug Bound", 47_587_810_000, 32_134_950_000, 32134.95)
