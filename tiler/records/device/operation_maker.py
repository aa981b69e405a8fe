"""Makes records of operations of the arguments that events of an XSpace have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.details import chunk
from tilescope.tiler.details.running_ticks import RunningTicks
from tilescope.tiler.details.xstat_tables import XStatTables
from tilescope.tiler.records.device.graph_executions import GraphExecutions
from tilescope.tiler.records.device.graph_maker import GraphMaker
from tilescope.tiler.records.device.operations import (
    CHUNK_OPERATIONS,
    NUMBERS,
    OperationKinds,
    Operations,
    StatValue,
    TrackKinds,
)

Ints = NDArray[np.int64]

# What tells operations of one metadata from each other: kernels of a GPU, which have nothing else.
_OF_KIND: Final = ("kernel_details", "memcpy_details", "hlo_op", "hlo_module", "program_id", "tf_op")
_BEGIN, _DURATION = "device_offset_ps", "device_duration_ps"

# Real captures have some ten thousand on a track. Each takes some hundred bytes of a question's memory.
MAX_KINDS: Final = 1 << 18

_UNSIGNED, _REFERENCE, _TEXT = 2, 3, 4  # how a stat is written, as the native module has it


class OperationMaker:
    """Takes the events of one track in canonical order, in pieces of `CHUNK_OPERATIONS` but for the last."""

    def __init__(self, tables: XStatTables, plane: int, tick_ps: int) -> None:
        """`plane`: number of the track's plane in the tables."""
        self._names = tables.planes[plane].stat_names
        ids = tables.stat_ids(plane)
        self._reader = _native.Operations(
            ids.get(_BEGIN, []),
            ids.get(_DURATION, []),
            [ids.get(name, []) for name in NUMBERS],
            [ids.get(name, []) for name in _OF_KIND],
            MAX_KINDS,
            tick_ps,
        )
        self._graphs = GraphMaker(tables, plane, tick_ps)
        self._bounds: list[tuple[int, int, int, int]] = []
        self._running = RunningTicks()

    def add(self, args_end: Ints, begin: int, args: NDArray[np.uint8], start: Ints, duration: Ints) -> Operations:
        """The operations of some events: those of event k are args[args_end[k-1]:args_end[k]], from `begin` on."""
        made = self._made(*self._reader.add(args_end, begin, args, start, duration), start, duration)
        self._graphs.add(args_end, begin, args, start, duration, made.kind)
        return made

    def add_with_arguments(
        self, args_end: Ints, begin: int, args: NDArray[np.uint8], start: Ints, duration: Ints
    ) -> tuple[Operations, Iterator[tuple[int, bytes]]]:
        """The same, and the chunks of their arguments, each with the place of its first event."""
        columns, chunks = self._reader.add_with_chunks(
            args_end, begin, args, start, duration, chunk.CHUNK_EVENTS, chunk.CHUNK_BYTES
        )
        made = self._made(*columns, start, duration)
        self._graphs.add(args_end, begin, args, start, duration, made.kind)
        return made, chunk.operation_chunks(chunks, made.duration)

    def _made(
        self,
        kind: Ints,
        parent: Ints,
        taken: Ints,
        told: Ints,
        numbers: list[Ints],
        stop: int,
        start: Ints,
        duration: Ints,
    ) -> Operations:
        busy = self._running.add(start, duration, start[:1])
        self._bounds.append((int(start[0]), int(start[-1]), stop, int(busy[0])))
        some = {name: column for name, column in zip(NUMBERS, numbers, strict=True) if len(column)}
        return Operations(kind, parent, taken, told, some)

    def metadata_from(self, first: int) -> Ints:
        """The metadata of the kinds so far, from this place on; -1 none."""
        return self._reader.kinds_from(first)

    def kinds(self) -> TrackKinds:
        """Those of all that was added."""
        bounds = np.array(self._bounds, np.int64).reshape(-1, 4).T
        reader = self._reader
        metadata, with_stats = reader.kinds()
        stats = {
            place: {name: self._value(*of) for name, of in zip(_OF_KIND, stats, strict=True) if of[0]}
            for place, stats in with_stats
        }
        kinds = OperationKinds(metadata, stats)
        return TrackKinds(kinds, reader.is_cut, reader.first, reader.last, *bounds)

    def graph_executions(self) -> GraphExecutions | None:
        """Executions of graphs among all that was added; None: the track has none. To be asked once, at the end."""
        return self._graphs.finish()

    def _value(self, kind: int, bits: int, text: bytes) -> StatValue:
        if kind == _TEXT:
            return text.decode("utf-8", "replace")
        if kind == _REFERENCE:
            return self._names.get(bits, f"[stat {bits}]")
        return bits % (1 << 64) if kind == _UNSIGNED else bits


def pieces(count: int) -> Iterator[slice]:
    """The events of a track, a record at a time."""
    for first in range(0, count, CHUNK_OPERATIONS):
        yield slice(first, min(first + CHUNK_OPERATIONS, count))
