"""Slices that several files of a device have: which of them stay."""

from __future__ import annotations

import json
import random
import zipfile
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.examples import examples
from tilescope.tiler.errors import TooMany
from tilescope.tiler.indexing import build_store
from tilescope.tiler.indexing.reading import copied_slices
from tilescope.tiler.indexing.reading.copied_slices import first_sources
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.pages import decompress
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.readers import find_run, join_runs
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.store import open_run_store
from tilescope.tiler.store.store import need
from tilescope.tiler.tools import Scope, ask, from_values, tool
from tilescope.tiler.tools.answer_json import encode
from tilescope.tiler.verify import verify_store

Slice = tuple[int, str, int, int]  # stream, name, start and duration in ns

SLICES = st.lists(st.tuples(st.integers(0, 1), st.sampled_from("ab"), st.integers(0, 2), st.integers(1, 2)), max_size=9)


def write(path: Path, slices: Iterable[Slice], *, process: str = "Ascend Hardware", pid: int = 3) -> Path:
    events: list[dict[str, object]] = [
        {"ph": "X", "pid": pid, "tid": stream, "name": name, "ts": f"{1000 + start / 1000:.3f}", "dur": duration / 1000}
        for stream, name, start, duration in slices
    ]
    events.append({"ph": "M", "pid": pid, "name": "process_name", "args": {"name": process}})
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(events))
    return path


def manifest_of(files: Sequence[Path], store: Path) -> dict[str, Any]:
    build_store(files, store)
    with closing(open_run_store(store)) as opened:
        return opened.manifest()


@settings(max_examples=examples(60), deadline=None)
@given(contents=st.lists(SLICES, min_size=2, max_size=3))
def test_each_slice_is_there_as_often_as_in_the_file_that_has_it_most_often(contents: list[list[Slice]]) -> None:
    rows = [(source, *entry) for source, slices in enumerate(contents) for entry in slices]
    random.Random(1).shuffle(rows)
    columns = [(stream, ord(name), start, duration) for _, stream, name, start, duration in rows]
    source = np.array([row[0] for row in rows], np.int64)
    key = np.array(columns, np.int64).reshape(-1, 4).T
    kept = first_sources(key, source) == source
    shown = Counter(column for column, is_kept in zip(columns, kept.tolist(), strict=True) if is_kept)
    most: Counter[tuple[int, ...]] = Counter()
    for number in range(len(contents)):
        most |= Counter(column for column, of_file in zip(columns, source.tolist(), strict=True) if of_file == number)
    assert shown == most


