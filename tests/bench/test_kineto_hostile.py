"""Damaged copies of a training with PyTorch: each is indexed, and every tool about it answers."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest

from bench.kineto_run import VARIANTS, KinetoShape, write_hostile, write_job
from bench.kineto_run.__main__ import main
from bench.kineto_run.hostile import Variant, deep_frames
from tests.reports.traces import answer, rows
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store import open_run_store

SHAPE = KinetoShape(ranks=4, steps=1, layers=1, slow_rank=1)
DEPTH = 3000  # in place of the million that `bench.kineto_run --hostile` writes

TOOLS: Final = (
    "overview",
    "framework_ops",
    "kernels",
    "memory_profile",
    "call_tree",
    "gaps",
    "overlap",
    "collectives",
    "stats",
)


def variant_named(name: str) -> Variant:
    variant = next(variant for variant in VARIANTS if variant.name == name)
    return Variant(name, deep_frames(DEPTH)) if name == "frames_without_bound" else variant


@pytest.mark.parametrize("name", [variant.name for variant in VARIANTS])
def test_every_tool_answers(tmp_path: Path, name: str) -> None:
    write_hostile(tmp_path / "traces", SHAPE, variant_named(name))
    build_store(sorted((tmp_path / "traces").iterdir()), tmp_path / "store")
    with closing(open_run_store(tmp_path / "store")) as store:
        reader = QueryReader(store)
        for tool in TOOLS:
            answered = answer(reader, tool)
            assert answered.facts or answered.tables or answered.notes, tool
        for question in ({"weight": "device"}, {"weight": "bytes"}):
            assert answer(reader, "call_tree", **question).tables
        assert rows(answer(reader, "op_profile", by="module"), "frames")


def test_sizes_that_no_memory_has_are_counted(tmp_path: Path) -> None:
    write_hostile(tmp_path / "traces", SHAPE, variant_named("memory_without_bound"))
    texts = [path.read_text() for path in (tmp_path / "traces").iterdir()]
    build_store(sorted((tmp_path / "traces").iterdir()), tmp_path / "store")
    with closing(open_run_store(tmp_path / "store")) as store:
        (note,) = answer(QueryReader(store), "memory_profile").notes
    count = sum(text.count('"[memory]"') for text in texts)
    assert note.text.startswith(f"{count} events about memory are left out")


def operators(folder: Path, store: Path) -> Counter[tuple[str, str]]:
    build_store(sorted(folder.iterdir()), store)
    with closing(open_run_store(store)) as opened:
        table = rows(answer(QueryReader(opened), "framework_ops"), "host")
    figures = ("count", "total", "self", "kernels", "device_total")
    return Counter({(row["name"], key): row[key] for row in table for key in figures if row["count"] is not None})


@pytest.mark.parametrize("name", ["equal_pids", "python_parents_in_a_cycle", "unknown_types_of_data"])
def test_operators_are_those_of_the_undamaged_run(tmp_path: Path, name: str) -> None:
    write_job(tmp_path / "healthy", KinetoShape(ranks=4, steps=1, layers=1, slow_rank=1, cycles=1))
    write_hostile(tmp_path / "traces", SHAPE, variant_named(name))
    assert operators(tmp_path / "traces", tmp_path / "a") == operators(tmp_path / "healthy", tmp_path / "b")


def test_the_command_writes_truth_beside_traces(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path), "--steps", "1", "--layers", "1", "--ranks", "2", "--slow-rank", "1"]) == 0
    truth: dict[str, Any] = json.loads((tmp_path / "truth.json").read_text())
    assert "4 files" in capsys.readouterr().out
    assert len(list((tmp_path / "traces").iterdir())) == sum(len(files) for files in truth["ranks"]) == 4
