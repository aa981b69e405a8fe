"""What metadata says of instructions, as columns: so that sums over all of them need no row of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.operations.framework_names import framework_name
from tilescope.tiler.facts.operations.metadata import Memory, OperationMetadata

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
Exact = NDArray[Any]  # 64-bit integers, or Python's where they do not fit

_SMALL: Final = float(1 << 62)


@dataclass(frozen=True, slots=True)
class InstructionColumns:
    """A row for each instruction; numbers are of one time that it runs, 0 where they are not known."""

    flops: Exact
    model_flops: Exact
    bytes: Exact
    hbm: Exact  # bytes of which the trace says that they go to the device's memory, or come from it
    tells_flops: Mask  # whether the trace says how much it computes
    tells_bytes: Mask
    tells_memory: Mask  # whether it says of any bytes which memory they belong to
    has_symbol: Mask
    first: Ints  # the first row that is of the same instruction of the same program
    rank: Ints  # in the order of programs and instructions
    category: Ints  # its place in `categories`
    categories: Sequence[str]
    traffic: Mapping[tuple[int, bool], Exact]  # bytes by memory and whether it is written
    framework: Ints  # its place in `frameworks`
    frameworks: Sequence[str]  # what operations of the framework are called

    @classmethod
    def of(cls, metadata: Sequence[OperationMetadata]) -> InstructionColumns:
        """Those of some instructions."""
        keys = [(of.program, of.symbol) for of in metadata]
        rank = np.empty(len(keys), np.int64)
        rank[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
        firsts: dict[tuple[str, int], int] = {}
        codes: dict[str, int] = {}
        category = np.array([codes.setdefault(of.category, len(codes)) for of in metadata], np.int64)
        frameworks: dict[str, int] = {}
        framework = [frameworks.setdefault(framework_name(of), len(frameworks)) for of in metadata]
        return cls(
            exact(of.flops or 0 for of in metadata),
            exact(of.model_flops or 0 for of in metadata),
            exact(of.bytes or 0 for of in metadata),
            exact(sum(part.bytes for part in of.traffic if part.memory == Memory.HBM) for of in metadata),
            np.array([of.flops is not None for of in metadata], np.bool_),
            np.array([of.bytes is not None for of in metadata], np.bool_),
            np.array([bool(of.traffic) for of in metadata], np.bool_),
            np.array([bool(of.symbol) for of in metadata], np.bool_),
            np.array([firsts.setdefault(key, place) for place, key in enumerate(keys)], np.int64),
            rank,
            category,
            list(codes),
            _traffic(metadata),
            np.array(framework, np.int64),
            list(frameworks),
        )

    def __len__(self) -> int:
        return len(self.rank)

    def are(self, wanted: Callable[[str], bool]) -> Mask:
        """Which instructions are of categories that are wanted."""
        return np.array([wanted(of) for of in self.categories], np.bool_)[self.category]


def _traffic(metadata: Sequence[OperationMetadata]) -> dict[tuple[int, bool], Exact]:
    found: dict[tuple[int, bool], list[int]] = {}
    for place, of in enumerate(metadata):
        for part in of.traffic:
            key = part.memory, part.is_write
            if key not in found:
                found[key] = [0] * len(metadata)
            found[key][place] += part.bytes
    return {key: exact(moved) for key, moved in found.items()}


def exact(values: Iterable[int]) -> Exact:
    """A column of integers of any size."""
    values = list(values)
    try:
        return np.array(values, np.int64)
    except OverflowError:
        return np.array(values, object)


def products(of: Exact, by: Exact) -> Exact:
    """Of each row the product: exact."""
    largest = float(np.abs(of).max(initial=0)) * float(np.abs(by).max(initial=0))
    if largest >= _SMALL:
        of, by = of.astype(object), by.astype(object)
    found: Exact = of * by
    return found


def sum_of(column: Exact) -> int:
    """The sum of a column: exact."""
    if column.dtype == object or float(np.abs(column.astype(np.float64)).sum()) >= _SMALL:
        return int(sum(column.tolist()))
    return int(column.sum())