@settings(max_examples=examples(6), deadline=None)
@given(contents=st.lists(SLICES.filter(bool), min_size=2, max_size=3))
def test_files_of_a_device_in_shares(contents: list[list[Slice]]) -> None:
    most: Counter[Slice] = Counter()
    for slices in contents:
        most |= Counter(slices)
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(copied_slices, "COMPARED_SLICE_BYTES", (64 << 20) // 12)  # room for 12 at once
        files = [write(Path(folder, f"task_{'abc'[k]}_0_1_1.json"), slices) for k, slices in enumerate(contents)]
        manifest = manifest_of(files, Path(folder, "store"))
    total = sum(map(len, contents))
    copies = total - most.total()
    assert manifest["events"]["slices"] == str(most.total())
    assert manifest["ignored"].get("copied_slices", "0") == str(copies)
    assert manifest["events"]["total"] == str(total)


def test_only_files_of_one_device_and_capture_are_compared(tmp_path: Path) -> None:
    slices = [(1, "a", 0, 5)]
    files = [
        write(tmp_path / "PROF_1_2_A" / "device_0" / "timeline" / "task_time_0_2_1.json", slices),
        write(tmp_path / "PROF_1_2_A" / "device_1" / "timeline" / "task_time_1_2_1.json", slices),
        write(tmp_path / "PROF_1_2_B" / "device_0" / "timeline" / "task_time_0_2_1.json", slices),
    ]
    assert manifest_of(files, tmp_path / "store")["events"]["slices"] == "3"
    others = [write(tmp_path / f"{name}.json", slices, process="python") for name in "ab"]
    assert manifest_of(others, tmp_path / "others")["events"]["slices"] == "2"


def test_files_say_what_is_left_out(tmp_path: Path) -> None:
    more = write(tmp_path / "msprof_0_2_1.json", [(1, "a", 0, 5), (1, "b", 9, 5)])
    fewer = write(tmp_path / "step_trace_0_2_1.json", [(1, "a", 0, 5)], process="Step Trace", pid=1)
    for number, files in enumerate(((more, fewer), (fewer, more))):
        manifest = manifest_of(files, tmp_path / f"store{number}")
        assert manifest["warnings"] == ["step_trace_0_2_1.json: 1 slice is left out: msprof_0_2_1.json has it"]
        assert manifest["events"]["other"] == "1"
        assert manifest["ignored"] == {"copied_slices": "1"}


def with_arrows(path: Path, arrows: Iterable[tuple[int, int, bool]]) -> Path:
    """Adds a launch for each arrow, which ends on a stream, at a time in ns; or binds to the slice around it."""
    events = json.loads(path.read_text())
    for number, (stream, time_ns, encloses) in enumerate(arrows):
        host = {"pid": 4, "tid": number, "ts": 900}
        end = {"ph": "f", "pid": 3, "tid": stream, "ts": f"{1000 + time_ns / 1000:.3f}"} | (
            {"bp": "e"} if encloses else {}
        )
        events.append(host | {"ph": "X", "name": f"launch {number}", "dur": 1})
        events += [{"name": "f", "cat": "f", "id": number} | part for part in (host | {"ph": "s"}, end)]
    path.write_text(json.dumps(events))
    return path


def arrows_of(files: Sequence[Path], store: Path) -> set[tuple[str, str]]:
    """Names of the slices on both sides of each arrow."""
    build_store(files, store)
    verify_store(store)
    with closing(open_run_store(store)) as opened:
        reader = QueryReader(opened)
        events = [
            event
            for track in reader.tree.tracks
            if track.kind == "slice"
            for ordinal in range(track.events)
            if (event := event_details(opened, track.id, ordinal)) is not None
        ]
    return {(str(event["name"]), str(flow["name"])) for event in events for flow in event["flows"]["out"]}


def test_arrows_go_with_their_slices(tmp_path: Path) -> None:
    """An end without `bp` would be of the slice that comes next, another of the one around it."""
    arrows = [
        (2, 900, False),  # to `a`, which comes next and is left out; then it would be `own`
        (2, 1001, True),  # to `a`; then it would be `around`
        (2, 3000, True),  # to `around`
        (2, 3900, False),  # to `own`
    ]
    files = [
        write(tmp_path / "msprof_0_2_1.json", [(2, "a", 1000, 5), *((2, "b", start, 5) for start in range(9))]),
        write(tmp_path / "task_time_0_2_1.json", [(2, "around", 500, 9000), (2, "a", 1000, 5), (2, "own", 4000, 5)]),
    ]
    with_arrows(files[1], arrows)
    manifest = manifest_of(files, tmp_path / "store")
    verify_store(tmp_path / "store")
    assert manifest["ignored"] == {"copied_slices": "1", "copied_flow_ends": "2"}
    assert manifest["flows"] | {"edges": "2", "starts_without_end": "2", "without_slice": "0"} == manifest["flows"]
    assert manifest["events"]["flow_ends"] == "6"
    assert manifest["events"]["other"] == "3"  # the slice and two ends
    line = "task_time_0_2_1.json: 1 slice is left out with 2 ends of arrows: msprof_0_2_1.json has it"
    assert line in manifest["warnings"]


def test_a_thread_that_is_left_out_takes_its_arrows_along(tmp_path: Path) -> None:
    files = [tmp_path / "msprof_0_2_1.json", tmp_path / "step_trace_0_2_1.json"]
    arrow = [
        {"ph": "s", "pid": 4, "tid": 1, "name": "f", "id": 1, "ts": 1000},
        {"ph": "f", "bp": "e", "pid": 3, "tid": 2, "name": "f", "id": 1, "ts": 1001},
    ]
    launch = {"ph": "X", "pid": 4, "tid": 1, "name": "launch", "ts": 1000, "dur": 1}
    for file, slices in zip(files, ([(2, "a", 1000, 5), (2, "b", 3000, 5)], [(2, "a", 1000, 5)]), strict=True):
        write(file, slices)
        file.write_text(json.dumps([*json.loads(file.read_text()), launch, *arrow]))
    manifest = manifest_of(files, tmp_path / "store")
    verify_store(tmp_path / "store")
    assert manifest["events"]["flow_ends"] == "2"
    assert manifest["flows"]["edges"] == "1"
    assert manifest["ignored"] == {"copied_slices": "2", "copied_flow_ends": "2"}


@settings(max_examples=examples(30), deadline=None)
@given(
    slices=SLICES.filter(bool),
    own=SLICES,
    arrows=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 4), st.booleans()), min_size=1, max_size=8),
    chance=st.randoms(use_true_random=False),
)
def test_an_arrow_leads_to_the_slice_that_it_led_to_before_copies_were_left_out(
    slices: list[Slice], own: list[Slice], arrows: list[tuple[int, int, bool]], chance: random.Random
) -> None:
    """Or nowhere: arrows of a file alone, against those of it beside a file that has some of its slices."""
    own = [(stream, f"own {number}", start, duration) for number, (stream, _, start, duration) in enumerate(own)]
    mixed = [*slices, *own]
    chance.shuffle(mixed)
    filler = [(9, "filler", start, 1) for start in range(len(mixed) + len(arrows) + 1)]
    with TemporaryDirectory() as folder:
        file = with_arrows(write(Path(folder, "task_time_0_1_1.json"), mixed), arrows)
        larger = write(Path(folder, "msprof_0_1_1.json"), [*slices, *filler])
        alone = arrows_of([file], Path(folder, "alone"))
        beside = arrows_of([larger, file], Path(folder, "beside"))
    assert beside == {edge for edge in alone if edge[1].startswith("own")}


