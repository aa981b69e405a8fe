"""Devices whose files were cut short count as idle in no verdict: what is missing may be their work."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from tests.table_answers import table_answer, texts
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store import open_run_store
from tilescope.tiler.store.file_warnings import cut_files

STEPS = 4
STEP_US = 1000


def trace(device: int, steps_with_work: int) -> str:
    """Steps of a host, and a kernel in each of the first."""
    events: list[dict[str, object]] = [
        {"ph": "M", "name": "process_name", "pid": device, "args": {"name": "python"}},
        {"ph": "M", "name": "process_labels", "pid": device, "args": {"labels": f"GPU {device}"}},
    ]
    for step in range(STEPS):
        begin = 10 + step * STEP_US
        marked = {"pid": 90, "tid": 90, "ts": begin, "dur": STEP_US - 10, "name": f"ProfilerStep#{step}"}
        events.append({"ph": "X", "cat": "user_annotation", **marked, "args": {}})
    for step in range(steps_with_work):
        place = {"pid": device, "tid": 7, "ts": 20 + step * STEP_US, "dur": 900}
        args = {"device": device, "stream": 7, "correlation": step + 1}
        events.append({"ph": "X", "cat": "kernel", "name": "gemm", **place, "args": args})
    return json.dumps({"traceEvents": events, "deviceProperties": [{"id": device, "name": "H100"}]})


def store_of(folder: Path, second: str) -> Path:
    for name, content in (("first.json", trace(0, STEPS)), ("second.json", second)):
        (folder / name).write_text(content)
    build_store([folder / "first.json", folder / "second.json"], folder / "store")
    return folder / "store"


@pytest.mark.parametrize("end", ["whole", "cut"])
def test_a_device_of_a_file_that_was_cut_is_not_idle(end: str, tmp_path: Path) -> None:
    second = trace(1, 1)
    if end == "cut":  # within the second of four kernels
        second = trace(1, STEPS)
        second = second[: second.index('"correlation": 2')]
    store = store_of(tmp_path, second)
    with closing(open_run_store(store)) as opened:
        manifest = QueryReader(opened).manifest
    assert cut_files(manifest) == (frozenset({1}) if end == "cut" else frozenset())
    overview = texts(table_answer("overview", store))
    assert ("1 of 2 devices works" in overview) is (end == "whole"), overview


def test_a_file_alone_is_not_named_by_its_warnings(tmp_path: Path) -> None:
    whole = trace(0, STEPS)
    for name, content in (("whole.json", whole), ("cut.json", whole[: whole.index('"correlation": 2')])):
        (tmp_path / name).write_text(content)
        build_store([tmp_path / name], tmp_path / f"{name}.store")
        with closing(open_run_store(tmp_path / f"{name}.store")) as opened:
            assert cut_files(QueryReader(opened).manifest) == (frozenset({0}) if name == "cut.json" else frozenset())
