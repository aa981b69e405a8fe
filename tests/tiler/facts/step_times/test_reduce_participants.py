"""Participants of all-reduces: what programs and the metadata of operations say of those that were not recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tiler.facts.findings.answers import reading
from tests.tiler.facts.findings.test_participants import FOUR_CORES, all_reduce_of
from tests.tiler.facts.findings.tpu_run import run, write_hosts
from tilescope.tiler.facts.step_times import StepPart, run_step_times
from tilescope.tiler.query import EVERYTHING, finish
from tilescope.tiler.windows import everywhere

SPLIT = (StepPart.ALL_REDUCE_COMPUTE, StepPart.ALL_REDUCE_SYNC)


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        (all_reduce_of([[0, 1, 2, 3]]), 4),
        (all_reduce_of([[k, k + 8] for k in range(8)]), 16),
        ("[1,4]<=[4]", 4),
        ("[8,2]<=[16]", 16),
        ("{{0,1,2,3},{4,5,6,7}}", 8),
        ("{}", 4),  # all, whoever that is: as far as is known, those recorded
        (b"\x0a\xff", 4),  # a damaged program says nothing
    ],
)
def test_waiting_is_told_where_all_were_recorded(tmp_path: Path, listed: str | bytes, expected: int) -> None:
    """By the programs, or else by the lists in the metadata of all-reduces; the parts add up to the step either way."""
    if isinstance(listed, bytes):
        files = write_hosts(run(FOUR_CORES), tmp_path, programs={"jit_step(7)": listed})
    else:
        text = f"%all-reduce.3 = f32[8]{{0}} all-reduce(%x), replica_groups={listed}, to_apply=%add"
        files = write_hosts(run(FOUR_CORES), tmp_path, expressions={"all-reduce.3": text})
    with reading(files, tmp_path) as reader:
        times = finish(run_step_times(reader, reader.steps, reader.tree.leaves(None), everywhere(EVERYTHING)))
    assert len(times) == 4
    for core_times in times:
        participants = core_times.participants
        assert participants is not None
        assert participants.expected == expected
        assert (participants.recorded == 4).all()
        assert bool(core_times.parts[StepPart.ALL_REDUCE_UNSPLIT].any()) == (expected > 4)
        assert bool(core_times.sum_of(SPLIT).any()) == (expected == 4)
        assert (core_times.sum_of(core_times.parts) == core_times.duration).all()
