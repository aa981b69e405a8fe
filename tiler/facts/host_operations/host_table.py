"""The operations of hosts in any windows, a row for each: what input pipelines and framework statistics are made of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, replace
from itertools import groupby
from typing import Final

import numpy as np

from tilescope.tiler.device_lines import HOST_PLANE
from tilescope.tiler.facts.devices import plane_of
from tilescope.tiler.facts.host_operations.event_ops import EventOps
from tilescope.tiler.facts.host_operations.naming import HostOp, OpSource, pytorch_type
from tilescope.tiler.facts.host_operations.op_sums import OpSums
from tilescope.tiler.facts.host_operations.operator_split import OperatorKey, OperatorSplit, place_of
from tilescope.tiler.facts.host_operations.shaped_ops import ShapedOps
from tilescope.tiler.facts.stacks.frame_kinds import OPERATORS, frame_threads
from tilescope.tiler.query import Interruptible, QueryReader, finish
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.windows import Windows, WindowsOf

# Of operations by number: count, total and own time, the longest.
Sums = dict[int, tuple[int, int, int, int]]

_ROW_BYTES: Final = 200  # of sums of whole tracks
_MAX_ROWS: Final = 200_000  # of these sums, however much may be cached: one question reads all tracks of a run


@dataclass(slots=True)
class HostOperation:
    """All operations of one name, or of one key, on all threads that are looked at. Times in ticks of the timeline."""

    op: HostOp  # `is_eager`: some of them are
    name: int  # what its events are called in the timeline: id of the name, one where there are several
    count: int = 0  # that start in the windows
    total: int = 0  # of what lies in the windows
    own: int = 0  # without the operations in it
    longest: int = 0  # of those that start in the windows, not clipped
    track: int = -1  # the one that has most of its time; -1 of calls before the windows
    place: int = -1  # track or group, where operations of one name are told apart by these

    @property
    def key(self) -> OperatorKey:
        """Name, shapes and place that its calls have in common."""
        return OperatorKey(self.op.name, self.op.shapes, self.place)


@dataclass(slots=True)
class HostTable:
    """`operations` in the order in which they are met."""

    operations: list[HostOperation]
    span: int  # of all threads together, from the first operation of each to the end of its last one, ticks
    threads: list[int]  # tracks that have operations, whether in the windows or not

    @property
    def busy(self) -> int:
        """Ticks in which any operation runs, summed over threads."""
        return sum(operation.own for operation in self.operations)

    @property
    def idle(self) -> int:
        """Ticks in which none does."""
        return self.span - self.busy

    def add_launching(self, names: Mapping[OperatorKey, int]) -> None:
        """Adds operators of PyTorch that only launch what runs in the windows: they were called before.

        `names`: what their events are called, ids of names.
        """
        called = {operation.key for operation in self.operations}
        for key in sorted(names.keys() - called, key=astuple):
            op = HostOp(key.name, pytorch_type(key.name), OpSource.PYTORCH, shapes=key.shapes)
            self.operations.append(HostOperation(op, names[key], place=key.place))


def host_threads(reader: QueryReader) -> list[int]:
    """The tracks that are threads of hosts of an XSpace: plane `/host:CPU`. Of PyTorch: `frame_threads`."""
    groups = reader.tree.groups
    planes = {group for group, entry in enumerate(groups) if plane_of(entry) == HOST_PLANE}
    return [track for track in reader.tree.leaves(None) if reader.tree.tracks[track].group in planes]


def framework_threads(reader: QueryReader) -> Interruptible[list[int]]:
    """The tracks on which operations of a framework may run: threads of an XSpace, and those of PyTorch's operators.

    Raises DamagedStore.
    """
    return sorted({*host_threads(reader), *(yield from frame_threads(reader, OPERATORS))})


def host_operations(
    reader: QueryReader, threads: Iterable[int], windows_of: WindowsOf, split: OperatorSplit = "operator"
) -> Interruptible[HostTable]:
    """The operations of some threads, in the windows of each. Raises DamagedStore, NotBuilt, UsageError."""
    run_operations = _run_operations(reader, split)
    rows: dict[tuple[OperatorKey, int | None], HostOperation] = {}
    most: dict[tuple[OperatorKey, int | None], int] = {}
    table = HostTable([], 0, [])
    for file, of_file in groupby(sorted(threads, key=reader.file_of), key=reader.file_of):
        tracks = sorted(of_file)
        if not (yield from run_operations.learn(file)):
            continue
        for track in tracks:
            span = run_operations.sums.span(track)
            yield
            if span is None:
                continue
            windows = windows_of(track)
            table.threads.append(track)
            table.span += windows.clipped(*span).ticks
            for number, (count, total, own, longest) in (yield from run_operations.track_sums(track, windows)).items():
                op = run_operations.ops.ops[number]
                place = place_of(reader, track, split)
                key = OperatorKey(op.name, op.shapes, place), op.stage
                row = rows.setdefault(key, HostOperation(op, run_operations.ops.names[number], place=place))
                row.count += count
                row.total += total
                row.own += own
                row.longest = max(row.longest, longest)
                row.op = _joined(row.op, op)
                if total > most.get(key, -1):
                    most[key], row.track = total, track
    table.operations = [row for row in rows.values() if row.count or row.total]
    return table


def _joined(first: HostOp, other: HostOp) -> HostOp:
    """Two of one name, of which one may say more than the other."""
    if first == other:
        return first
    telling = first if first.type else other
    return replace(telling, is_eager=first.is_eager or other.is_eager)


class RunOperations:
    """Host operations of a run that are kept."""

    def __init__(self, reader: QueryReader, split: OperatorSplit) -> None:
        self.ops = ShapedOps(reader) if split == "shapes" else EventOps(reader)
        self.sums = OpSums(reader, self.ops)
        self.threads: defaultdict[int, list[int]] = defaultdict(list)  # by file
        for track in finish(framework_threads(reader)):
            self.threads[reader.file_of(track)].append(track)
        self._end = reader.end
        self._whole: dict[int, Sums] = {}
        self._rows = 0

    @property
    def size_bytes(self) -> int:
        """About what it takes."""
        return self.ops.size_bytes + self.sums.size_bytes + self._rows * _ROW_BYTES

    def learn(self, file: int) -> Interruptible[bool]:
        """Finds out what the names of a file tell; False: there are no operations. Raises DamagedStore."""
        return (yield from self.ops.learn(file, self.threads[file]))

    def track_sums(self, track: int, windows: Windows) -> Interruptible[Sums]:
        """Sums of a track; of whole runs they are cached."""
        is_whole = len(windows) == 1 and windows.start == 0 and windows.stop > self._end
        if not is_whole:
            return (yield from _sums(self.sums, track, windows))
        sums = self._whole.get(track)
        if sums is None:
            sums = yield from _sums(self.sums, track, windows)
            if self._rows + len(sums) <= _MAX_ROWS:
                self._whole[track] = sums
                self._rows += len(sums)
        return sums


_HOST_OPERATIONS: Final = KeyedRunCache[str, RunOperations](
    "host_operations", "Operations on threads of hosts, and their sums", lambda value: value.size_bytes, grows=True
)


def _run_operations(reader: QueryReader, split: OperatorSplit) -> RunOperations:
    kind = "shapes" if split == "shapes" else "names"
    kept = _HOST_OPERATIONS.get(reader, kind)
    if kept is not None and kept.ops.is_full:  # of another range: this one may have fewer
        _HOST_OPERATIONS.clear()
        kept = None
    return kept or _HOST_OPERATIONS.keep(reader, kind, RunOperations(reader, split))


def operator_shapes(reader: QueryReader) -> RunOperations:
    """Operators of a run by name and shapes. One question keeps them: others may give them other numbers."""
    return _run_operations(reader, "shapes")


def _sums(sums: OpSums, track: int, windows: Windows) -> Interruptible[Sums]:
    """Sums of each operation of a track, by number: count, total and own time, the longest."""
    parts = []
    for part in sums.parts(track, windows):
        if part is None:
            yield
        elif len(part.op):
            parts.append(part)
    if not parts:
        return {}
    op, count, total, own, longest = (np.concatenate([getattr(part, column) for part in parts]) for column in _COLUMNS)
    if float(total.sum(dtype=np.float64)) >= _MOST:  # Python's integers have no limit
        total, own = total.astype(object), own.astype(object)
    ops, op_rows = np.unique(op, return_inverse=True)
    columns = [np.zeros(len(ops), column.dtype) for column in (count, total, own)]
    for sums_of, column in zip(columns, (count, total, own), strict=True):
        np.add.at(sums_of, op_rows, column)
    most = np.zeros(len(ops), np.int64)
    np.maximum.at(most, op_rows, longest)
    rows = zip(*(column.tolist() for column in (*columns, most)), strict=True)
    return dict(zip(ops.tolist(), rows, strict=True))


_COLUMNS: Final = ("op", "count", "total", "own", "longest")
_MOST: Final = float(1 << 62)
