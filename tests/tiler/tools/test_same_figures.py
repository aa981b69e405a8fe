"""Figures of the same meaning have the same value in all tools, over runs of the corpus and of the diagnosis set."""

from __future__ import annotations

import math
import zipfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from tests.corpus import corpus_path, corpus_root
from tests.tiler.tools.contract_checks import figure, recorded
from tilescope.tiler.errors import NotAvailable, UsageError
from tilescope.tiler.facts.operations import tpu_cores
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool, values_of
from tilescope.tiler.tools.pod import DEFAULT_LISTED

# Each run takes about a second: without the deep ones, a few are left, among them the one that most tools answer.
_QUICK_BYTES: Final = 24_000
_QUICK: Final = "pod"
_LARGEST_BYTES: Final = 4_000_000

_FOLDERS: Final = ("pod", "kineto/h100_two_ranks")
_FILES: Final = ("xplane/*.xplane.pb", "kineto/*.json.gz", "kineto/critical_path/*.json.gz")

# A figure that a table has, and no fact: the share of waiting in all-reduces, summed up over steps and cores.
WAIT_IN_CELLS: Final = "cells: tpu_all_reduce_sync"

# Each row is a meaning, with the figures that have it: tool and figure, of a question about the whole run.
SAME: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "steps": (("overview", "steps"), ("input_pipeline", "steps"), ("steps", "count"), ("pod", "steps")),
    "mean step": (("overview", "step_mean"), ("input_pipeline", "mean"), ("steps", "mean")),
    "deviation of steps": (("overview", "step_deviation"), ("input_pipeline", "deviation"), ("steps", "deviation")),
    "shortest step": (("overview", "step_min"), ("input_pipeline", "min"), ("steps", "min")),
    "longest step": (("overview", "step_max"), ("input_pipeline", "max"), ("steps", "max")),
    "waits for input": (("overview", "input_share"), ("input_pipeline", "input_share")),
    "device idle": (
        ("overview", "device_idle"),
        ("hlo_stats", "idle_share"),
        ("op_profile", "idle_share"),
        ("framework_ops", "idle_share"),
        ("gaps", "idle_share"),
    ),
    "device busy": (("hlo_stats", "busy"), ("op_profile", "busy"), ("framework_ops", "busy")),
    "FLOPS of the peak": (
        ("overview", "flops_of_peak"),
        ("hlo_stats", "flops_utilisation"),
        ("op_profile", "flops_utilisation"),
    ),
    "waits in all-reduces": (("pod", "all_reduce_sync"), ("pod", WAIT_IN_CELLS)),
    "cores or hosts": (("input_pipeline", "cores"), ("pod", "cores")),
}


def runs() -> list[object]:
    """Runs by name; the larger ones are deep."""
    root = corpus_root()
    names = [
        *_FOLDERS,
        *(str(path.relative_to(root)) for pattern in _FILES for path in sorted(root.glob(pattern))),
        *(f"../diagnosis/{path.parent.name}" for path in sorted(root.glob("../diagnosis/*/truth.json"))),
    ]
    params: list[object] = []
    for name in names:
        size = sum(file.stat().st_size for file in files_of(root / name))
        if size <= _LARGEST_BYTES:
            params.append(pytest.param(name, marks=() if size <= _QUICK_BYTES or name == _QUICK else pytest.mark.deep))
    return params


def files_of(path: Path) -> list[Path]:
    """The files of a run; none where it is not there."""
    files = [path, *path.rglob("*")] if path.is_dir() else [path]
    return sorted(file for file in files if file.is_file() and "truth" not in file.name)


def opened(name: str, folder: Path) -> QueryReader:
    """The reader of a run, built."""
    path = corpus_path(name)
    if (path / "run.zip").exists():
        zipfile.ZipFile(path / "run.zip").extractall(folder / "run")
        path = folder / "run"
    build_store(files_of(path), folder / "store")
    return QueryReader(open_run_store(folder / "store"))


def answer(reader: QueryReader, name: str) -> Answer | None:
    """None where the run has none."""
    try:
        return finish(ask(tool(name), Scope(reader), from_values(tool(name).question, {})))
    except (NotAvailable, UsageError):
        return None


def wait_share(pod: Answer, tick_ps: int) -> float | None:
    """Share of waiting in the steps that all cores have; None where ticks round, or where the table may be cut."""
    if tick_ps > 1 or not recorded(pod, "all_reduce_sync"):
        return None
    cells = pod.table("cells")
    steps = values_of(cells.column("step"))
    waits, durations = (np.array(values_of(cells.column(c)), np.int64) for c in ("tpu_all_reduce_sync", "duration"))
    if len(steps) >= DEFAULT_LISTED:
        return None
    cores = Counter(steps)
    is_complete = np.array([cores[step] == max(cores.values()) for step in steps], np.bool_)
    return int(waits[is_complete].sum()) / int(durations[is_complete].sum())


@pytest.mark.parametrize("name", runs())
def test_figures_of_one_meaning_have_one_value(tmp_path: Path, name: str) -> None:
    reader = opened(name, tmp_path)
    # Of TPUs, idle time is that of their steps, too, by their own clock; gaps are between work of the timeline.
    own_clock = {("gaps", "idle_share")} if tpu_cores(reader) else set()
    answers = {tool_name: answer(reader, tool_name) for figures in SAME.values() for tool_name, _ in figures}
    different = {}
    for meaning, figures in SAME.items():
        values = {}
        for tool_name, fact in figures:
            tool_answer = answers[tool_name]
            if (tool_name, fact) in own_clock:
                continue
            if tool_answer is not None and fact == WAIT_IN_CELLS:
                share = wait_share(tool_answer, reader.tick_ps)
                if share is not None:
                    values[f"{tool_name}.{fact}"] = share
            elif tool_answer is not None and recorded(tool_answer, fact):
                values[f"{tool_name}.{fact}"] = figure(tool_answer, fact)
        if name == _QUICK:  # a run of all tools: an id that nothing has would compare nothing
            assert len(values) > 1, meaning
        if not all(math.isclose(value, max(values.values()), rel_tol=1e-12) for value in values.values()):
            different[meaning] = values
    assert not different


def test_waiting_for_input_has_one_share_on_a_page(tmp_path: Path) -> None:
    """The row of the parts is of the same core and the same steps as the fact."""
    pipeline = answer(opened("pod", tmp_path), "input_pipeline")
    assert pipeline is not None
    parts = pipeline.table("parts")
    shares = dict(zip(values_of(parts.column("name")), values_of(parts.column("share")), strict=True))
    assert shares["Infeed"] == pytest.approx(pipeline.fact("input_share").value, rel=1e-12)
