"""Name scopes of MindSpore as rows above the streams of an Ascend device, to any depth."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any, Final

import pytest

from tests.corpus import corpus_path
from tests.reports.traces import answer, rows
from tilescope.tiler.errors import UsageError
from tilescope.tiler.export import ExportQuestion, pieces
from tilescope.tiler.export.derived_lanes import CATEGORY
from tilescope.tiler.facts.lanes.ascend_scopes import is_path
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store import open_run_store

Slice = tuple[int, int, int, str]  # start, stop, row and name

FIRST: Final = "timeline_display_1.json"
TEXT: Final = "run_2/output_timeline_data_1.txt"  # where the names are the paths
LANES: Final = {FIRST: "overlap.scopes-1", "msprof_0_2_10.json": "overlap.scopes-2", TEXT: "overlap.scopes-1"}


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, QueryReader]:
    """The traces, indexed, by their names."""
    readers = {}
    for name in LANES:
        store = tmp_path_factory.mktemp("ascend") / "store"
        build_store([corpus_path(f"ascend/{name}")], store)
        readers[name] = QueryReader(open_run_store(store))
    return readers


def operators(reader: QueryReader, name: str) -> list[tuple[int, int, str]]:
    """Operators of the device by time, with the paths that the file says."""
    if name == FIRST:
        events = [event for event in json.loads(corpus_path(f"ascend/{name}").read_bytes()) if event["pid"] == 1]
        paths = {event["name"]: event["args"]["fullname"] for event in events}
        assert all(paths[event["name"]] == event["args"]["fullname"] for event in events)
    listed = []
    for track in reader.tree.tracks:
        group = reader.tree.groups[track.group].name
        if group in ("Ascend Hardware", "Device 1") and track.name.startswith("Stream"):
            listed += rows(answer(reader, "events", tracks=[track.id], limit=10_000), "events")
    return sorted(
        (event["start"], event["start"] + event["duration"], paths[event["name"]] if name == FIRST else event["name"])
        for event in listed
        if name in (FIRST, TEXT) or event["category"] in ("AI_CORE", "AI_CPU")
    )


def innermost(operators: Sequence[tuple[int, int, str]]) -> Iterator[tuple[int, int, str]]:
    """Spans of time with the path of the operator that began last: those of AI CPUs run beside others."""
    times = sorted({time for start, stop, _ in operators for time in (start, stop)})
    first = 0
    running: list[tuple[int, int, str]] = []
    for start, stop in pairwise(times):
        while first < len(operators) and operators[first][0] <= start:
            running.append(operators[first])
            first += 1
        running = [operator for operator in running if operator[1] > start]
        if running:
            yield start, stop, max(running, key=lambda operator: (operator[0], -operator[1]))[2]


def plain(reader: QueryReader, name: str, depth: int) -> list[Slice]:
    """Slices of the outermost rows: operators that follow one another in one scope."""
    slices = []
    spans = list(innermost(operators(reader, name)))
    for row in range(depth):
        scopes = ((path.split("/")[:-1][: row + 1], start, stop) for start, stop, path in spans)
        for scope, members in groupby(scopes, key=lambda member: member[0]):
            times = [(start, stop) for _, start, stop in members]
            if len(scope) > row:
                slices.append((times[0][0], times[-1][1], row, scope[row]))
    return sorted(slices)


def drawn(reader: QueryReader, lane: str) -> list[Slice]:
    """All slices of a lane."""
    listed = rows(answer(reader, "search", query="/./", lanes=lane, limit=10_000), "lane_slices")
    return sorted((row["start"], row["start"] + row["duration"], row["row"], row["name"]) for row in listed)


@pytest.mark.parametrize("name", LANES)
@pytest.mark.parametrize("depth", [1, 2, 4])
def test_scopes_to_a_depth_are_those_of_the_operators(name: str, depth: int, readers: dict[str, QueryReader]) -> None:
    reader = readers[name]
    wanted = plain(reader, name, depth)
    assert {row for _, _, row, _ in wanted} == set(range(depth))
    assert drawn(reader, f"{LANES[name]}:{depth}") == wanted


@pytest.mark.parametrize("name", LANES)
def test_all_levels_are_rows(name: str, readers: dict[str, QueryReader]) -> None:
    (lane,) = (row for row in rows(answer(readers[name], "lanes"), "lanes") if row["lane"] == LANES[name])
    deepest = max(len(path.split("/")) - 1 for _, _, path in operators(readers[name], name))
    assert (lane["title"], lane["rows"]) == ("Name scopes", deepest)
    assert drawn(readers[name], LANES[name]) == drawn(readers[name], f"{LANES[name]}:{deepest}")


@pytest.mark.parametrize("depth", ["", "0", "-1", "99", "x", "1.5", "²"])
def test_a_depth_that_there_is_not(depth: str, readers: dict[str, QueryReader]) -> None:
    with pytest.raises(UsageError, match=r"rows from 1 to"):
        answer(readers[FIRST], "lane_bins", lane=f"{LANES[FIRST]}:{depth}")
    with pytest.raises(UsageError, match=r"one row"):
        answer(readers[FIRST], "lane_bins", lane=f"overlap.free-1:{depth}")


def test_a_view_has_the_rows_of_the_depth_alone(readers: dict[str, QueryReader]) -> None:
    bins = answer(readers[FIRST], "lane_bins", lane=f"{LANES[FIRST]}:2", bins=100)
    assert {row["row"] for table in ("slices", "bins") for row in rows(bins, table)} == {0, 1}


def test_a_search_finds_scopes(readers: dict[str, QueryReader]) -> None:
    names = rows(answer(readers[FIRST], "search", query='"Gradients"', lanes=f"{LANES[FIRST]}:1"), "lane_names")
    assert [(row["name"], row["count"]) for row in names] == [
        ("Gradients", sum(scope == "Gradients" for _, _, _, scope in plain(readers[FIRST], FIRST, 1)))
    ]


def test_a_click_leads_to_the_operators(readers: dict[str, QueryReader]) -> None:
    start, stop, _, _ = next(slice_ for slice_ in plain(readers[FIRST], FIRST, 2) if slice_[2] == 1)
    events = rows(answer(readers[FIRST], "lane_events", lane=f"{LANES[FIRST]}:2", tick=start), "events")
    within = [operator for operator in operators(readers[FIRST], FIRST) if start <= operator[0] < stop]
    assert len(events) == len(within)
    assert events[0]["start"] == start


def test_an_export_has_derived_rows_to_the_depth(tmp_path: Path, readers: dict[str, QueryReader]) -> None:
    lanes = f"{LANES[FIRST]}:2,overlap.free-1"
    content = b"".join(pieces(readers[FIRST], ExportQuestion(lanes=lanes)))
    events: list[dict[str, Any]] = json.loads(content)["traceEvents"]
    derived = [event for event in events if event.get("cat") == CATEGORY and event["ph"] == "X"]
    scopes = [event["name"] for event in derived if event["tid"] == 1]
    assert len(scopes) == len(plain(readers[FIRST], FIRST, 2))
    assert sum(event["name"] == "Free" for event in derived) == 4_494


@pytest.mark.parametrize(("digits", "tail"), [("1" * 10_000, "/"), ("1" * 10_000, "")])
def test_a_name_without_end_is_no_path(digits: str, tail: str) -> None:
    assert not is_path(f"a/x-op{digits}{tail}")
    assert is_path("a/b/Conv2D-op11")
    assert is_path("a/b/Conv2D-op11_post")
    assert not is_path("Conv2D-op11")
    assert not is_path("a/b/Conv2D-op/")
