"""Frames of devices: which steps they are, and that nothing lies between them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.tiler.facts.findings.answers import findings, reading
from tests.tiler.facts.findings.pytorch_causes import FIRST_STEP, PLANTED, STEPS, run
from tests.tiler.facts.findings.pytorch_run import write_ranks
from tilescope.tiler.facts import devices_of
from tilescope.tiler.facts.findings.frames import NO_STEP, Frames, common_frames, frames_of
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.resolver import TickRange

LAST_STEP = FIRST_STEP + STEPS - 1


def frames(reader: QueryReader, span: TickRange | None = None, numbers: tuple[int, int] | None = None) -> Frames:
    device = finish(devices_of(reader))[0]
    span = span or TickRange(0, reader.end + 1)
    return finish(frames_of(reader, reader.steps, device, span, numbers))


def test_steps_of_a_run_in_ranges_and_by_number(tmp_path: Path) -> None:
    with reading(write_ranks(run(PLANTED["value_in_the_step"]), tmp_path), tmp_path) as reader:
        whole = frames(reader)
        assert whole.number.tolist() == list(range(FIRST_STEP + 1, LAST_STEP + 1))
        assert whole.warm_up is not None
        assert whole.warm_up.number == FIRST_STEP
        assert (whole.begin[1:] == whole.end[:-1]).all()
        assert (whole.ticks > 0).all()
        assert whole.are_steps

        chosen = frames(reader, numbers=(FIRST_STEP + 3, FIRST_STEP + 4))
        assert chosen.number.tolist() == [FIRST_STEP + 3, FIRST_STEP + 4]
        assert chosen.begin.tolist() == whole.begin[2:4].tolist()
        assert chosen.warm_up is None

        first = frames(reader, numbers=(FIRST_STEP, FIRST_STEP))  # alone, it is a frame
        assert first.number.tolist() == [FIRST_STEP]

        inside = frames(reader, TickRange(int(whole.begin[1]), int(whole.end[3])))
        assert inside.number.tolist() == whole.number[1:4].tolist()
        part = TickRange(int(whole.begin[1]) + 1, int(whole.end[1]) - 1)  # no whole step lies in it
        inside = frames(reader, part)
        assert not inside.are_steps
        assert inside.number.tolist() == [NO_STEP]
        assert part.start <= inside.begin[0] < inside.end[0] <= part.stop
        assert len(frames(reader, TickRange(reader.end, reader.end + 1))) in (0, 1)


@pytest.mark.parametrize("numbers", [(FIRST_STEP + 2, FIRST_STEP + 2), (FIRST_STEP, FIRST_STEP), (900, 901)])
def test_findings_of_one_step_and_of_none(tmp_path: Path, numbers: tuple[int, int]) -> None:
    with reading(write_ranks(run(PLANTED["value_in_the_step"]), tmp_path), tmp_path) as reader:
        answer = findings(reader, numbers=numbers)
        assert answer.rows
        assert answer.steps == (1 if numbers[0] < 900 else 0)
        assert answer.rows[0].loss <= answer.step


def made(*steps: tuple[int, int, int]) -> Frames:
    number, begin, end = np.array(steps, np.int64).reshape(-1, 3).T
    return Frames(number, np.zeros(len(number), np.int64), begin, end)


def test_devices_keep_the_steps_that_all_have() -> None:
    first, second = made((4, 0, 10), (5, 10, 20), (6, 20, 30)), made((5, 12, 21), (6, 21, 30), (7, 30, 44))
    common = common_frames([first, second])
    assert [part.number.tolist() for part in common] == [[5, 6], [5, 6]]
    assert [part.begin.tolist() for part in common] == [[10, 20], [12, 21]]


def test_devices_without_a_common_step_have_spans() -> None:
    common = common_frames([made((4, 0, 10), (5, 10, 20)), made((7, 3, 44))])
    assert [(part.begin.tolist(), part.end.tolist()) for part in common] == [([0], [20]), ([3], [44])]
    assert not any(part.are_steps for part in common)
    assert common_frames([]) == []


def test_places_of_ticks() -> None:
    place = made((4, 10, 20), (5, 20, 30), (7, 40, 50)).place(np.array([9, 10, 19, 20, 29, 30, 39, 40, 49, 50]))
    assert place.tolist() == [-1, 0, 0, 1, 1, -1, -1, 2, 2, -1]
    assert made().place(np.array([3])).tolist() == [-1]
