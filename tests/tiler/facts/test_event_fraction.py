"""How much of the time of steps goes to operations of some names: which steps count, and which operations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.tpu_trace import Instruction, Run, plane, write_trace
from tilescope.tiler.details.instruction_stats import BARRIER, DEBUG_PRINT
from tilescope.tiler.facts.event_fraction import EventFraction, event_fractions
from tilescope.tiler.facts.operations import tpu_cores
from tilescope.tiler.facts.step_times import run_step_times
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.windows import Windows, everywhere

OPS = [
    Instruction(name, {"program_id": 3, "symbol_id": at})
    for at, name in enumerate(("fusion.1", "barrier-cores.2", "call.debug_print"), 1)
]


def fractions(folder: Path, steps: Sequence[tuple[int, int]], runs: Sequence[Run], word: str) -> list[EventFraction]:
    """Of a core with these steps (start and length) and operations."""
    instructions = [*OPS, *(Instruction(str(number)) for number in range(len(steps)))]
    marks = [Run(len(OPS) + number, *step) for number, step in enumerate(steps)]
    folder.mkdir()
    trace = write_trace(
        folder / "t.xplane.pb", [plane("/device:TPU:0", instructions, {"Steps": marks, "XLA Ops": runs})]
    )
    build_store([trace], folder / "store")
    reader = QueryReader(open_run_store(folder / "store"))
    windows = everywhere(Windows.single(0, reader.end + 1))
    times = finish(run_step_times(reader, reader.steps, reader.tree.leaves(None), windows))
    return finish(event_fractions(reader, tpu_cores(reader), times, word))


def test_the_first_and_the_last_step_do_not_count(tmp_path: Path) -> None:
    steps = [(at, 10_000) for at in range(0, 50_000, 10_000)]
    # 20 % of the second step and 40 % of the third; the two that nobody waits at are left out, and what is outside.
    runs = [
        Run(1, 100, 9_000),
        Run(1, 10_000, 2_000),
        Run(0, 12_000, 5_000),
        Run(1, 17_100, 1_250),
        Run(1, 18_500, 0),
        Run(1, 20_000, 4_000),
        Run(2, 31_000, 3_000),
        Run(1, 40_100, 9_000),
    ]
    (of,) = fractions(tmp_path / "a", steps, runs, BARRIER)
    assert of.share == pytest.approx((0.2 + 0.4 + 0) / 3)
    assert of.longest == 9_000
    (of,) = fractions(tmp_path / "b", steps, runs, DEBUG_PRINT)
    assert of.share == pytest.approx(0.1)
    assert (of.start, of.stop - of.start) == (31_000, 3_000)


def test_of_two_steps_a_piece_does_not_count(tmp_path: Path) -> None:
    runs = [Run(1, 0, 50 * 1300), Run(1, 100_000, 20_000)]
    (of,) = fractions(tmp_path / "a", [(0, 70_000), (100_000, 100_000)], runs, BARRIER)
    assert of.share == pytest.approx((65_000 / 70_000 + 0.2) / 2)
    (of,) = fractions(tmp_path / "b", [(0, 999), (100_000, 100_000)], [Run(1, 0, 900), runs[1]], BARRIER)
    assert of.share == pytest.approx(0.2)


def test_without_such_operations_there_is_nothing(tmp_path: Path) -> None:
    (of,) = fractions(tmp_path / "a", [(0, 10_000)], [Run(0, 0, 5_000)], BARRIER)
    assert (of.share, of.longest, of.track) == (0.0, 0, -1)
