"""Lanes of the framework above the operations of TPU cores: against plain Python, instant by instant."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.examples import examples
from tilescope.tiler.facts.lanes.framework_lines import (
    FrameworkLine,
    OperationRun,
    Section,
    operation_runs,
    scope_rows,
)
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool, values_of

PATHS = ["", "a", "f/a", "f/b", "f/g/a", "g/f/b"]


@st.composite
def nested(draw: st.DrawFn) -> list[Section]:
    """Events of a track, each in others or beside them."""
    sections: list[Section] = []

    def fill(start: int, stop: int, depth: int) -> None:
        while start < stop and draw(st.booleans()):
            begin = draw(st.integers(start, stop - 1))
            end = draw(st.integers(begin + 1, stop))
            sections.append((begin, end, draw(st.sampled_from(PATHS)), begin // 40))
            if depth < 3:
                fill(begin, end, depth + 1)
            start = end

    fill(0, 120, 0)
    return sorted(sections, key=lambda section: (section[0], -section[1]))


def runs_of(sections: list[Section]) -> list[OperationRun]:
    return [run for run in operation_runs(sections) if run is not None]


@given(nested())
@settings(max_examples=examples(150), deadline=None)
def test_operations_and_scopes_are_what_runs_at_each_instant(sections: list[Section]) -> None:
    runs = runs_of(sections)
    parts: list[tuple[int, str, int]] = []  # tick, path and step of the innermost event
    for tick in range(120):
        running = [section for section in sections if section[0] <= tick < section[1]]
        if running and running[-1][2]:
            parts.append((tick, running[-1][2], running[-1][3]))
    expected: list[list[Any]] = []
    for tick, path, step in parts:
        if expected and expected[-1][2:] == [path, step]:
            expected[-1][1] = tick + 1
        else:
            expected.append([tick, tick + 1, path, step])
    assert [[run.start, run.stop, run.path, run.step] for run in runs] == expected
    rows = scope_rows(runs)
    for run in runs:
        for tick in (run.start, run.stop - 1):
            names = {row: name for start, stop, row, name in rows if start <= tick < stop}
            assert [names[row] for row in range(len(names))] == run.path.split("/")[:-1]
    for row in {row for *_, row, _ in rows}:
        of_row = sorted((start, stop) for start, stop, other, _ in rows if other == row)
        assert all(stop <= start for (_, stop), (start, _) in pairwise(of_row))


@given(nested(), st.integers(0, 119), st.integers(1, 120), st.integers(1, 30))
@settings(max_examples=examples(150), deadline=None)
def test_bins_have_every_tick_once(sections: list[Section], start: int, length: int, count: int) -> None:
    borders = np.unique(start + np.arange(count + 1) * length // count).astype(np.int64)
    rows = scope_rows(runs_of(sections))
    line = FrameworkLine.from_rows(rows)
    bins = line.bins(borders)
    ours: Counter[tuple[int, int, str]] = Counter()
    for a, b, row, name in zip(*map(np.ndarray.tolist, (bins.start, bins.stop, bins.row, bins.name)), strict=True):
        ours.update((tick, row, bins.names[name]) for tick in range(a, b))
    busy: Counter[tuple[int, int, str]] = Counter()
    width = int(np.diff(borders).max())
    stop = int(borders[-1])
    for a, b, row, name in rows:
        for tick in range(max(a, start), min(b, stop)):
            if b - a >= width:
                ours[tick, row, name] -= 1
            else:
                busy[int(np.searchsorted(borders, tick, side="right")) - 1, row, name] += 1
    assert not any(ours.values())
    columns = (bins.bin, bins.bin_row, bins.bin_name, bins.busy)
    drawn = zip(*map(np.ndarray.tolist, columns), strict=True)
    assert {(place, row, bins.names[name]): ticks for place, row, name, ticks in drawn} == dict(busy)
    short_starts = [a for a, b, *_ in rows if b - a < width and start <= a < stop]
    assert int(bins.count.sum()) == len(short_starts)


def answer_of(reader: QueryReader, name: str, **values: Any) -> Answer:
    return finish(ask(tool(name), Scope(reader), from_values(tool(name).question, values)))


def table_rows(answer: Answer, table: str, *ids: str) -> list[tuple[Any, ...]]:
    return list(zip(*(values_of(answer.table(table).column(name)) for name in ids), strict=True))


@pytest.fixture(scope="module")
def pod(tmp_path_factory: pytest.TempPathFactory) -> QueryReader:
    path = tmp_path_factory.mktemp("lanes") / "store"
    build_store(sorted(corpus_path("pod").rglob("*.xplane.pb")), path)
    return QueryReader(open_run_store(path))


def test_lanes_of_a_pod(pod: QueryReader) -> None:
    lanes = table_rows(answer_of(pod, "lanes", source="framework_ops"), "lanes", "lane", "title", "track")
    assert Counter(title for _, title, _ in lanes) == {"Framework Ops": 16, "Name scopes": 16}
    (lane, track), *_ = [(lane, track) for lane, title, track in lanes if title == "Framework Ops"]
    assert pod.tree.tracks[track].name == "XLA Ops"
    drawn = answer_of(pod, "lane_bins", lane=lane, bins=8192)
    names = {name for (name,) in table_rows(drawn, "slices", "name")}
    device = answer_of(pod, "framework_ops", tracks=[track], limit=1000)
    operations = {name for (name,) in table_rows(device, "device", "name")}
    assert names
    assert names <= operations
    start, duration, name = table_rows(drawn, "slices", "start", "duration", "name")[-1]
    behind = answer_of(pod, "lane_events", lane=lane, tick=start)
    events = [values_of(column) for table in behind.tables for column in table.columns if column.kind == "event"]
    assert str(events[0][0]).startswith(f"{track}.")
    assert duration > 0
    assert name.startswith("jit(")


def test_devices_with_lines_of_their_own_have_no_others(tmp_path: Path) -> None:
    build_store([corpus_path("xplane/gpu_v100x8_bert.xplane.pb")], tmp_path / "store")
    reader = QueryReader(open_run_store(tmp_path / "store"))
    assert not table_rows(answer_of(reader, "lanes", source="framework_ops"), "lanes", "lane")
