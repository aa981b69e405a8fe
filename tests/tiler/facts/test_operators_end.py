"""The end of a device's operators: told where communication goes on without them, and nowhere else."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiler.facts.test_ascend_tracks import opened, task
from tilescope.tiler.facts import devices_of
from tilescope.tiler.facts.operators_end import operators_end
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.ticks import TICK_LIMIT

STEP: Final = 100  # µs
US: Final = 1_000  # ticks


def collective(start: int) -> dict[str, object]:
    """A communication kernel of 30 µs, on a track of its own."""
    place = {"pid": 3, "process": "HCCL", "tid": 1, "thread": "Group 0 Communication"}
    return {**place, "name": "hcom_allReduce_", "ts": start, "dur": 30}


def steps(folder: Path, computing: list[int], communicating: list[int]) -> QueryReader:
    """A device that computes for 60 µs in some steps, and communicates at their end in some."""
    operators = [task("MatMul", number * STEP, 60, "AI_CORE") for number in computing]
    folder.mkdir(exist_ok=True)
    return opened(folder, *operators, *(collective(number * STEP + 60) for number in communicating))


def end(reader: QueryReader) -> int:
    (device,) = finish(devices_of(reader))
    return finish(operators_end(reader, device))


def test_the_end_is_that_of_the_last_operator(tmp_path: Path) -> None:
    reader = steps(tmp_path, [*range(8)], [*range(40)])
    assert end(reader) == (7 * STEP + 60) * US
    reader.store.close()


@pytest.mark.parametrize(
    ("computing", "communicating"),
    [
        ([*range(40)], [*range(40)]),  # the last communication ends behind all operators, as in each step
        ([*range(8)], [*range(8)]),
        ([*range(8)], []),
        ([*range(8)], [*range(10)]),  # thrice, which may be the end of the program
        ([*range(4), *range(34, 38)], [*range(60)]),  # it paused as long before
        ([*range(2)], [*range(0, 40, 20)]),
    ],
)
def test_a_device_that_is_done_has_no_end(tmp_path: Path, computing: list[int], communicating: list[int]) -> None:
    reader = steps(tmp_path, computing, communicating)
    assert end(reader) == TICK_LIMIT
    reader.store.close()


@given(st.integers(3, 30), st.integers(0, 60))
def test_any_number_of_steps(tmp_path_factory: pytest.TempPathFactory, computing: int, more: int) -> None:
    """A step pauses for 40 µs: four such pauses, with four collectives without operators and before, are a cut."""
    reader = steps(tmp_path_factory.mktemp("steps"), [*range(computing)], [*range(computing + more)])
    tail = more * STEP + 30
    is_cut = min(computing - 1, more + 1) >= 4 and tail >= 4 * 40
    assert end(reader) == (((computing - 1) * STEP + 60) * US if is_cut else TICK_LIMIT)
    reader.store.close()
