"""Damaged files of Ascend trainings: each costs its own tools, which say so, and all others have the same answers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import pytest

from bench.ascend_run import AscendShape, Training, write_ascend, write_hostile, write_profiler
from bench.ascend_run.hostile import VARIANTS, healthy_files
from tests.table_answers import column, rows_of, table_answer, texts
from tests.tiler.readers.ascend.conftest import index
from tilescope.tiler.errors import NotAvailable
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.readers import discover
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Scope, ask, from_values, tool, why_not
from tilescope.tiler.tools.answer_json import encode
from tilescope.tiler.verify import verify_store

SHAPE: Final = AscendShape(ranks=2, stages=1, steps=2, layers=1, slow_peer=0, slow_reader=1)

# Tools whose figures come from the tables of a training, and those of its events.
OF_TABLES: Final = frozenset(
    {"operators", "flops", "cpu", "dynamic_shape", "memory_viewer", "memory_profile", "collectives"}
)
OF_STEPS: Final = frozenset({"step_trace", "input_pipeline", "pod", "steps", "overlap", "gaps"})
ASKED: Final = (*sorted(OF_TABLES | OF_STEPS), "framework_ops")


@dataclass(frozen=True, slots=True)
class Cost:
    """Changes by a damage: answers of these tools, besides Overview, lists of tables, and sums of events.

    `line`: of the warnings of the run; `note`: of the tool, by its id; None where nothing is lost.
    """

    tools: frozenset[str] = frozenset()
    line: str | None = None
    note: tuple[str, str] | None = None


def cost(tools: str = "", line: str | None = None, note: tuple[str, str] | None = None) -> Cost:
    return Cost(frozenset(tools.split()), line, note)


STEPS: Final = "step_trace_raw_0_detail_time.csv"
COSTS: Final[Mapping[str, Cost]] = {
    "row_too_short": cost("step_trace", rf"^{STEPS}: 1 row has too few cells \(line 3, column 62\)$"),
    "row_too_long": cost("", rf"^{STEPS}: 1 row with more cells than the header: .* \(line 3, column 104\)$"),
    "byte_order_mark": cost(),
    "other_line_ends": cost(),
    "tabs_around_cells": cost(),
    "quote_without_end": cost(
        "operators",
        r"^framework_raw_0\.csv: 1 row with more cells than the header: .* \(line 5, column 327\)$",
        ("operators", "1 of 20 operators that are listed have no row in framework_raw"),
    ),
    "quote_without_end_kernels": cost(
        "operators flops", r"^kernel_details\.csv: 1 row has too few cells \(line 5, column 251\)$"
    ),
    "absent_cell": cost("operators"),
    "not_a_number": cost(
        "operators", None, ("operators", "1 time or count of aicore_intermediate_0_type.csv could not be read")
    ),
    "negative": cost("step_trace", None, ("step_trace", "1 step has no forward and backward that lie in it")),
    "beyond_64_bits": cost(
        "step_trace input_pipeline pod steps overlap",
        rf"^{STEPS}: 1 of 2 communication events of .* are not where it says$",
        ("steps", "Device 0 lacks step 1"),
    ),
    "beyond_64_bits_kernels": cost(),
    "not_utf8": cost("operators", r"^aicore_intermediate_0_type\.csv: 1 cell is not UTF-8 \(line 2, column 1\)$"),
    "cut_json": cost("", r"^pipeline_profiling_0\.json is left out: it is not JSON: .* \(line 45, column 7\)$"),
    "cut_timeline": cost(
        "input_pipeline pod steps overlap gaps",
        r"^ascend_timeline_display_0\.json: the file ends inside an event \(byte [\d,]+\): the trace was cut short",
    ),
    "cut_trace_view": cost(
        "input_pipeline pod steps overlap gaps memory_profile framework_ops",
        r"^trace_view\.json: the file ends inside an event \(byte [\d,]+\): the trace was cut short",
    ),
    "array_not_closed": cost("", r"^trace_view\.json: the closing \] is missing: .* 371 whole events kept$"),
    "deep_json": cost(
        "flops collectives",
        r"^flops_summary_0\.json is left out: it is JSON that is nested too deep \(line 1, column 110\)$",
    ),
    "cut_communication": cost(
        "collectives", r"communication\.json is left out: it is not JSON: .* \(line 1, column 1905\)$"
    ),
    "other_step_trace": cost(
        "step_trace input_pipeline pod steps overlap gaps",
        rf"^{STEPS}: its rows are a table, and not drawn: 2 of 2 communication events .* it is of another run",
    ),
    "cycle_of_operations": cost(
        "input_pipeline", None, ("input_pipeline", "Data go in a circle at Batch_0, Shuffle_1, Map_2 and 1 more")
    ),
    "operator_missing": cost(),
    "many_columns": cost("operators"),
    "empty": cost("operators flops", r"not read, as no table and no timeline: \w+/kernel_details\.csv$"),
    "header_alone": cost("operators flops"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("damage")
    write_hostile(folder, Training(SHAPE))
    for name, content in healthy_files(Training(SHAPE)).items():
        path = folder / f"healthy_{1 if name.startswith('profiler/') else 2}" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


@dataclass(frozen=True, slots=True)
class Look:
    """Lines of a run and of its index, and the answers of tools as JSON, or why there is none."""

    lines: tuple[str, ...]
    answers: Mapping[str, str]


def look(folder: Path, store: Path) -> Look:
    (run,) = discover(folder)
    index(folder, store)
    verify_store(store)
    with closing(open_run_store(store)) as opened:
        reader = QueryReader(opened)
        answers = {}
        for name in ASKED:
            scope, page_tool = Scope(reader), tool(name)
            reason = why_not(page_tool, scope)
            answers[name] = (
                reason or encode(finish(ask(page_tool, scope, from_values(page_tool.question, {})))).decode()
            )
        return Look((*run.notes, *reader.manifest.warnings), answers)


@pytest.fixture(scope="module")
def healthy(folder: Path) -> dict[bool, Look]:
    """By whether it is of the first generation."""
    return {number == 1: look(folder / f"healthy_{number}", folder / f"healthy_{number}.store") for number in (1, 2)}


def test_each_damage_has_its_cost() -> None:
    assert COSTS.keys() == {variant.name for variant in VARIANTS}


@pytest.mark.parametrize("name", COSTS)
def test_a_damaged_file_costs_its_tools_alone(name: str, folder: Path, healthy: dict[bool, Look]) -> None:
    expected, variant = COSTS[name], next(variant for variant in VARIANTS if variant.name == name)
    whole = healthy[variant.file.startswith("profiler/")]
    damaged = look(folder / name, folder / f"{name}.store")
    assert {tool_id for tool_id in ASKED if damaged.answers[tool_id] != whole.answers[tool_id]} == expected.tools
    lines = [line for line in damaged.lines if line not in whole.lines]
    if expected.line is None:
        assert lines == []
    else:
        assert [line for line in lines if re.search(expected.line, line)] != [], lines
    if expected.note is not None:
        where, words = expected.note
        assert words in texts(table_answer(where, folder / f"{name}.store"))
    overview = texts(table_answer("overview", folder / f"{name}.store"))
    assert overview
    assert re.search(r"of 2 devices works?:", overview) is None  # what a file lacks may be a device's work


def test_operators_that_one_file_alone_has_are_counted(folder: Path) -> None:
    """The last three of `framework_raw` are missing: these are listed, without their shapes."""
    store = index(folder / "operator_missing", folder / "all.store")
    answer = table_answer("operators", store, limit=1000, rank=0)
    without = [name for name, shapes in rows_of(answer, "operators", "name", "input_shapes") if shapes is None]
    count = re.search(r"(\d+) of (\d+) operators that are listed have no row in framework_raw", texts(answer))
    assert count is not None
    assert int(count[2]) == len(answer.table("operators"))
    assert 0 < int(count[1]) <= len(without)
    whole = table_answer("operators", folder / "healthy_1.store", limit=1000, rank=0)
    assert column(answer, "operators", "total") == column(whole, "operators", "total")
    assert "framework_raw" not in texts(whole)


def test_a_table_without_rows_covers_no_other(folder: Path, healthy: dict[bool, Look]) -> None:
    """Rank 0 has its times of `op_statistic.csv`, and rank 1 of its kernels."""
    store = folder / "header_alone.store"
    if not store.exists():
        index(folder / "header_alone", store)
    sources = {rank: table_answer("operators", store, rank=rank) for rank in (0, 1)}
    statistic = table_answer("operators", folder / "healthy_2.store", rank=0, source="op_statistic")
    for table in ("types", "cores"):
        assert column(sources[0], table, "total") == column(statistic, table, "total")
    whole = table_answer("operators", folder / "healthy_2.store", rank=1)
    assert column(sources[1], "types", "total") == column(whole, "types", "total")


def test_a_rank_twice_is_two_runs(folder: Path) -> None:
    runs = discover(folder / "rank_twice")
    assert [len({file.parents[1] for file in run.files}) for run in runs] == [1, 1]
    names = [run.files[0].parents[1].name for run in runs]
    assert {name.startswith("restarted-") for name in names} == {True, False}
    for run, other in zip(runs, reversed(names), strict=True):
        assert f"rank 0 is also in {other}, recorded within a minute of it: each is a run of its own" in run.notes


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def deep(content: bytes) -> bytes:
    return b'{"a":' * 1_000_000


@pytest.mark.parametrize("damage", [cut, deep])
@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("flops", "flops_*"),
        ("cpu", "minddata_cpu_utilization_*"),
        ("dynamic_shape", "dynamic_shape_info_*"),
        ("memory_viewer", "memory_usage_*"),
        ("collectives", "communication*"),
        ("step_trace", "step_trace_*"),
    ],
)
def test_a_tool_without_its_files_names_them(
    name: str, files: str, damage: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    """The reason for which there is no answer has the file, and line and column where it is JSON."""
    training = Training(replace(SHAPE, ranks=1, slow_rank=None, slow_peer=None, slow_reader=None))
    folder = tmp_path / "run"
    if name == "collectives":
        write_ascend(folder, training, "ms")
        (trace,) = folder.rglob("trace_view.json")
        kept = [event for event in json.loads(trace.read_text()) if "Plane" not in json.dumps(event)]
        trace.write_text(json.dumps(kept))
        next(folder.rglob("step_trace_time.csv")).unlink()
    else:
        write_profiler(folder / "profiler", training)
    paths = sorted(folder.rglob(files))
    assert paths
    for path in paths:
        if path.suffix == ".json":
            path.write_bytes(damage(path.read_bytes()))
        else:
            path.unlink()
    store = index(folder, tmp_path / "store")
    assert texts(table_answer("overview", store))
    with pytest.raises(NotAvailable) as refused:
        table_answer(name, store)
    for path in paths:
        if path.suffix == ".json":
            assert re.search(rf"{path.name} is left out: .*\(line \d+, column \d+\)", str(refused.value)), path.name
