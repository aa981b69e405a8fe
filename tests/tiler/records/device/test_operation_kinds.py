"""Kinds of operations by the numbers of their metadata, wherever among those of a run these lie."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiler.details.test_typed_stats import varint
from tilescope.tiler import _native
from tilescope.tiler.records.device.operations import OperationKind

_TABLE = 1 << 24  # so far apart numbers may be that are told apart


def metadata_of(*pieces: Sequence[int]) -> list[int]:
    """The metadata that the kind of each event has; events are added piece by piece."""
    operations = _native.Operations([], [], [], [], 99, 1)
    kinds: list[int] = []
    for piece in pieces:
        args = [varint(number) for number in piece]
        ends = np.cumsum([len(of) for of in args], dtype=np.int64)
        times = np.zeros(len(args), np.int64)
        kind, *_ = operations.add(ends, 0, np.frombuffer(b"".join(args), np.uint8), times, times)
        kinds += kind.tolist()
    metadata = operations.kinds()[0]
    assert len(set(kinds)) == len(metadata)
    return [int(metadata[kind]) for kind in kinds]


@pytest.mark.parametrize(
    "numbers",
    [
        [0, 1, 0],
        [24_680_000, 24_679_999, 24_680_000],  # a pod, of whose planes each has its own metadata
        [2**31 - 2, 2**31 - 1],
        list(range(60_000, 0, -4096)),
        [_TABLE - 1, 0, _TABLE // 2],
        [24_576, 45_056, 22_570, _TABLE],
    ],
)
def test_numbers_of_a_plane_are_told_apart(numbers: list[int]) -> None:
    assert metadata_of(numbers) == numbers
    assert metadata_of(*([number] for number in numbers)) == numbers


@given(st.integers(0, 2**40), st.lists(st.integers(0, _TABLE - 2 * 4096), min_size=1, max_size=20))
def test_whatever_lies_near_to_each_other_is_told_apart(first: int, steps: list[int]) -> None:
    numbers = [first + step for step in steps]
    assert metadata_of(numbers) == numbers


@pytest.mark.parametrize("far", [_TABLE + 4096, 2**40, 2**63 - 1])
def test_numbers_that_are_too_far_from_the_others_are_none(far: int) -> None:
    assert metadata_of([5, far, 6, far]) == [5, -1, 6, -1]


def test_a_kernel_names_its_program_by_id_or_else_by_name() -> None:
    stats = {"hlo_op": "fusion.3", "hlo_module": "jit_step", "program_id": "-1"}
    assert OperationKind(0, stats).instruction == (str((1 << 64) - 1), "fusion.3")
    del stats["program_id"]
    kind = OperationKind(0, stats)
    assert (kind.instruction, kind.module_name) == (("jit_step", "fusion.3"), "jit_step")
    assert OperationKind(0, {"hlo_module": "jit_step", "program_id": "7"}).instruction == ("", "")
