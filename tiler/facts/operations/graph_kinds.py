"""The kinds of a track's operations with the instructions that kernels of graphs run.

An event of a graph is of a further kind where its instruction is known: the same kernel may run several. Which one it
is follows from the order of the execution that it is in, as it is stored, and from the program: from no window.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from tilescope.tiler.errors import NotBuilt
from tilescope.tiler.facts.hlo import HloDamage, Program, hlo_module, programs_of
from tilescope.tiler.facts.operations.graph_attribution import Attributed, Attribution, GraphKernel
from tilescope.tiler.facts.operations.graph_launches import ProgramLaunches
from tilescope.tiler.facts.operations.graph_operations import GraphOperations
from tilescope.tiler.facts.operations.kind_sums import KindSums
from tilescope.tiler.facts.operations.track_records import track_kinds
from tilescope.tiler.pages import decompress
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.records.device.graph_executions import GRAPH_EXECUTIONS, GraphExecutions
from tilescope.tiler.records.device.operations import OperationKind, OperationKinds, TrackKinds

Ints = NDArray[np.int64]

_Graph = tuple[str, str]  # program and name, as `OperationKind.instruction` has them


@dataclass(frozen=True, slots=True)
class AttributedKinds:
    """The kinds of a track, behind its own those of kernels whose instruction was found."""

    kinds: TrackKinds
    graphs: GraphOperations | None = None  # None: the track has none
    ways: Mapping[int, str] = field(default_factory=dict)  # of kinds of graphs by their places: a `Way`, or `LEFT`
    notes: tuple[str, ...] = ()


LEFT: Final = "left"

_CUT: Final = (
    "there are more executions of graphs on a track than are kept: kernels of the others stay with their graphs"
)


class GraphTimes:
    """Time of the kernels of graphs, by the way in which their instruction was found, ps."""

    def __init__(self) -> None:
        self.by_way: dict[str, int] = {}
        self.notes: list[str] = []

    def add(self, attributed: AttributedKinds, sums: KindSums) -> None:
        """Adds those of a track."""
        self.notes += [note for note in attributed.notes if note not in self.notes]
        for place, way in attributed.ways.items():
            if sums.total[place]:
                self.by_way[way] = self.by_way.get(way, 0) + int(sums.total[place])


# Of an execution: it takes some µs for each, in one piece. A real graph has some thousand.
MAX_KERNELS: Final = 1 << 16
# Kinds of kernels with their instructions, of a track: some 50 MB.
MAX_FURTHER: Final = 1 << 16
_LONG: Final = f"an execution of a graph has more than {MAX_KERNELS:,} kernels: they stay with the graph"

_MANY: Final = f"kernels of graphs run more than {MAX_FURTHER:,} instructions: those beyond stay with their graphs"


def attributed_kinds(reader: QueryReader, track: int, streams: Sequence[int]) -> Interruptible[AttributedKinds | None]:
    """Kinds of graphs of a track; None: its operations are not kept. Raises DamagedStore, NotBuilt.

    `streams`: all tracks of its device.
    """
    kinds = track_kinds(reader, track)
    if kinds is None:
        return None
    attributed = _ATTRIBUTED.get(reader, track)
    if attributed is None:
        record = reader.store.get(GRAPH_EXECUTIONS, track)
        if record is None:
            return AttributedKinds(kinds)
        executions = GraphExecutions.decode(decompress(record), len(kinds.kinds))
        attributed, is_final = yield from _attributed(reader, track, streams, kinds, executions)
        if is_final:
            _ATTRIBUTED.keep(reader, track, attributed)
    return attributed


def _attributed(
    reader: QueryReader, track: int, streams: Sequence[int], kinds: TrackKinds, executions: GraphExecutions
) -> Interruptible[tuple[AttributedKinds, bool]]:
    """The kinds, and whether they stay: a run that is being indexed has no programs yet, and not all streams."""
    graphs = _Graphs(reader, track, kinds, executions)
    is_final = True
    try:
        yield from graphs.read_streams([stream for stream in streams if stream != track])
        yield from graphs.read_programs()
    except NotBuilt:
        is_final = False
    own = OperationKinds.of(kinds.kinds)
    metadata, stats = own.metadata.tolist(), dict(own.stats)
    further: dict[tuple[int, Attributed], int] = {}
    ways: dict[int, str] = {}
    kind, is_left, begins = [], [], []
    by_pattern = yield from graphs.attributed()
    for number, (pattern, instructions) in enumerate(zip(executions.patterns, by_pattern, strict=True)):
        if number in graphs.no_graphs:
            kind.append(pattern)
            is_left.append(np.zeros(len(pattern), np.bool_))
            begins.append(np.zeros(len(pattern), np.bool_))
            continue
        places, left = [], np.zeros(len(pattern), np.bool_)
        for position, (base, instruction) in enumerate(zip(pattern.tolist(), instructions, strict=True)):
            place = further.get((base, instruction)) if instruction is not None else None
            if place is None and instruction is not None and len(further) < MAX_FURTHER:
                place = further[base, instruction] = len(metadata)
                metadata.append(metadata[base])
                stats[place] = {**stats[base], "hlo_op": instruction.instruction}
            if place is None and instruction is not None and _MANY not in graphs.notes:
                graphs.notes.append(_MANY)
            left[position] = place is None
            # Executions that are not kept are of these kinds too.
            ways.setdefault(base, LEFT)
            if place is not None and instruction is not None:
                ways[place] = instruction.way
            places.append(base if place is None else place)
        kind.append(np.array(places, np.int64))
        is_left.append(left)
        begins.append(left & (np.cumsum(left) == 1))
    offset = np.cumsum([0, *map(len, executions.patterns)]).astype(np.int64)
    columns = (_joined(parts, dtype) for parts, dtype in ((kind, np.int64), (is_left, np.bool_), (begins, np.bool_)))
    operations = GraphOperations(executions, offset, *columns)
    every = OperationKinds(np.array(metadata, np.int64), stats)
    notes = (*graphs.notes, *((_CUT,) if executions.is_cut else ()))
    return AttributedKinds(structs.replace(kinds, kinds=every), operations, ways, notes), is_final


def _joined(parts: Sequence[NDArray[Any]], dtype: type[np.generic]) -> NDArray[Any]:
    return np.concatenate([np.zeros(0, dtype), *parts])


class _Graphs:
    """Looks up the instructions of the patterns of a track."""

    def __init__(self, reader: QueryReader, track: int, kinds: TrackKinds, executions: GraphExecutions) -> None:
        self.notes: list[str] = []
        self._reader = reader
        self._file = reader.file_of(track)
        self._kinds = kinds.kinds
        self._executions = executions
        self._programs: dict[str, ProgramLaunches] = {}
        self._attributions: dict[tuple[_Graph, bool], Attribution | None] = {}
        self.no_graphs: set[int] = set()  # patterns of kernels whose instruction is named, which is no graph
        # Of each program the names of its kernels, and the instructions that run outside of its graphs.
        self._names: dict[str, set[str]] = {}
        self._apart: dict[str, set[str]] = {}
        of_graphs = np.unique(np.concatenate([np.zeros(0, np.int64), *executions.patterns])).tolist()
        self._kernels = {place: self._kernel(kinds.kinds[place]) for place in of_graphs}
        self._graph_of: dict[int, _Graph] = {place: kinds.kinds[place].instruction for place in of_graphs}
        self._at_ends = self._cut_patterns()
        self._cut = {number for ends in self._at_ends for number in ends}
        self._graph_names = set(self._graph_of.values())
        self._spread: set[_Graph] = set()  # graphs that run on several streams
        self._add_kinds(kinds)

    def _add_kinds(self, kinds: TrackKinds) -> None:
        """Takes the names and the instructions of a stream of the device."""
        programs = {program for program, _ in self._graph_names}
        for place in OperationKinds.of(kinds.kinds).stats:
            kind = kinds.kinds[place]
            program, name = kind.instruction
            if program in programs:
                self._names.setdefault(program, set()).add(self._kernel(kind).name)
                if (program, name) not in self._graph_names:
                    self._apart.setdefault(program, set()).add(name)

    def read_streams(self, streams: Sequence[int]) -> Interruptible[None]:
        """Reads the kinds of other streams of the device. Raises DamagedStore, NotBuilt."""
        for stream in streams:
            kinds = track_kinds(self._reader, stream)
            if kinds is None or self._reader.file_of(stream) != self._file:
                continue
            self._add_kinds(kinds)
            for place in OperationKinds.of(kinds.kinds).stats:
                graph = kinds.kinds[place].instruction
                if graph in self._graph_names:
                    self._spread.add(graph)
            yield

    def _graph(self, place: int) -> _Graph:
        return self._graph_of[place]

    def _kernel(self, kind: OperationKind) -> GraphKernel:
        name = kernel_kind_name(self._reader, self._file, kind)
        return GraphKernel(name, "memcpy_details" not in kind.stats and not name.startswith(_MEMORY))

    def read_programs(self) -> Interruptible[None]:
        """Reads the programs that have graphs. Raises NotBuilt while the run is indexed."""
        programs = programs_of(self._reader)
        for number in sorted({self._graph(int(pattern[0]))[0] for pattern in self._executions.patterns}):
            program = _program(programs, self._file, number, self._module_name(number))
            if program is None:
                continue
            try:
                module = yield from hlo_module(self._reader, program)
            except HloDamage:
                continue  # whoever asks for its instructions says it
            self._programs[number] = yield from ProgramLaunches.from_module(module)

    def _module_name(self, program: str) -> str:
        kinds = (self._kinds[int(pattern[0])] for pattern in self._executions.patterns)
        return next(kind.module_name for kind in kinds if kind.instruction[0] == program)

    def attributed(self) -> Interruptible[list[list[Attributed | None]]]:
        """The instruction of each operation of each pattern."""
        by_pattern: list[list[Attributed | None]] = []
        for number, pattern in enumerate(self._executions.patterns):
            by_pattern.append((yield from self._instructions(number, pattern)))
            yield
        self._complete(by_pattern)
        return by_pattern

    def _complete(self, by_pattern: list[list[Attributed | None]]) -> None:
        """Takes those of the first and last execution of a graph, which the capture may cut, from whole ones."""
        patterns = self._executions.patterns
        of_graph: dict[_Graph, list[int]] = {}
        for number, pattern in enumerate(patterns):
            of_graph.setdefault(self._graph(int(pattern[0])), []).append(number)
        for is_last, ends in enumerate(self._at_ends):
            for number in ends:
                graph = self._graph(int(patterns[number][0]))
                cut = patterns[number]
                parts = [
                    slice(None, len(cut)) if is_last else slice(len(patterns[other]) - len(cut), None)
                    for other in of_graph[graph]
                ]
                matches = {
                    tuple(by_pattern[other][part])
                    for other, part in zip(of_graph[graph], parts, strict=True)
                    if len(patterns[other]) > len(cut) and np.array_equal(patterns[other][part], cut)
                }
                if len(matches) == 1:
                    by_pattern[number] = list(matches.pop())

    def _cut_patterns(self) -> tuple[Sequence[int], Sequence[int]]:
        """Patterns that only the first execution of a graph has, and those that only the last one has."""
        patterns, executions = self._executions.patterns, self._executions.pattern
        graphs = [self._graph(int(pattern[0])) for pattern in patterns]
        once = np.bincount(executions, minlength=len(patterns)) == 1
        firsts = {graphs[number]: number for number in executions[::-1].tolist()}
        lasts = {graphs[number]: number for number in executions.tolist()}
        return [place for place in firsts.values() if once[place]], [place for place in lasts.values() if once[place]]

    def _instructions(self, number: int, pattern: Ints) -> Interruptible[list[Attributed | None]]:
        graph = self._graph(int(pattern[0]))
        is_cut = number in self._cut
        key = graph, is_cut
        if key not in self._attributions:
            self._attributions[key] = yield from self._attribution(graph, is_cut=is_cut)
        attribution = self._attributions[key]
        if attribution is None:
            if graph[0] in self._programs:
                self.no_graphs.add(number)
            return [None] * len(pattern)
        if len(pattern) > MAX_KERNELS:
            if _LONG not in self.notes:
                self.notes.append(_LONG)
            return [None] * len(pattern)
        # Kinds beyond those that are kept say no instruction.
        if any(self._graph(kind) != graph for kind in np.unique(pattern).tolist()):
            self.no_graphs.add(number)
            return [None] * len(pattern)
        return attribution.attribute([self._kernels[kind] for kind in pattern.tolist()])

    def _attribution(self, graph: _Graph, *, is_cut: bool) -> Interruptible[Attribution | None]:
        """That of the executions of a graph; None: its program is not known, or it is no graph.

        `is_cut`: the capture may have a part of the execution alone.
        """
        program, name = graph
        launches = self._programs.get(program)
        instructions = None if launches is None else (yield from launches.graph(name, self._apart.get(program, ())))
        if instructions is None:
            return None
        if is_cut:
            instructions = replace(instructions, is_whole=False)
        if graph in self._spread:  # each stream has some of its kernels, and no order has them all
            instructions = replace(instructions, is_ordered=False)
        return Attribution(instructions, self._names.get(program, ()))


_MEMORY: Final = ("Memset", "Memcpy")  # operations of memory that are no kernels


def kernel_kind_name(reader: QueryReader, file: int, kind: OperationKind) -> str:
    """The name of a kernel; "" unknown."""
    tables = reader.event_metadata(file)
    if tables is None or kind.metadata < 0:
        return ""
    number = int(tables.name[kind.metadata])
    return reader.names[number].text if number >= 0 else tables.entry(kind.metadata).name


def _program(programs: Sequence[Program], file: int, number: str, module_name: str) -> Program | None:
    """The program with an id, or else the only one with a name."""
    of_file = [program for program in programs if program.file == file]
    with_id = [program for program in of_file if program.id == number]
    for name in (number, module_name):
        named = [program for program in of_file if program.name == name]
        if with_id or len(named) == 1:
            return (with_id or named)[0]
    return None


def _size(attributed: AttributedKinds) -> int:
    """About what it takes."""
    kinds = OperationKinds.of(attributed.kinds.kinds)
    rows = 0 if attributed.graphs is None else len(attributed.graphs.kind)
    return len(kinds.stats) * _KIND_BYTES + rows * _ROW_BYTES


_KIND_BYTES: Final = 600  # of a kind with stats, as in `track_records`
_ROW_BYTES: Final = 18

_ATTRIBUTED: Final = KeyedRunCache[int, AttributedKinds](
    "graph_operations", "Instructions that kernels of graphs run", _size
)
