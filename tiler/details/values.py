"""Values of one argument of many events, as columns: numbers stay numbers, and each text is kept once.

Native code finds them. What it leaves to more careful readers is `UNCLEAR`: these events are decoded one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray


class ValueKind(IntEnum):
    """Kind of an event's value under a name; the numbers are those of native code."""

    ABSENT = 0
    INTEGER = 1  # of 64 bits with a sign
    UNSIGNED = 2  # beyond these
    REAL = 3
    TEXT = 4
    FLAG = 5
    NULL = 6  # named, without a value
    UNCLEAR = 8
    OTHER = 9  # integers beyond 64 bits, lists, objects


class Values(Struct):
    """Columns of shape (n,). `bits`: of numbers; of texts and others their place in `objects`; of flags 0 or 1."""

    kind: NDArray[np.uint8]
    bits: NDArray[np.int64]
    objects: list[object] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.kind)

    def where(self, kind: ValueKind) -> NDArray[np.int64]:
        """Rows of the events that have a value of this kind."""
        return np.flatnonzero(self.kind == kind)

    @property
    def reals(self) -> NDArray[np.float64]:
        """The bits as doubles."""
        return self.bits.view(np.float64)

    def value(self, row: int) -> object:
        """Python's own value; None for what is absent and for what is null."""
        kind, bits = int(self.kind[row]), int(self.bits[row])
        if kind in (ValueKind.TEXT, ValueKind.OTHER):
            return self.objects[bits]
        if kind == ValueKind.INTEGER:
            return bits
        if kind == ValueKind.UNSIGNED:
            return bits + (1 << 64)
        if kind == ValueKind.REAL:
            return float(self.reals[row])
        return bool(bits) if kind == ValueKind.FLAG else None

    def put(self, rows: NDArray[np.int64] | Sequence[int], values: Iterable[object]) -> None:
        """Sets the values of some events, which native code did not know."""
        for row, value in zip(rows, values, strict=True):
            self.kind[row], self.bits[row] = self._coded(value)

    def _coded(self, value: object) -> tuple[ValueKind, int]:
        if value is None:
            return ValueKind.NULL, 0
        if isinstance(value, bool):
            return ValueKind.FLAG, int(value)
        if isinstance(value, float):
            return ValueKind.REAL, int(np.float64(value).view(np.int64))
        if isinstance(value, int):
            if -(1 << 63) <= value < 1 << 63:
                return ValueKind.INTEGER, value
            if 0 <= value < 1 << 64:
                return ValueKind.UNSIGNED, value - (1 << 64)
        self.objects.append(value)
        return ValueKind.TEXT if isinstance(value, str) else ValueKind.OTHER, len(self.objects) - 1


def first_of(arguments: Iterable[tuple[str, object]], name: str) -> tuple[object, bool]:
    """The first value of that name, and whether there is one."""
    for key, value in arguments:
        if key == name:
            return value, True
    return None, False
