"""Which events have arguments with some values. There is no index of them: chunks of arguments are gone through."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.details.chunk import Chunk
from tilescope.tiler.details.wire import varint
from tilescope.tiler.details.xstat_tables import XStatTables
from tilescope.tiler.pages import decompress
from tilescope.tiler.query import QueryReader, Steps
from tilescope.tiler.search.language import Argument, Comparison

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

# Chunks that are kept inflated, each of a quarter of a megabyte: a search by time takes turns between tracks.
_KEPT_CHUNKS: Final = 160

_VARINT_BYTES: Final = 10

# As native code numbers the kinds of stats.
_NONE, _INTEGER, _UNSIGNED, _DOUBLE, _REFERENCE, _TEXT = range(6)


def holds(argument: Argument, value: object) -> bool:
    """Whether a value is as a query wants it: equal as text, or as a number; greater or less as a number."""
    if argument.comparison == "=" and shown(value) == argument.value:
        return True
    number, wanted = _number(value), argument.number
    return number is not None and wanted is not None and _compare(number, argument.comparison, wanted)


def shown(value: object) -> str:
    """A value as text: that of JSON for what is no text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else str(value)


class ArgumentTest:
    """Holds events against the arguments that a query names: all of these must be as it wants them."""

    def __init__(self, reader: QueryReader, arguments: Sequence[Argument]) -> None:
        self._reader = reader
        self._arguments = arguments
        self._chunk = lru_cache(_KEPT_CHUNKS)(self._read)
        self._shared: dict[tuple[int, int, int], bool] = {}  # of metadata that events share

    def holds(self, track: Ints, ordinal: Ints) -> Steps[Mask]:
        """Which of these events have such arguments. Raises DamagedStore."""
        found = np.zeros(len(track), np.bool_)
        order = np.lexsort((ordinal, track))
        borders = np.flatnonzero(np.diff(track[order])) + 1
        for which in np.split(order, borders) if len(order) else ():
            of, ordinals = int(track[which[0]]), ordinal[which]
            at = 0
            while at < len(which):
                first, chunk = self._chunk_of(of, int(ordinals[at]))
                stop = max(int(np.searchsorted(ordinals, first + len(chunk))), at + 1)
                if ordinals[at] < first + len(chunk):
                    found[which[at:stop]] = self._of_chunk(of, chunk, ordinals[at:stop] - first)
                at = stop
                yield
        return found

    def _chunk_of(self, track: int, ordinal: int) -> tuple[int, Chunk]:
        first = self._reader.store.args_chunk_start(track, ordinal)
        return (ordinal, _EMPTY) if first is None else (first, self._chunk(track, first))

    def _read(self, track: int, first: int) -> Chunk:
        return Chunk.parse(decompress(self._reader.store.args_chunk(track, first)))

    def _of_chunk(self, track: int, chunk: Chunk, positions: Ints) -> Mask:
        ends, args = chunk.take(positions)
        store = self._reader.store
        file = store.file_of(track)
        tables = store.event_metadata(file)
        found = np.ones(len(positions), np.bool_)
        if tables is None:
            return self._decoded(file, ends, args, found)
        for number, argument in enumerate(self._arguments):
            found &= self._stats(file, tables, number, argument, ends, args)
        return found

    def _decoded(self, file: int, ends: Ints, args: NDArray[np.uint8], found: Mask) -> Mask:
        """Of arguments that Python has to read: those that do not have the name in them are passed over."""
        decode = self._reader.store.args_decoder(file)
        data = args.tobytes()
        keys = [argument.key.encode("utf-8", "replace") for argument in self._arguments]
        begin = 0
        for k, end in enumerate(ends.tolist()):
            raw = data[begin:end]
            begin = end
            if b"\\" not in raw and not all(key in raw for key in keys):
                found[k] = False
                continue
            values = decode(raw)
            found[k] = all(
                any(name == argument.key and holds(argument, value) for name, value in values)
                for argument in self._arguments
            )
        return found

    def _stats(
        self, file: int, tables: XStatTables, number: int, argument: Argument, ends: Ints, args: NDArray[np.uint8]
    ) -> Mask:
        """Of XSpace: an event's own stats first, then those that it shares with others of its metadata."""
        found = np.zeros(len(ends), np.bool_)
        first = int(np.searchsorted(ends, 1))
        if first == len(ends):
            return found
        begin = int(ends[first - 1]) if first else 0
        number_of_first, _ = varint(args[begin : begin + _VARINT_BYTES].tobytes(), 0)
        names = tables.planes[int(tables.plane[number_of_first])].stat_names  # those of the whole track
        ids = [stat for stat, name in names.items() if name == argument.key]
        kind, bits, metadata, texts = _native.stat_values(ends, args, ids)
        wanted = argument.number
        for of, values in ((_INTEGER, bits), (_UNSIGNED, bits.view(np.uint64)), (_DOUBLE, bits.view(np.float64))):
            at = np.flatnonzero(kind == of)
            if len(at):
                found[at] = False if wanted is None else _compared(values[at], argument.comparison, wanted)
        for of, text in ((_TEXT, lambda at: texts[at].decode("utf-8", "replace")), (_REFERENCE, _referred(names))):
            at = np.flatnonzero(kind == of)
            if len(at):
                distinct, inverse = np.unique(bits[at], return_inverse=True)
                found[at] = np.array([holds(argument, text(one)) for one in distinct.tolist()], np.bool_)[inverse]
        at = np.flatnonzero((kind == _NONE) & (metadata >= 0))
        if len(at):
            distinct, inverse = np.unique(metadata[at], return_inverse=True)
            shared = [self._is_shared(file, number, argument, one) for one in distinct.tolist()]
            found[at] = np.array(shared, np.bool_)[inverse]
        return found

    def _is_shared(self, file: int, number: int, argument: Argument, metadata: int) -> bool:
        place = file, number, metadata
        if place not in self._shared:
            values = self._reader.store.args_decoder(file)(_varint(metadata))
            self._shared[place] = any(name == argument.key and holds(argument, value) for name, value in values)
        return self._shared[place]


