"""An event's category is its own, whatever other events of its name have."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.reports.traces import FOLDER, Open, answer, rows
from tilescope.tiler.export import ExportQuestion, pieces
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store import RunStore
from tilescope.tiler.verify import verify_store

MICROSECOND = 1000  # ticks


@pytest.fixture
def triton(open_by_name: Open) -> QueryReader:
    """A kernel whose name is first that of an operator."""
    return open_by_name("triton_name_cpu_and_gpu.json")


@pytest.fixture
def annotated(open_by_name: Open) -> QueryReader:
    """Steps that the host annotates, and the GPU."""
    return open_by_name("same_name_two_categories.json")


def sums(reader: QueryReader, *by: str) -> dict[tuple[str, ...], tuple[int, int]]:
    """Count and busy time in microseconds, by name or category, or both."""
    table = rows(answer(reader, "stats", by=by[0]), "names")
    return {tuple(row[key] for key in by): (row["count"], row["busy"] // MICROSECOND) for row in table}


def facts(reader: QueryReader, tool: str) -> dict[str, object]:
    return {fact.id: fact.value for fact in answer(reader, tool).facts}


def test_statistics_by_category(triton: QueryReader, annotated: QueryReader) -> None:
    assert sums(triton, "category") == {("cpu_op",): (5, 100), ("cuda_driver",): (5, 25), ("kernel",): (10, 325)}
    assert sums(annotated, "category") == {
        ("gpu_user_annotation",): (4, 280),
        ("kernel",): (4, 280),
        ("user_annotation",): (4, 120),
    }


def test_statistics_by_name_have_a_row_for_each_category(triton: QueryReader) -> None:
    assert sums(triton, "name", "category") == {
        ("triton_poi_fused_add_0", "cpu_op"): (5, 100),
        ("triton_poi_fused_add_0", "kernel"): (5, 300),
        ("cuLaunchKernel", "cuda_driver"): (5, 25),
        ("sgemm", "kernel"): (5, 25),
    }


def test_kernels(triton: QueryReader) -> None:
    assert (facts(triton, "kernels")["launches"], facts(triton, "kernels")["time"]) == (10, 325 * MICROSECOND)
    table = rows(answer(triton, "kernels"), "kernels")
    assert [(row["name"], row["count"], row["total"]) for row in table] == [
        ("triton_poi_fused_add_0", 5, 300 * MICROSECOND),
        ("sgemm", 5, 25 * MICROSECOND),
    ]


@pytest.mark.parametrize("tool", ["overlap", "gaps"])
def test_busy_time_of_the_device(triton: QueryReader, tool: str) -> None:
    found = facts(triton, tool)
    assert [found[key] for key in ("busy", "span", "idle")] == [ticks * MICROSECOND for ticks in (325, 465, 140)]


def test_overview(triton: QueryReader) -> None:
    assert facts(triton, "overview")["device_idle"] == pytest.approx(140 / 465)
    table = rows(answer(triton, "overview"), "operations")
    assert [(row["name"], row["category"], row["count"]) for row in table] == [
        ("triton_poi_fused_add_0", "kernel", 5),
        ("sgemm", "kernel", 5),
    ]


@pytest.mark.parametrize("table", [("kernels", "kernels"), ("overview", "operations")])
def test_rows_lead_to_their_own_events(triton: QueryReader, table: tuple[str, str]) -> None:
    first = rows(answer(triton, table[0]), table[1])[0]
    found = answer(triton, "search", query=first["query"])
    assert [(row["category"], row["count"]) for row in rows(found, "names")] == [("kernel", 5)]


@pytest.mark.parametrize(
    ("query", "count", "busy"),
    [
        ("cat:gpu_user_annotation", 4, 280),
        ('cat:"user_annotation"', 4, 120),
        ("cat:user_annotation", 8, 400),  # contains
        ("cat:/^USER_/i", 4, 120),
        ('"train_step"', 8, 400),
        ('"train_step" cat:/^gpu/', 4, 280),
        ("train_step cat:kernel", 0, 0),
    ],
)
def test_search(annotated: QueryReader, query: str, count: int, busy: int) -> None:
    found = answer(annotated, "search", query=query)
    told = {fact.id: fact.value for fact in found.facts}
    assert (told["count"], told["busy"]) == (count, busy * MICROSECOND)
    assert len(rows(found, "events")) == count


def test_find_has_all_of_a_name(annotated: QueryReader) -> None:
    found = rows(answer(annotated, "find", text="train_step", match="exact"), "events")
    assert Counter(row["category"] for row in found) == {"user_annotation": 4, "gpu_user_annotation": 4}


def test_details_tell_the_category_once(triton: QueryReader) -> None:
    store = triton.store
    assert isinstance(store, RunStore)
    kernels = [
        event
        for track in triton.tree.leaves(None)
        for ordinal in range(triton.tree.tracks[track].events)
        if (event := event_details(store, track, ordinal)) is not None and event["category"] == "kernel"
    ]
    assert len(kernels) == 10
    assert all([one["name"] for one in event["args"]] == ["device", "stream", "correlation"] for event in kernels)


def test_the_busiest_families(triton: QueryReader) -> None:
    assert triton.store.manifest()["families"] == ["kernel", "cpu_op", "cuda_driver"]


@pytest.mark.parametrize("name", ["triton_name_cpu_and_gpu.json", "same_name_two_categories.json"])
def test_export(open_by_name: Open, name: str) -> None:
    data = json.loads(b"".join(pieces(open_by_name(name), ExportQuestion())))["traceEvents"]
    written = json.loads((FOLDER / name).read_text())["traceEvents"]

    def slices(events: list[dict[str, object]]) -> Counter[tuple[object, ...]]:
        return Counter(
            (of["name"], of.get("cat"), float(str(of["dur"])), json.dumps(of.get("args", {})))
            for of in events
            if of["ph"] == "X"
        )

    assert slices(data) == slices(written)


@pytest.mark.parametrize("name", ["triton_name_cpu_and_gpu.json", "same_name_two_categories.json"])
def test_the_store_is_proven(open_by_name: Open, tmp_path: Path, name: str) -> None:
    open_by_name(name)
    verify_store(tmp_path / f"{name}.store")
