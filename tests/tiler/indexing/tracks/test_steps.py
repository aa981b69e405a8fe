"""Which slices are steps: those of real files, as the files have them, and of small ones in every form."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import corpus_path
from tests.step_files import CORPUS, files_of, steps_of
from tilescope.tiler.indexing import build_store
from tilescope.tiler.indexing.tracks import steps
from tilescope.tiler.lookup.steps import marked_steps
from tilescope.tiler.records.steps import StepSource, TrackSteps
from tilescope.tiler.store import RunStore, open_run_store
from tilescope.tiler.verify import verify_store

pytestmark = pytest.mark.slow

Event = dict[str, Any]


def built(tmp_path: Path, files: list[Path]) -> RunStore:
    build_store(files, tmp_path / "store")
    return open_run_store(tmp_path / "store")


def of_events(tmp_path: Path, events: list[Event]) -> RunStore:
    (tmp_path / "trace.json").write_text(json.dumps(events))
    return built(tmp_path, [tmp_path / "trace.json"])


def only(store: RunStore) -> TrackSteps:
    ((_, found),) = marked_steps(store)
    return found


@pytest.mark.parametrize("name", CORPUS)
def test_real_files(name: str, tmp_path: Path) -> None:
    path = corpus_path(name)
    expected = steps_of(path)
    store = built(tmp_path, files_of(path))
    found = [record for _, record in marked_steps(store)]
    tick_ps = store.manifest()["tick_ps"]
    durations = [(n, d * tick_ps) for r in found for n, d in zip(r.number.tolist(), r.duration.tolist(), strict=True)]
    # A file's picoseconds are those of the axis, or are dropped throughout: then they are 0 in these files.
    assert Counter(durations) == Counter((step.number, step.duration_ps // tick_ps * tick_ps) for step in expected)
    counts = store.manifest()["steps"]
    numbers = sorted({step.number for step in expected})
    assert numbers == list(CORPUS[name])
    assert (counts["count"], counts["first"], counts["last"]) == tuple(
        map(str, (len(numbers), numbers[0], numbers[-1]))
    )
    assert (counts["slices"], counts["tracks"], counts["all"]) == (str(len(expected)), len(found), True)
    store.close()
    assert verify_store(tmp_path / "store").steps == len(expected)


def x(name: str, ts: int, dur: int = 5, tid: int = 1, pid: int = 1) -> Event:
    return {"ph": "X", "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur}


def test_names_that_are_no_steps(tmp_path: Path) -> None:
    names = [
        "ProfilerStep#",
        "ProfilerStep#x",
        "ProfilerStep#-1",
        "ProfilerStep #1",
        "Iteration 1 of 2",
        "Iteration",
        "1",
    ]
    names += ["ProfilerStep#" + "9" * 19, "ProfilerStep#٣", "iteration 1", "Iteration Refresh 1", "Steps"]
    store = of_events(tmp_path, [x(name, 10 * k) for k, name in enumerate(names)])
    assert (list(marked_steps(store)), store.manifest()["steps"]) == ([], None)


def test_numbers_may_have_gaps_begin_anew_and_lack_an_end(tmp_path: Path) -> None:
    events = [x("ProfilerStep#7", 0), x("ProfilerStep#9", 10), x("ProfilerStep#7", 20), x("other", 31)]
    store = of_events(tmp_path, [*events, {**x("ProfilerStep#8", 30), "ph": "B"}, {**x("end", 40), "ph": "i"}])
    found = only(store)
    assert found.number.tolist() == [7, 9, 7, 8]
    assert found.is_open.tolist() == [0, 0, 0, 1]
    assert found.ordinal.tolist() == [0, 1, 2, 3]
    assert set(found.source.tolist()) == {StepSource.PROFILER_STEP}
    assert store.manifest()["steps"]["count"] == "3"


@pytest.mark.parametrize(
    ("process", "thread", "names", "numbers", "source"),
    [
        ("host0 /device:TPU:0", "Steps", ["100", "train 101", "train102"], [100, 101, 102], StepSource.STEPS_LINE),
        ("/device:TPU:0", "Sparse Core Steps", ["3", "2", "3"], [3, 2, 3], StepSource.STEPS_LINE),
        ("/device:TPU:0", "Steps", ["a", "5", "b"], [0, 1, 2], StepSource.STEPS_LINE_IN_ORDER),
        ("/device:TPU:0", "XLA Ops", ["1", "2", "3"], [], None),
        ("some server", "Steps", ["1", "2", "3"], [], None),
    ],
)
def test_lines_of_steps(
    tmp_path: Path, process: str, thread: str, names: list[str], numbers: list[int], source: StepSource | None
) -> None:
    meta = [
        {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": process}},
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": thread}},
    ]
    store = of_events(tmp_path, [*meta, *(x(name, 10 * k) for k, name in enumerate(names))])
    records = [record for _, record in marked_steps(store)]
    assert [n for record in records for n in record.number.tolist()] == numbers
    assert {s for record in records for s in record.source.tolist()} == ({source} if source else set())


def test_a_hostile_number_of_steps_is_cut_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "MAX_TRACK_STEPS", 5)
    monkeypatch.setattr(steps, "MAX_STEPS", 12)
    store = of_events(tmp_path, [x(f"ProfilerStep#{k}", 10 * k, tid=tid) for k in range(8) for tid in (1, 2, 3)])
    assert sorted(len(record) for _, record in marked_steps(store)) == [2, 5, 5]
    assert store.manifest()["steps"] == {
        "count": "5",
        "first": "0",
        "last": "4",
        "slices": "12",
        "tracks": 3,
        "all": False,
    }
    store.close()
    verify_store(tmp_path / "store")


def test_records_are_cut_where_they_grow_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilescope.tiler.records.steps._CHUNK_STEPS", 3)
    store = of_events(tmp_path, [x(f"Iteration {k}", 10 * k) for k in range(8)])
    assert [record.number.tolist() for _, record in marked_steps(store)] == [[0, 1, 2], [3, 4, 5], [6, 7]]
    store.close()
    assert verify_store(tmp_path / "store").steps == 8
