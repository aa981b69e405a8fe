"""Makes the record of a track's executions of graphs, of the operations and the arguments of its events."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.details.xstat_tables import XStatTables
from tilescope.tiler.records.device.graph_executions import GraphExecutions

Ints = NDArray[np.int64]

_GRAPH_ID: Final = "cuda_graph_id"
COMMAND_BUFFER: Final = "command_buffer"  # the names that XLA gives its graphs begin with it
_NAME: Final = COMMAND_BUFFER.encode()

_LAUNCH: Final = ("correlation_id", _GRAPH_ID)  # events of one launch agree in these, where the trace has them
_INSTRUCTION: Final = ("hlo_op", "hlo_module", "program_id")

# Operations in all patterns of a track, and executions: 8 and 16 MB. A graph has up to some ten thousand nodes, and
# its kernels run in the same order again and again.
MAX_PATTERN_OPERATIONS: Final = 1 << 20
MAX_EXECUTIONS: Final = 1 << 20

# Kinds of operations: those beyond are of no graph.
_MAX_KINDS: Final = 1 << 16

_REFERENCE, _TEXT = 3, 4  # how a stat is written, as the native module has it


class _Graph(NamedTuple):
    """The launch of a graph."""

    instruction: int
    correlation: int  # -1: the trace does not say
    graph: int  # -1 the same


class GraphMaker:
    """Takes the operations of one track in canonical order, in pieces.

    An execution is a stretch of operations of one graph that one launch has. Where the trace does not say which launch,
    it ends where something else runs.
    """

    def __init__(self, tables: XStatTables, plane: int, tick_ps: int) -> None:
        """`plane`: number of the track's plane in the tables."""
        ids = tables.stat_ids(plane)
        of_kind = [ids.get(name, []) for name in _INSTRUCTION]
        launch = [ids.get(name, []) for name in _LAUNCH]
        self._reader = _native.Operations([], [], launch, of_kind, _MAX_KINDS, tick_ps)
        self._names = tables.planes[plane].stat_names
        self._has_instructions = bool(of_kind[0])
        # Whether operations of graphs may come: tables have all texts that events refer to.
        self._may_come = self._has_instructions and any(
            name == _GRAPH_ID or name.startswith(COMMAND_BUFFER) for name in self._names.values()
        )
        self._instructions: dict[object, int] = {}
        self._instruction = np.zeros(0, np.int64)  # of each kind of the reader; -1 none
        self._is_buffer = np.zeros(0, np.bool_)  # of each whether XLA calls it a graph
        self._count = 0  # operations so far
        self._open: _Graph | None = None  # the execution that goes on,
        self._first = 0  # its first operation,
        self._kinds: list[Ints] = []  # and the kinds of its operations
        self._patterns: dict[bytes, int] = {}
        self._pattern_operations = 0
        # Of each execution its first operation, and the place of its pattern.
        self._executions_first, self._executions_pattern = array("q"), array("q")
        self._is_cut = False

    def add(self, args_end: Ints, begin: int, args: NDArray[np.uint8], start: Ints, duration: Ints, kind: Ints) -> None:
        """Takes operations: arguments as `OperationMaker` takes them, and the kind that it gave each."""
        if not self._may_come:
            # Texts are in the arguments where they are not in the tables: a look at the bytes is quicker than reading.
            self._may_come = self._has_instructions and _NAME in args[begin : int(args_end[-1])].tobytes()
        if self._may_come:
            self._add(self._reader.add(args_end, begin, args, start, duration), kind)
        self._count += len(kind)

    def _add(self, columns: Sequence[Any], kind: Ints) -> None:
        """`columns`: as the native module returns them."""
        own_kind, _, _, texts, numbers, _ = columns
        self._look_at_kinds()
        correlation, graph = (_column(texts, column, len(kind)) for column in numbers)
        instruction = self._instruction[own_kind]
        is_graph = (instruction >= 0) & (self._is_buffer[own_kind] | (graph > 0))
        columns = [np.where(is_graph, column, -1) for column in (instruction, correlation, graph)]
        borders = np.zeros(len(kind), np.bool_)
        borders[:1] = True
        for column in columns:
            borders[1:] |= np.diff(column) != 0
        starts = np.flatnonzero(borders)
        stops = np.append(starts[1:], len(kind))
        rows = zip(starts.tolist(), stops.tolist(), *(column[starts].tolist() for column in columns), strict=True)
        for first, stop, *launch in rows:
            self._add_stretch(_Graph(*launch), self._count + first, kind[first:stop])

    def _add_stretch(self, graph: _Graph, first: int, kinds: Ints) -> None:
        if graph != self._open:
            self._close()
            if graph.instruction < 0:
                return
            self._open, self._first = graph, first
        # Longer ones are not kept: what they hold is not needed.
        if sum(map(len, self._kinds)) <= MAX_PATTERN_OPERATIONS:
            self._kinds.append(kinds.astype(np.int64))

    def _close(self) -> None:
        if self._open is None:
            return
        pattern, self._open, self._kinds = np.concatenate(self._kinds).tobytes(), None, []
        size = len(pattern) // np.dtype(np.int64).itemsize
        place = self._patterns.get(pattern)
        is_beyond = place is None and self._pattern_operations + size > MAX_PATTERN_OPERATIONS
        if is_beyond or len(self._executions_first) >= MAX_EXECUTIONS:
            self._is_cut = True
            return
        if place is None:
            place = self._patterns[pattern] = len(self._patterns)
            self._pattern_operations += size
        self._executions_first.append(self._first)
        self._executions_pattern.append(place)

    def finish(self) -> GraphExecutions | None:
        """Executions of all that was added; None: the track has no graphs."""
        self._close()
        if not self._executions_first and not self._is_cut:
            return None
        first, pattern = (np.array(entries, np.int64) for entries in (self._executions_first, self._executions_pattern))
        return GraphExecutions(
            [np.frombuffer(kinds, np.int64) for kinds in self._patterns], first, pattern, self._is_cut
        )

    def _look_at_kinds(self) -> None:
        """Adds the instructions of kinds that are new."""
        before = len(self._instruction)
        new = len(self._reader.kinds_from(before))
        if not new:
            return
        _, with_stats = self._reader.kinds()
        instruction, is_buffer = np.full(new, -1, np.int64), np.zeros(new, np.bool_)
        for place, stats in with_stats:
            form, bits, text = stats[0]
            if place >= before and form:
                instruction[place - before] = self._instructions.setdefault(tuple(stats), len(self._instructions))
                name = self._names.get(bits, "") if form == _REFERENCE else text.decode("utf-8", "replace")
                is_buffer[place - before] = form in (_REFERENCE, _TEXT) and name.startswith(COMMAND_BUFFER)
        self._instruction = np.concatenate([self._instruction, instruction])
        self._is_buffer = np.concatenate([self._is_buffer, is_buffer])


def _column(texts: Ints, values: Ints, size: int) -> Ints:
    """A number of all operations, -1 where they have none; `told`: the places of those that have any number."""
    column = np.full(size, -1, np.int64)
    if len(values):
        column[texts] = _padded(values, len(texts))
    return column


def _padded(values: Ints, size: int) -> Ints:
    """Native columns end with the last operation that has the number."""
    return np.concatenate([values, np.full(size - len(values), -1, np.int64)])