def test_a_file_without_a_device_is_of_the_only_one_of_its_capture(tmp_path: Path) -> None:
    capture = tmp_path / "n_7_20240102030405678_ascend_pt"
    files = [
        write(capture / "ASCEND_PROFILER_OUTPUT" / "trace_view.json", [(1, "a", 0, 5), (1, "b", 9, 5)]),
        write(capture / "PROF_1_2_A" / "device_0" / "timeline" / "task_time_0_2_1.json", [(1, "a", 0, 5)]),
    ]
    manifest = manifest_of(files, tmp_path / "store")
    assert manifest["events"]["slices"] == "2"
    with closing(open_run_store(tmp_path / "store")) as store:
        groups = json.loads(decompress(need(store, TRACKS)))["groups"]
    assert [group["kind"] for group in groups].count("host") == 1
    write(capture / "PROF_1_2_B" / "device_1" / "timeline" / "task_time_1_2_1.json", [(1, "a", 0, 5)])
    assert manifest_of(sorted(capture.rglob("*.json")), tmp_path / "both")["events"]["slices"] == "4"


def test_ranks_that_have_a_device_each_are_called_ranks(tmp_path: Path) -> None:
    files = [write(tmp_path / f"n_{rank}_20240102030405678_ascend_pt" / "t.json", [(1, "a", 0, 5)]) for rank in (0, 1)]
    for rank, file in enumerate(files):
        texts = {"distributedInfo": {"rank": rank, "world_size": 2}, "traceEvents": json.loads(file.read_text())}
        file.write_text(json.dumps(texts))
    build_store(files, tmp_path / "store")
    with closing(open_run_store(tmp_path / "store")) as store:
        groups = json.loads(decompress(need(store, TRACKS)))["groups"]
    assert [group["name"] for group in groups if group["kind"] == "run"] == ["2 ranks"]


def test_too_many_slices_that_are_all_alike_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copied_slices, "COMPARED_SLICE_BYTES", (64 << 20) // 12)
    files = [write(tmp_path / f"task_{name}_0_1_1.json", [(1, "a", 0, 5)] * 9) for name in "ab"]
    with pytest.raises(TooMany, match="all alike"):
        build_store(files, tmp_path / "store", memory_bytes=1 << 20)


def test_a_real_capture_of_two_devices_is_the_same_however_its_files_lie(tmp_path: Path) -> None:
    folder = corpus_path("ascend/two_ranks")
    files = sorted(folder.rglob("*.json"))
    archive = tmp_path / "two_ranks.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as writer:
        for file in reversed(files):
            writer.write(file, file.relative_to(folder.parent))
    by_run = []
    runs = find_run(folder), find_run(archive), join_runs(files), join_runs(reversed(files))
    for number, run in enumerate(runs):
        build_store(run.files, tmp_path / f"store{number}")
        with closing(open_run_store(tmp_path / f"store{number}")) as opened:
            reader = QueryReader(opened)
            manifest = opened.manifest()
            answers = [
                finish(ask(tool(name), Scope(reader), from_values(tool(name).question, {})))
                for name in ("overview", "stats", "overlap", "steps")
            ]
            by_run.append([encode(answer) for answer in answers])
            devices = next(fact.value for fact in answers[0].facts if fact.id == "devices")
        assert manifest["events"]["slices"] == str(1049 + 36 + 1060 + 36 + 2 * 10)  # the last are waits for input
        assert manifest["ignored"] == {"copied_slices": str(2 * (338 + 490 + 5))}
        assert devices == 2
    assert all(answers == by_run[0] for answers in by_run)
