"""Lanes of the framework above the operations of TPU cores: against plain Python, tick by tick."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Sequence
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.examples import examples
from tests.tpu_trace import Instruction, Run, in_order, plane, write_trace
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.facts.lanes import borders, framework_line, path_line
from tilescope.tiler.facts.lanes.framework_line import FrameworkLine
from tilescope.tiler.facts.lanes.framework_paths import framework_paths
from tilescope.tiler.facts.operations.track_records import OperationRecords
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import Interruptible, QueryReader, finish
from tilescope.tiler.query.events import Events
from tilescope.tiler.records.device.operations import CHUNK_OPERATIONS, Operations
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool, values_of

Slice = tuple[int, int, int, str]  # start, stop, row and name

PATHS = ["", "a", "f/a", "f/b", "f/g/a", "f/g/b", "g/g/a"]
PROGRAMS = (0, 43, 88)  # starts of the runs of programs
OPERATIONS, SCOPES = "framework_ops.operations-1", "framework_ops.scopes-1"


def core(
    runs: Sequence[Run],
    programs: Sequence[int] = PROGRAMS,
    line: str = "XLA TraceMe",
    paths: Sequence[str] = PATHS,
) -> bytes:
    """A core with operations of these paths in runs of programs; the event of its last line is beyond all."""
    instructions = [
        Instruction(f"op.{k}", {"program_id": 1, "symbol_id": k + 1, **({"tf_op": f"{path}:"} if path else {})})
        for k, path in enumerate(paths)
    ]
    ends = [*programs[1:], programs[-1] + 45]
    modules = [Run(len(paths), start, end - start) for start, end in zip(programs, ends, strict=True)]
    last = [Run(len(paths) + 1, 1001, 1)]
    names = [*instructions, Instruction("program"), Instruction("last")]
    return plane("/device:TPU:0", names, {"XLA Modules": modules, "XLA Ops": runs, line: last})


def indexed(folder: Path, *planes: bytes) -> QueryReader:
    build_store([write_trace(folder / "run.xplane.pb", planes)], folder / "store")
    reader = QueryReader(open_run_store(folder / "store"))
    assert reader.tick_ps == 1
    return reader


def scopes_of(path: str) -> list[str]:
    return path.split("/")[:-1]


def merged(entries: list[tuple[int, int, Any]], row: int) -> list[Slice]:
    """Slices of entries that follow one another and have one key, whose second part is None for no name."""
    slices = []
    for key, group in groupby(entries, lambda entry: entry[2]):
        parts = list(group)
        start, stop = parts[0][0], parts[-1][1]
        if key[1] is not None and stop > start:
            slices.append((start, stop, row, key[1][-1]))
    return slices


def reference(runs: Sequence[tuple[int, int, str]], programs: Sequence[int]) -> tuple[list[Slice], list[Slice]]:
    """Slices of operations and of scopes, of (start, stop, path) in canonical order."""
    times = sorted({time for start, stop, _ in runs for time in (start, stop)})
    entries: list[tuple[int, int, tuple[int, str]]] = []

    def key(run: tuple[int, int, str]) -> tuple[int, str]:
        return sum(start <= run[0] for start in programs), run[2]

    for time, after in zip(times, [*times[1:], times[-1]], strict=True) if times else ():
        entries += [(time, time, key(run)) for run in runs if run[:2] == (time, time)]
        running = [run for run in runs if run[0] <= time < run[1]]
        entries += [(time, after, key(running[-1]))] if running else []
    operations = [(a, b, (step, (path,) if path else None)) for a, b, (step, path) in entries]
    scopes: list[Slice] = []
    for row in range(max((len(scopes_of(path)) for *_, path in runs), default=0)):
        of_row = [
            (a, b, (step, tuple(scopes_of(path)[: row + 1]) if len(scopes_of(path)) > row else None))
            for a, b, (step, path) in entries
        ]
        scopes += merged(of_row, row)
    return merged(operations, 0), sorted(scopes, key=lambda item: (item[0], item[2]))


RUNS = st.lists(
    st.builds(Run, st.integers(0, len(PATHS) - 1), st.integers(0, 120), st.integers(0, 40)), min_size=1, max_size=25
).map(in_order)


def answer_of(reader: QueryReader, name: str, **values: Any) -> Answer:
    return finish(ask(tool(name), Scope(reader), from_values(tool(name).question, values)))


def rows(answer: Answer, table: str, *ids: str) -> list[tuple[Any, ...]]:
    return list(zip(*(values_of(answer.table(table).column(name)) for name in ids), strict=True))


def lanes(reader: QueryReader) -> set[str]:
    return {lane for (lane,) in rows(answer_of(reader, "lanes", source="framework_ops"), "lanes", "lane")}


def drawn_ticks(answer: Answer) -> Counter[tuple[int, str]]:
    """Ticks by row and name."""
    ticks: Counter[tuple[int, str]] = Counter()
    for row, name, length in rows(answer, "slices", "row", "name", "duration"):
        ticks[row, name] += length
    for row, name, busy in rows(answer, "bins", "row", "name", "busy"):
        ticks[row, name] += busy
    return ticks


def check_view(answer: Answer, slices: list[Slice], bounds: list[int]) -> None:
    """Checks a view bin by bin."""
    first, end, width = bounds[0], bounds[-1], max(np.diff(bounds).tolist(), default=1)
    seen = [item for item in slices if item[0] < end and item[1] > first]
    wide = [(max(a, first), min(b, end), row, name) for a, b, row, name in seen if b - a >= width]
    drawn = rows(answer, "slices", "start", "duration", "row", "name")
    assert [(start, start + length, row, name) for start, length, row, name in drawn] == sorted(
        wide, key=lambda item: (item[0], item[2])
    )
    expected = {}
    for start, stop in pairwise(bounds):
        for row, name in {item[2:] for item in seen}:
            short = [(a, b) for a, b, *other in seen if other == [row, name] and b - a < width]
            busy = sum(max(min(b, stop) - max(a, start), 0) for a, b in short)
            if busy:
                expected[start, row, name] = sum(start <= a < stop for a, _ in short), busy
    sums = rows(answer, "bins", "start", "row", "name", "count", "busy")
    assert {tuple(key): (count, busy) for *key, count, busy in sums} == expected


@given(runs=RUNS, start=st.integers(0, 170), length=st.integers(1, 170), count=st.integers(1, 60))
@settings(max_examples=examples(25), deadline=None)
def test_lanes_are_what_runs_at_each_tick(
    tmp_path_factory: pytest.TempPathFactory, runs: list[Run], start: int, length: int, count: int
) -> None:
    reader = indexed(tmp_path_factory.mktemp("lanes"), core(runs))
    spans = [(run.start, run.end, PATHS[run.instruction]) for run in runs]
    operations, scopes = reference(spans, PROGRAMS)
    has_path, has_scope = any(path for *_, path in spans), any(scopes_of(path) for *_, path in spans)
    assert lanes(reader) == {lane for lane, is_there in ((OPERATIONS, has_path), (SCOPES, has_scope)) if is_there}
    for lane, slices in ((OPERATIONS, operations), (SCOPES, scopes)):
        if lane not in lanes(reader):
            continue
        answer = answer_of(reader, "lane_bins", lane=lane, start=start, end=start + length, bins=count)
        check_view(answer, slices, borders(start, min(start + length, reader.end + 1), count).tolist())
        hits = answer_of(reader, "search", query="a", lanes=lane, limit=100)
        named = [item for item in slices if "a" in item[3]]
        listed = rows(hits, "lane_slices", "start", "duration", "row", "name")
        assert [(a, a + ticks, row, name) for a, ticks, row, name in listed] == named
        assert {name: (n, busy) for name, n, busy in rows(hits, "lane_names", "name", "count", "busy")} == {
            name: (sum(item[3] == name for item in named), sum(b - a for a, b, _, other in named if other == name))
            for *_, name in named
        }


@given(runs=RUNS, cuts=st.sets(st.integers(0, 24)), start=st.integers(0, 170), length=st.integers(1, 170))
@settings(max_examples=examples(25), deadline=None)
def test_pieces_make_no_difference(
    tmp_path_factory: pytest.TempPathFactory, runs: list[Run], cuts: set[int], start: int, length: int
) -> None:
    reader = indexed(tmp_path_factory.mktemp("lanes"), core(runs))
    paths = finish(framework_paths(reader, [1]))
    spans = [(run.start, run.end, PATHS[run.instruction]) for run in runs]
    end = max(run.end + 1 for run in runs)
    starts = sorted({runs[0].start, *(runs[cut].start for cut in cuts if cut < len(runs))})
    for path_rows, slices in zip((paths.operations, paths.scopes), reference(spans, PROGRAMS), strict=True):
        line = FrameworkLine(QueryReader(reader.store), 1, paths.by_track[1], path_rows, np.array([*starts, end]))
        ours: list[Slice] = []
        for piece in line.slices(start, start + length):
            if piece is not None:
                columns = (piece.start, piece.stop, piece.row, piece.name)
                part = [(*row, piece.names[name]) for *row, name in zip(*map(np.ndarray.tolist, columns), strict=True)]
                assert all(stop > start for _, stop, *_ in part)
                ours += part
        assert ours == [item for item in slices if item[0] < start + length and item[1] > start]
        bounds = borders(start, start + length, 7)
        bins = finish(line.bins(bounds))
        ticks: Counter[tuple[int, int, str]] = Counter()
        for a, b, row, name in zip(*map(np.ndarray.tolist, (bins.start, bins.stop, bins.row, bins.name)), strict=True):
            ticks.update((tick, row, bins.names[name]) for tick in range(a, b))
        by_bin: Counter[tuple[int, int, str]] = Counter()
        counts: Counter[tuple[int, int, str]] = Counter()
        for (tick, row, name), number in ticks.items():
            by_bin[int(np.searchsorted(bounds, tick, side="right")) - 1, row, name] += number
        sums = (bins.bin, bins.bin_row, bins.bin_name, bins.count, bins.busy)
        for bin_, row, name, number, busy in zip(*map(np.ndarray.tolist, sums), strict=True):
            by_bin[bin_, row, bins.names[name]] += busy
            counts[bin_, row, bins.names[name]] += number
        expected: Counter[tuple[int, int, str]] = Counter()
        for a, b, row, name in slices:
            for tick in range(max(a, start), min(b, start + length)):
                expected[int(np.searchsorted(bounds, tick, side="right")) - 1, row, name] += 1
        assert by_bin == expected
        # Those that are drawn as slices begin in the view, or before it.
        for a, _, row, name in slices:
            if start <= a < start + length and (a, row) not in zip(bins.start.tolist(), bins.row.tolist(), strict=True):
                counts[int(np.searchsorted(bounds, a, side="right")) - 1, row, name] -= 1
        assert not any(counts.values())


def test_an_operation_without_a_path_parts_two_of_one(tmp_path: Path) -> None:
    """As the same operation in another program does; idle time alone does not."""
    place = {path: number for number, path in enumerate(PATHS)}
    operations = [
        ("f/a", 0, 5),
        ("f/a", 7, 5),
        ("", 12, 3),
        ("f/a", 15, 5),
        ("f/a", 43, 5),
        ("f/b", 50, 0),
        ("f/a", 51, 2),
    ]
    reader = indexed(tmp_path, core([Run(place[path], start, length) for path, start, length in operations]))
    hits = answer_of(reader, "search", query="f", lanes=f"{OPERATIONS},{SCOPES}")
    by_lane = rows(hits, "lane_slices", "lane", "name", "start", "duration")
    assert [row[2:] for row in by_lane if row[:2] == (OPERATIONS, "f/a")] == [(0, 12), (15, 5), (43, 5), (51, 2)]
    assert [row[2:] for row in by_lane if row[:2] == (SCOPES, "f")] == [(0, 12), (15, 5), (43, 10)]


def test_scopes_of_one_name_in_others_are_two(tmp_path: Path) -> None:
    reader = indexed(tmp_path, core([Run(PATHS.index("f/g/a"), 0, 5), Run(PATHS.index("g/g/a"), 5, 5)]))
    hits = rows(answer_of(reader, "search", query="g", lanes=SCOPES), "lane_slices", "start", "duration", "row", "name")
    assert hits == [(0, 5, 1, "g"), (5, 5, 0, "g"), (5, 5, 1, "g")]


def test_a_click_leads_to_the_operations_of_the_slice(tmp_path: Path) -> None:
    place = {path: number for number, path in enumerate(PATHS)}
    operations = [
        ("f/a", 0, 5),
        ("f/a", 7, 5),
        ("f/g/b", 13, 2),
        ("f/a", 15, 9),
        ("", 17, 2),
        ("f/a", 30, 3),
        ("a", 45, 9),
        ("f/b", 47, 2),
    ]
    reader = indexed(tmp_path, core([Run(place[path], start, length) for path, start, length in operations]))
    for lane, tick, ordinals in (
        (OPERATIONS, 8, [1, 0]),
        (OPERATIONS, 6, [0, 1]),  # in idle time
        (OPERATIONS, 13, [2]),
        (OPERATIONS, 17, []),
        (OPERATIONS, 23, [3, 5]),  # goes on after what lies in it
        (OPERATIONS, 48, [7]),  # lies in another one
        (SCOPES, 13, [2]),  # the innermost scope
        (SCOPES, 16, [3, 2, 1, 0]),
    ):
        events = rows(answer_of(reader, "lane_events", lane=lane, tick=tick), "events", "event")
        assert [event for (event,) in events] == [f"1.{ordinal}" for ordinal in ordinals]


def test_cores_with_lines_of_their_own_have_no_others(tmp_path: Path) -> None:
    runs = [Run(2, 0, 5)]
    for line, expected in (
        ("XLA TraceMe", {OPERATIONS, SCOPES}),
        ("Source code", {OPERATIONS, SCOPES}),  # says where the program was written, and no operation of it
        ("Framework Ops", set()),
        ("TensorFlow Name Scope", set()),
    ):
        (tmp_path / line).mkdir()
        assert lanes(indexed(tmp_path / line, core(runs, line=line))) == expected


def test_deep_scopes_are_left_out_and_counted(tmp_path: Path) -> None:
    deep = "/".join(f"s{number}" for number in range(15))
    reader = indexed(tmp_path, core([Run(0, 0, 5)], paths=[deep]))
    answer = answer_of(reader, "lanes", source="framework_ops")
    assert dict(rows(answer, "lanes", "lane", "rows"))[SCOPES] == 12
    assert [note.text for note in answer.notes] == [
        "One operation has more than 12 name scopes: those further in are not drawn."
    ]


def test_lanes_wait_for_the_tracks_that_make_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = indexed(tmp_path, core([Run(2, 0, 5)]))
    for missing, expected in ((0, set()), (1, set()), (2, {OPERATIONS, SCOPES})):
        with monkeypatch.context() as patch:
            patch.setattr(Scope, "is_done", lambda _, track, missing=missing: track != missing)
            assert lanes(QueryReader(reader.store)) == expected


def test_damage_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = indexed(tmp_path, core([Run(2, 0, 5), Run(3, 6, 5)]))
    operations = OperationRecords.operations

    def shorter(self: OperationRecords, number: int) -> Operations:
        return Operations(*(getattr(operations(self, number), name)[:1] for name in ("kind", "parent", "duration")))

    monkeypatch.setattr(OperationRecords, "operations", shorter)
    with pytest.raises(DamagedStore, match="track 1 has other events than operations"):
        answer_of(reader, "lane_bins", lane=OPERATIONS)
    monkeypatch.setattr(framework_line, "CHUNK_OPERATIONS", 1)
    with pytest.raises(DamagedStore, match="track 1 has other events than operations"):
        answer_of(reader, "lane_bins", lane=OPERATIONS)


def test_a_question_reads_each_piece_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of a growing run, of which no pieces are kept: each row of scopes follows its slices through them."""
    reader = indexed(tmp_path, core([Run(PATHS.index("f/g/a"), 4 * k, 3) for k in range(20)], [0]))
    paths = finish(framework_paths(reader, [1]))
    read: Counter[int] = Counter()
    events = framework_line._events

    def counted(of: QueryReader, track: int, start: int, stop: int) -> Interruptible[Events]:
        read[start] += 1
        return (yield from events(of, track, start, stop))

    monkeypatch.setattr(framework_line, "_events", counted)
    monkeypatch.setattr(path_line._PIECES, "keep", lambda _owner, _key, piece: piece)
    starts = range(0, 81, 4)
    line = FrameworkLine(reader, 1, paths.by_track[1], paths.scopes, np.array(starts))
    (*_, last) = (piece for piece in line.slices(40, 44) if piece is not None)
    assert [last.start.tolist(), last.stop.tolist(), last.row.tolist()] == [[0, 0], [79, 79], [0, 1]]
    assert read == Counter(starts[:-1])


