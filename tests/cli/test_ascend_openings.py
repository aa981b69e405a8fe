"""Trainings on Ascend devices opened as people do: a base folder, an archive of it, one training, one table."""

from __future__ import annotations

import signal
import time
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import tilescope
from bench.ascend_run import AscendShape, Training, write_ascend, write_profiler
from tests.cli.test_server_commands import get_json, place_of, started
from tilescope import Run

SHAPE = AscendShape(ranks=1, stages=1, steps=3, layers=1, slow_rank=None, slow_peer=None, slow_reader=None)
TRAININGS = {"gpt/node-0_4100_20260101000000123_ascend_pt", "lenet/profiler"}


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A summary base folder with a training of each generation."""
    write_profiler(tmp_path / "base" / "lenet" / "profiler", Training(SHAPE))
    write_ascend(tmp_path / "base" / "gpt", Training(SHAPE), "pt")
    return tmp_path / "base"


def opened(url: str) -> tuple[Mapping[str, Any], list[str]]:
    """The run that opens, once it is indexed, and the names of all."""
    server, run_id = place_of(url)
    deadline = time.monotonic() + 90
    while True:
        runs = {run["id"]: run for run in get_json(f"{server}api/v1/runs")["runs"]}
        if run_id in runs and runs[run_id]["state"] == "ready":
            return runs[run_id], sorted(run["name"] for run in runs.values())
        assert time.monotonic() < deadline, runs
        time.sleep(0.05)


@contextmanager
def asking(url: str) -> Iterator[Run]:
    """The run that opens, for questions."""
    server, run_id = place_of(url)
    with tilescope.connect(server) as client:
        yield client.run(run_id)


def count_of_steps(url: str) -> object:
    with asking(url) as run:
        return run.ask("steps").fact("count").value


def test_a_base_folder_lists_its_trainings_and_opens_one(base: Path, tmp_path: Path) -> None:
    with started(tmp_path, "view", "base", "--no-browser") as (_, url):
        run, names = opened(url)
        assert set(names) == TRAININGS
        assert {"step trace", "operators"} <= set(run["contents"])
        assert count_of_steps(url) == SHAPE.steps


def test_an_archive_of_a_base_folder_has_the_same_trainings(base: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "base.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(base.rglob("*")):
            packed.write(path, path.relative_to(base))
    with started(tmp_path, "view", "base.zip", "--no-browser") as (_, url):
        _, names = opened(url)
        assert {name.removeprefix("base.zip/") for name in names} == TRAININGS
        assert count_of_steps(url) == SHAPE.steps


def test_one_folder_of_a_profiler_is_one_run(base: Path, tmp_path: Path) -> None:
    with started(tmp_path, "view", "base/lenet/profiler", "--no-browser") as (_, url):
        run, names = opened(url)
        assert names == [run["name"]]
        assert count_of_steps(url) == SHAPE.steps
        pages = {"step_trace", "operators", "flops", "input_pipeline", "cpu", "dynamic_shape", "memory_viewer"}
        with asking(url) as training:
            assert all(training.ask(page).tables for page in sorted(pages))


@pytest.mark.parametrize("has_neighbours", [True, False])
def test_one_table_opens_alone_and_names_its_folder(has_neighbours: bool, base: Path, tmp_path: Path) -> None:
    name = "aicore_intermediate_0_type.csv"
    path = base / "lenet" / "profiler" / name
    if not has_neighbours:
        (tmp_path / "alone").mkdir()
        path = path.rename(tmp_path / "alone" / name)
    with started(tmp_path, "view", str(path.relative_to(tmp_path)), "--no-browser") as (process, url):
        run, _ = opened(url)
        assert run["path"].endswith(name)
        with asking(url) as training:
            assert len(training.ask("operators").table("types")["type"]) > 0
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
    words = f"{name} is of a training with files beside it: open their folder, profiler, to have all in one run"
    assert (words in err) == has_neighbours
