"""Waits of ranks by their timelines alone: against the program that the ranks ran, and against findings."""

from __future__ import annotations

from contextlib import closing
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from tests.reports.traces import answer, rows
from tests.tiler.facts.findings.pytorch_run import Rank, all_reduce
from tilescope.tiler.errors import NotAvailable
from tilescope.tiler.facts.ascend.communication import exposed_steps
from tilescope.tiler.facts.ascend.communication.transfers import ChosenPart
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import EVERYTHING, QueryReader
from tilescope.tiler.query.run_steps import StepRows
from tilescope.tiler.readers.logdir import find_run
from tilescope.tiler.store import open_run_store
from tilescope.tiler.windows import everywhere

REDUCE_US = 40
LATE_US = {1: (30, 0, 5), 2: (10, 20, 0)}  # by which ranks 1 and 2 compute longer than rank 0, by step


def write_run(folder: Path, world: int = 3, *, reduces: bool = True) -> Path:
    """Ranks of which some compute longer, so that the others wait in the all-reduce that is behind."""
    ranks = [Rank(number, world) for number in range(world)]
    for step in range(3):
        frames = [rank.step(step) for rank in ranks]
        for frame in frames:
            frame.__enter__()
        for rank in ranks:
            rank.launch("gemm", 100 + LATE_US.get(rank.number, (0, 0, 0))[step])
        if reduces:
            all_reduce(ranks, REDUCE_US)
        for rank in ranks:
            rank.wait()
        for frame in frames:
            frame.__exit__(None, None, None)
    folder.mkdir()
    for rank in ranks:
        rank.write(folder / f"rank{rank.number}.json")
    return folder


def test_transfers_and_waits_of_ranks(tmp_path: Path) -> None:
    build_store(find_run(write_run(tmp_path / "run")).files, tmp_path / "store")
    with closing(open_run_store(tmp_path / "store")) as store:
        reader = QueryReader(store)
        whole, middle = (answer(reader, "collectives", **part) for part in ({}, {"steps": "1-1"}))
        overlap = answer(reader, "overlap")
    tick_us = reader.tick_ps / 10**6
    steps = {(row["step"], row["rank"]): row for row in rows(whole, "steps")}
    for step in range(3):
        late = [LATE_US.get(rank, (0, 0, 0))[step] for rank in range(3)]
        for rank in range(3):
            figures = [steps[step, rank][name] * tick_us for name in ("transfer", "wait", "elapsed")]
            wait = max(late) - late[rank]
            assert figures == pytest.approx([REDUCE_US, wait, REDUCE_US + wait], abs=0.01)
    exposed = sum(row["exposed_communication"] for row in rows(overlap, "devices"))
    parts = [whole.fact(name).value for name in ("transfer", "wait")]
    assert sum(value for value in parts if isinstance(value, int)) == exposed
    assert {row["step"] for row in rows(middle, "steps")} == {1}
    texts = " ".join(note.text for note in whole.notes)
    assert "No file says which links and operators it is of" in texts
    assert "Transfers and waits are an estimate" in texts
    assert [whole.fact(name).note for name in ("transfer", "wait")] == ["estimate, of all ranks"] * 2
    assert whole.fact("wait_share").note == "estimate, of both"
    assert [table.id for table in whole.tables if len(table)] == ["ranks", "steps"]


def test_others_have_their_turn_between_a_few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exposed_steps, "_STEPS_AT_ONCE", 10)
    steps = 100
    rows = StepRows(*(np.arange(steps) for _ in fields(StepRows)))
    times = {(0, number): {0: 5, 1: 7} for number in range(steps)}
    every = ChosenPart(lambda host, step: True, everywhere(EVERYTHING))
    for work in (exposed_steps._chosen(every, "", rows), exposed_steps._split(times, 1)):
        assert len(list(work)) == steps / 10


def test_a_rank_alone_has_nothing_to_wait_for(tmp_path: Path) -> None:
    build_store(find_run(write_run(tmp_path / "run", 1)).files, tmp_path / "store")
    with closing(open_run_store(tmp_path / "store")) as store, pytest.raises(NotAvailable):
        answer(QueryReader(store), "collectives")


def test_ranks_that_never_communicate_wait_for_nobody(tmp_path: Path) -> None:
    build_store(find_run(write_run(tmp_path / "run", reduces=False)).files, tmp_path / "store")
    with closing(open_run_store(tmp_path / "store")) as store:
        whole = answer(QueryReader(store), "collectives")
    assert [table.id for table in whole.tables if len(table)] == []
    assert "There is no communication in what was asked for." in [note.text for note in whole.notes]