def test_a_view_reads_its_own_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    records = 7
    runs = [Run(1 + k // 700 % 3, 3 * k, 2) for k in range(records * CHUNK_OPERATIONS)]
    reader = indexed(tmp_path, core(runs, [0]))
    assert lanes(reader) == {OPERATIONS, SCOPES}
    numbers: list[int] = []
    operations = OperationRecords.operations

    def counted(self: OperationRecords, number: int) -> Operations:
        numbers.append(number)
        return operations(self, number)

    monkeypatch.setattr(OperationRecords, "operations", counted)
    middle = 3 * CHUNK_OPERATIONS * 5 + 5000
    view = answer_of(reader, "lane_bins", lane=OPERATIONS, start=middle, end=middle + 3000)
    assert set(numbers) == {4, 5, 6}
    spans = [(run.start, run.end, PATHS[run.instruction]) for run in runs]
    names = [(path, list(group)) for path, group in groupby(spans, lambda span: span[2])]
    slices = [(group[0][0], group[-1][1], 0, path) for path, group in names]
    check_view(view, slices, borders(middle, middle + 3000, 1000).tolist())
    for bins in (1, 60, 500):
        whole = answer_of(reader, "lane_bins", lane=OPERATIONS, bins=bins)
        check_view(whole, slices, borders(0, reader.end + 1, bins).tolist())
    assert set(numbers) == set(range(records))


# -- a pod: against the figures of the generator that wrote it ---------------------------------------------------------

POD_PATHS = {
    "infeed.1": "jit(train_step)/infeed",
    "copy.1": "jit(train_step)/jvp(main)/conv1/transpose",
    "convolution.3": "jit(train_step)/jvp(main)/conv1/conv_general_dilated",
    "all-reduce.1": "jit(train_step)/jvp(main)/bn1/psum",
    "custom-call.1": "jit(train_step)/jvp(main)/pallas_pool",
    "fusion.1": "jit(train_step)/jvp(main)/bn2/add",
    "fusion.2": "jit(train_step)/jvp(main)/relu2/max",
    "while.1": "jit(train_step)/main/while",
    "fusion.7": "jit(train_step)/main/while/body/add",
    "fusion.3": "jit(train_step)/transpose(jvp(main))/conv2/conv_general_dilated",
    "all-reduce.2": "jit(train_step)/transpose(jvp(main))/psum",
    "fusion.4": "jit(train_step)/optimizer/sub",
    "outfeed.1": "jit(train_step)/outfeed",
}


@pytest.fixture(scope="module")
def pod(tmp_path_factory: pytest.TempPathFactory) -> QueryReader:
    path = tmp_path_factory.mktemp("lanes") / "store"
    build_store(sorted(corpus_path("pod").rglob("*.xplane.pb")), path)
    return QueryReader(open_run_store(path))


def pod_truth() -> dict[str, Any]:
    """Figures by the clocks of the cores: each operation has the same on the timeline, to a nanosecond."""
    truth: dict[str, Any] = json.loads(gzip.decompress(corpus_path("pod/truth.json.gz").read_bytes()))
    return truth


def test_operations_of_a_pod_take_what_its_truth_says(pod: QueryReader) -> None:
    truth = pod_truth()
    table = rows(answer_of(pod, "lanes", source="framework_ops"), "lanes", "lane", "title", "track", "rows")
    assert Counter((title, depth) for _, title, _, depth in table) == {("Framework Ops", 1): 16, ("Name scopes", 4): 16}
    cores = [str(core["core_id"]) for core in truth["cores"]]
    operation_lanes = [(lane, track) for lane, title, track, _ in table if title == "Framework Ops"]
    for (lane, track), core_id in zip(operation_lanes, cores, strict=True):
        assert pod.tree.tracks[track].name == "XLA Ops"
        expected: Counter[str] = Counter()
        occurrences: Counter[str] = Counter()
        for step in truth["steps"]:
            for name, (count, _, own) in step["cores"][core_id]["ops"].items():
                if name in POD_PATHS:
                    expected[POD_PATHS[name]] += own
                    # An operation that others lie in has a slice before, between and after them.
                    occurrences[POD_PATHS[name]] += 4 if name == "while.1" else count
        hits = rows(answer_of(pod, "search", query="jit", lanes=lane), "lane_names", "name", "count")
        assert {name: count for name, count in hits if name in expected} == occurrences
        for bins in (20, 1000, 8192):
            ticks = drawn_ticks(answer_of(pod, "lane_bins", lane=lane, bins=bins))
            for path, own in expected.items():
                assert abs(ticks[0, path] - own) <= 1000 * occurrences[path], (path, bins)


def test_scopes_of_a_pod_are_nested(pod: QueryReader) -> None:
    """The first step of the first core: between operations lie some nanoseconds, and one without a path ends all."""
    truth = pod_truth()
    step, origin = truth["steps"][0]["cores"]["2"], truth["cores"][0]["init"]["begin"]
    begin = step["begin"] - origin
    answer = answer_of(pod, "search", query="dur>0ps", lanes="framework_ops.scopes-2", start=begin, limit=4)
    slices = rows(answer, "lane_slices", "row", "name", "duration")
    ops = {name: own for name, (_, _, own) in step["ops"].items()}
    conv = ops["copy.1"] + ops["convolution.3"]
    main = conv + ops["all-reduce.1"] + ops["custom-call.1"]
    expected = [
        (0, "jit(train_step)", ops["infeed.1"] + main),
        (1, "jvp(main)", main),
        (2, "conv1", conv),
        (2, "bn1", ops["all-reduce.1"]),
    ]
    for (*ours, duration), (*scope, length) in zip(slices, expected, strict=True):
        assert ours == scope
        assert abs(duration - length) < 30_000
