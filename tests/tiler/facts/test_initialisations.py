"""Operators that set a device up before its first step: the time until it works is no loss of a run without steps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.corpus import corpus_path
from tests.table_answers import table_answer
from tilescope.tiler.indexing import build_store
from tilescope.tiler.readers.logdir import find_run


def verdict(folder: Path, store: Path) -> tuple[str, str]:
    build_store(list(find_run(folder).files), store)
    overview = table_answer("overview", store)
    assert overview.headline is not None
    return overview.headline.text, " ".join(note.text for note in overview.notes)


def write_timeline(folder: Path, operators: list[tuple[str, float, float]]) -> Path:
    folder.mkdir()
    rows = [
        {"name": name, "ph": "X", "tid": "519", "ts": start, "dur": duration, "pid": 1}
        for name, start, duration in operators
    ]
    (folder / "ascend_timeline_display_0.json").write_text(json.dumps(rows))
    return folder


@pytest.mark.parametrize(
    "names",
    [
        ["InitData"],
        ["Default/InitDataSetQueue-op0"],
        ["InitDataSetQueue", "InitDataSetQueue-op7"],
        [],
    ],
)
def test_the_time_behind_initialisations_is_no_loss(tmp_path: Path, names: list[str]) -> None:
    first = [(name, 100.0 * place, 50.0) for place, name in enumerate(names)]
    later = [("GetNext", 6_000_000.0, 400.0), ("MatMul-op1", 6_001_000.0, 400.0)]
    text, notes = verdict(write_timeline(tmp_path / "profiler", [*first, *later]), tmp_path / "store")
    assert "of 1.4 ms" in text
    assert ("are left out: devices are set up then" in notes) == bool(names)


def test_other_operators_are_no_initialisation(tmp_path: Path) -> None:
    operators = [("InitDataOfMine", 0.0, 50.0), ("MatMul-op1", 6_001_000.0, 400.0)]
    text, notes = verdict(write_timeline(tmp_path / "profiler", operators), tmp_path / "store")
    assert ">99.9 %" in text
    assert "set up" not in notes
    alone = write_timeline(tmp_path / "alone", [("InitData", 0.0, 50.0)])
    assert "set up" not in verdict(alone, tmp_path / "alone.store")[1]


def test_a_real_folder_has_6_s_before_its_first_step(tmp_path: Path) -> None:
    text, notes = verdict(corpus_path("ascend/profiler"), tmp_path / "store")
    assert text.startswith("253 µs of 774 µs (32.6 %) are lost")
    assert "The first 6.042 s are left out: devices are set up then, and networks are compiled" in notes
