"""Figures of the same meaning have the same value in all tools, over runs of the corpus and of the diagnosis set."""

from __future__ import annotations

import math
import zipfile
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
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

# Ends titles of durations of steps that the span cuts: other ones than those of the steps.
CUT: Final = ", in the span"

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


def answer(reader: QueryReader, name: str, values: Mapping[str, object]) -> Answer | None:
    """None where the run has none."""
    try:
        return finish(ask(tool(name), Scope(reader), from_values(tool(name).question, values)))
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


def shares_by_title(answers: Sequence[Answer]) -> dict[str, dict[str, float]]:
    """Shares by their titles, of facts and of the parts of steps: what is called the same on two pages is the same."""
    shares: dict[str, dict[str, float]] = defaultdict(dict)
    for place, tool_answer in enumerate(answers):
        for fact in tool_answer.facts:
            if fact.kind == "fraction" and isinstance(fact.value, float):
                shares[fact.label][f"{place}.{fact.id}"] = fact.value
        for table in tool_answer.tables:
            if table.id == "parts":
                parts = zip(values_of(table.column("name")), values_of(table.column("share")), strict=True)
                for part, share in parts:
                    if isinstance(share, float):
                        shares[str(part)][f"{place}.parts"] = share
    return shares


def questions(reader: QueryReader) -> dict[str, dict[str, object]]:
    """About the whole run, a tenth of it, and some of its steps."""
    tenth = (reader.end + 1) // 10
    values_by_name: dict[str, dict[str, object]] = {"whole": {}, "tenth": {"start": 4 * tenth, "end": 5 * tenth}}
    numbers = sorted({number for series in reader.steps.series for number in series.numbers.tolist()})
    if len(numbers) > 2:
        values_by_name["steps"] = {"steps": f"{numbers[len(numbers) // 3]}-{numbers[2 * len(numbers) // 3]}"}
    return values_by_name


@pytest.mark.parametrize("name", runs())
def test_figures_of_one_meaning_have_one_value(tmp_path: Path, name: str) -> None:
    reader = opened(name, tmp_path)
    # Of TPUs, idle time is that of their steps, too, by their own clock; gaps are between work of the timeline.
    own_clock = {("gaps", "idle_share")} if tpu_cores(reader) else set()
    different = {}
    for about, values in questions(reader).items():
        answers = {tool_name: answer(reader, tool_name, values) for own in SAME.values() for tool_name, _ in own}
        for meaning, figures in SAME.items():
            by_figure: dict[str, float] = {}
            for tool_name, fact in figures:
                tool_answer = answers[tool_name]
                if (tool_name, fact) in own_clock or tool_answer is None:
                    continue
                if fact == WAIT_IN_CELLS:
                    share = wait_share(tool_answer, reader.tick_ps)
                    if share is not None:
                        by_figure[f"{tool_name}.{fact}"] = share
                elif recorded(tool_answer, fact) and not tool_answer.fact(fact).label.endswith(CUT):
                    by_figure[f"{tool_name}.{fact}"] = figure(tool_answer, fact)
            if name == _QUICK and about != "tenth":  # a run of all tools: an id that nothing has would compare nothing
                assert len(by_figure) > 1, meaning
            if not all(math.isclose(value, max(by_figure.values()), rel_tol=1e-12) for value in by_figure.values()):
                different[about, meaning] = by_figure
        shares = shares_by_title([tool_answer for tool_answer in answers.values() if tool_answer is not None])
        different |= {
            (about, words): by_tool
            for words, by_tool in shares.items()
            if not all(math.isclose(share, max(by_tool.values()), rel_tol=1e-12) for share in by_tool.values())
        }
    assert not different


def test_waiting_for_input_has_one_share_on_a_page(tmp_path: Path) -> None:
    """The row of the parts is of the same core and the same steps as the fact."""
    pipeline = answer(opened("pod", tmp_path), "input_pipeline", {})
    assert pipeline is not None
    parts = pipeline.table("parts")
    shares = dict(zip(values_of(parts.column("name")), values_of(parts.column("share")), strict=True))
    assert shares["Infeed"] == pytest.approx(pipeline.fact("input_share").value, rel=1e-12)
