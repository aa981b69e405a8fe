"""Values of arguments as a column of one type: what an argument of many events is, whatever it is in each of them.

Whole numbers stay whole, of any size; numbers of which some are not whole are doubles, where each is what it was; flags
are flags. Anything else, or a mixture, is texts: those of JSON for what is no text. What is absent, null, or a double
that is not finite, is not there.
"""

from __future__ import annotations

import json
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details.values import ValueKind, Values
from tilescope.tiler.tools.answer import INTEGER_KINDS, Column, values_of
from tilescope.tiler.words import Words

Ints = NDArray[np.int64]

_EXACT: Final = 1 << 53  # whole numbers up to here are doubles, too
_WHOLE: Final = frozenset({ValueKind.INTEGER, ValueKind.UNSIGNED})
_IN_OBJECTS: Final = (ValueKind.TEXT, ValueKind.OTHER)


class ValueColumn:
    """Values of one argument, gathered part by part."""

    def __init__(self) -> None:
        self._kinds: list[NDArray[np.uint8]] = []
        self._bits: list[Ints] = []
        self._objects: list[object] = []
        self._texts: dict[str, int] = {}  # places among the objects

    def add(self, values: Values) -> None:
        """The values of the next events."""
        kind, bits = values.kind.copy(), values.bits.copy()
        real = values.where(ValueKind.REAL)
        kind[real[~np.isfinite(values.reals[real])]] = ValueKind.ABSENT
        kind[kind == ValueKind.NULL] = ValueKind.ABSENT
        for object_kind in _IN_OBJECTS:
            rows = values.where(object_kind)
            distinct, inverse = np.unique(bits[rows], return_inverse=True)
            bits[rows] = np.array([self._place(values.objects[index]) for index in distinct.tolist()], np.int64)[
                inverse
            ]
        self._kinds.append(kind)
        self._bits.append(bits)

    def add_column(self, column: Column) -> None:
        """The values of a column that was made in this way, of the events that follow."""
        self.add(_values(column))

    def column(self, name: str, title: str) -> Column:
        """All of them."""
        values = Values(
            np.concatenate([np.zeros(0, np.uint8), *self._kinds]),
            np.concatenate([np.zeros(0, np.int64), *self._bits]),
            self._objects,
        )
        missing = values.kind == ValueKind.ABSENT
        kinds = {ValueKind(kind) for kind in np.unique(values.kind).tolist()} - {ValueKind.ABSENT}
        if kinds == {ValueKind.INTEGER}:
            whole = np.ma.MaskedArray(values.bits, missing) if missing.any() else values.bits
            return Column(name, title, "count", whole, total="none")
        if kinds and kinds <= _WHOLE | {ValueKind.OTHER} and self._are_whole(values):
            wide = [values.value(row) for row in range(len(values))]
            return Column(name, title, "count", np.array(wide, object), total="none")
        if ValueKind.REAL in kinds and kinds <= {ValueKind.REAL, ValueKind.INTEGER}:
            rows = values.where(ValueKind.INTEGER)
            whole = values.bits[rows]
            if bool(np.all((whole >= -_EXACT) & (whole <= _EXACT))):
                doubles = values.reals.copy()
                doubles[rows] = whole
                doubles[missing] = np.nan
                return Column(name, title, "number", doubles, total="none")
        if kinds == {ValueKind.FLAG}:
            flags: Any = values.bits.astype(np.bool_)
            if missing.any():
                flags = [None if none else flag for flag, none in zip(flags.tolist(), missing.tolist(), strict=True)]
            return Column(name, title, "flag", flags, total="none")
        return Column(name, title, "text", self._texts_of(values, kinds), total="none")

    def _are_whole(self, values: Values) -> bool:
        others = np.unique(values.bits[values.where(ValueKind.OTHER)])
        return all(isinstance(values.objects[index], int) for index in others.tolist())

    def _texts_of(self, values: Values, kinds: set[ValueKind]) -> Words:
        codes = np.full(len(values), -1, np.int32)
        words: dict[str, int] = {}
        for kind in sorted(kinds):
            rows = values.where(kind)
            _, first, inverse = np.unique(values.bits[rows], return_index=True, return_inverse=True)
            word_places = [words.setdefault(_text(values.value(row)), len(words)) for row in rows[first].tolist()]
            codes[rows] = np.array(word_places, np.int32)[inverse]
        return Words(codes, list(words))

    def _place(self, value: object) -> int:
        if not isinstance(value, str):
            self._objects.append(value)
            return len(self._objects) - 1
        place = self._texts.setdefault(value, len(self._objects))
        if place == len(self._objects):
            self._objects.append(value)
        return place


def _text(value: object) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) <= _EXACT:
        value = int(value)  # a whole number is the same whatever it stood among
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.encode("utf-8", "replace").decode()  # half a character does not travel


def _values(column: Column) -> Values:
    data = column.values
    values = Values(np.zeros(len(data), np.uint8), np.zeros(len(data), np.int64))
    if isinstance(data, Words):
        values.objects = list(data.words)
        values.kind[data.codes >= 0] = ValueKind.TEXT
        values.bits[:] = data.codes
    elif isinstance(data, np.ndarray) and data.dtype == np.float64:
        values.kind[np.isfinite(data)] = ValueKind.REAL
        values.bits[:] = data.view(np.int64)
    elif isinstance(data, np.ndarray) and data.dtype == np.int64 and column.kind in INTEGER_KINDS:
        missing = np.ma.getmaskarray(data)
        values.kind[~missing] = ValueKind.INTEGER
        values.bits[:] = np.ma.getdata(data)
    else:
        rows = [row for row, value in enumerate(values_of(column)) if value is not None]
        cells = values_of(column)
        values.put(rows, [cells[row] for row in rows])
    return values
