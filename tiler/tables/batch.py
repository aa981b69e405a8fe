"""Batches: columns of equal length that belong together, as Arrow has record batches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.words import Words

# An array of objects holds integers that do not fit into 64 bits, or that were not all recorded (None). A masked array
# has those that fit.
Column = NDArray[Any] | Words


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of a table, column by column."""

    columns: Mapping[str, Column]
    count: int

    def __len__(self) -> int:
        return self.count

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """For DuckDB, polars, pyarrow and whatever else reads the Arrow PyCapsule interface."""
        from tilescope.tiler.tables.arrow import c_array

        return c_array(self.columns, self.count, requested_schema)


def fits(column: NDArray[Any]) -> bool:
    """True if integers of a column of objects fit into 64 bits."""
    return all(value is None or -(1 << 63) <= value < 1 << 63 for value in column.tolist())


def masked(values: list[int | None]) -> np.ma.MaskedArray[Any, np.dtype[np.int64]]:
    """Integers of 64 bits; None, and what does not fit, is missing."""
    present = [value if value is not None and -(1 << 63) <= value < 1 << 63 else None for value in values]
    data = np.array([0 if value is None else value for value in present], np.int64)
    return np.ma.MaskedArray(data, np.array([value is None for value in present], np.bool_))