_EMPTY: Final = Chunk(np.zeros(0, np.int64), False, np.zeros(0, np.uint8))


def _referred(names: Mapping[int, str]) -> Callable[[int], str]:
    return lambda stat: names.get(stat, f"[stat {stat}]")


def _varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _number(value: object) -> Fraction | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        # A double means its shortest decimal, as it is shown.
        return Fraction(str(value)) if not isinstance(value, str) or len(value) <= 60 else None
    except (ValueError, OverflowError, ZeroDivisionError):
        return None


def _compare(number: Any, comparison: Comparison, wanted: Any) -> Any:
    if comparison == "=":
        return number == wanted
    if comparison == ">":
        return number > wanted
    if comparison == ">=":
        return number >= wanted
    return number < wanted if comparison == "<" else number <= wanted


def _compared(values: NDArray[Any], comparison: Comparison, wanted: Fraction) -> Mask:
    """Of many numbers of one type. Exactly: a bound between two integers is moved to one of them."""
    if values.dtype == np.float64:
        near = float(wanted)
        found: Mask = _compare(values, comparison, near) & np.isfinite(values)
        found[values == near] = _compare(Fraction(str(near)), comparison, wanted)
        return found
    info = np.iinfo(values.dtype)
    floor = wanted.numerator // wanted.denominator
    if comparison == "=" and floor != wanted:
        return np.zeros(len(values), np.bool_)
    if comparison in (">=", "<") and floor != wanted:
        floor += 1
    if floor < info.min or floor > info.max:
        above = floor > info.max
        return np.full(len(values), comparison in (("<", "<=") if above else (">", ">=")), np.bool_)
    found = _compare(values, comparison, values.dtype.type(floor))
    return found
