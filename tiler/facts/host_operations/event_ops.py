"""Operation of each event of the threads of a host, by its name or, where that does not tell, its arguments."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from threading import Lock
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details.stat_values import metadata_with
from tilescope.tiler.details.wire import WireDamage
from tilescope.tiler.details.xstat_tables import XStatTables
from tilescope.tiler.device_lines import HOST_PLANE
from tilescope.tiler.errors import NotBuilt
from tilescope.tiler.facts.host_operations.naming import HostOp, OpSource, framework_op, host_op, pytorch_op
from tilescope.tiler.lookup.arguments import argument_chunk
from tilescope.tiler.query import ArgumentReader, Interruptible, QueryReader
from tilescope.tiler.records.span_sums import LEFT_OUT

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]

READ: Final = LEFT_OUT - 1  # in place of an operation: the event's arguments tell

_FULL_NAME, _OP, _EAGER = "long_name", "tf_op", "is_eager"
_STAGE, _CATEGORY = "_ipl_stage_id", "_ipl_stage_cat"
_TELLING: Final = (_OP, _CATEGORY, _EAGER)
_READ_ALL: Final = (_FULL_NAME, _OP, _EAGER, _STAGE, _CATEGORY)

_KEPT_FILES: Final = 16  # of each a table with 4 bytes for each name
_ENTRIES_AT_ONCE: Final = 1024
_OPERATION_BYTES: Final = 500


class EventOps:
    """The operations of a run by number, in the order in which they are met: `ops`. Several threads may share it."""

    def __init__(self, reader: QueryReader) -> None:
        self.ops: list[HostOp] = []
        self.names: list[int] = []  # of each the name of its events, one of them
        self._numbers: dict[HostOp, int] = {}
        self._characters = 0  # of the shapes of all of them
        self._lock = Lock()
        self._reader = reader
        self._arguments = ArgumentReader(reader.store)
        self._files: dict[int, tuple[Ints, Codes]] = {}  # name ids, and what they tell
        self._table = lru_cache(_KEPT_FILES)(self._codes_of)

    @property
    def size_bytes(self) -> int:
        """About what it takes."""
        names = sum(columns[0].nbytes + columns[1].nbytes for columns in list(self._files.values()))
        tables = self._table.cache_info().currsize * self._reader.names.count * 4
        read = self._arguments.size_bytes
        return len(self.ops) * _OPERATION_BYTES + self._characters + names + tables + read

    @property
    def is_full(self) -> bool:
        """True where no more operations have room."""
        return False

    def learn(self, file: int, tracks: list[int]) -> Interruptible[bool]:
        """Finds out what the names of a file tell, of which these are the threads; False: there are no operations."""
        if file not in self._files:
            op_of_name: dict[int, int] = {}
            tables = self._metadata(file)
            if tables is None:
                yield from self._by_text(op_of_name)
            else:
                yield from self._by_metadata(file, tracks, tables, op_of_name)
            names = np.array(sorted(op_of_name), np.int64)
            self._files[file] = names, np.array([op_of_name[name] for name in names.tolist()], np.int32)
        return bool(len(self._files[file][0]))

    def telling(self, file: int) -> NDArray[np.bool_]:
        """Mask of names whose events may be operations; that of events without one first."""
        may_be_ops: NDArray[np.bool_] = self._table(file) != LEFT_OUT
        return may_be_ops

    def of_events(self, track: int, names: Ints, ordinals: Ints) -> Codes:
        """The operation of each of some events of a track by number, or LEFT_OUT. Raises DamagedStore."""
        codes: Codes = self._table(self._reader.file_of(track))[names + 1]
        to_read = np.flatnonzero(codes == READ)
        if len(to_read):
            to_read = to_read[np.argsort(ordinals[to_read], kind="stable")]
            codes[to_read] = self._read(track, names[to_read], ordinals[to_read])
        return codes

    def _codes_of(self, file: int) -> Codes:
        names, codes = self._files[file]
        table = np.full(self._reader.names.count + 1, LEFT_OUT, np.int32)
        table[names + 1] = codes
        return table

    def _metadata(self, file: int) -> XStatTables | None:
        try:
            return self._reader.event_metadata(file)
        except NotBuilt:  # names have to do while the run is indexed
            return None

    def _by_text(self, op_of_name: dict[int, int]) -> Iterator[None]:
        number = 0
        for page in range(self._reader.names.pages):
            for name in self._reader.names.page(page):
                op = pytorch_op(name.text, name.category) if name.category else host_op(name.text)
                if op is not None:
                    op_of_name[number] = self._code(op, number)
                number += 1
            yield

    def _by_metadata(
        self, file: int, tracks: list[int], tables: XStatTables, op_of_name: dict[int, int]
    ) -> Iterator[None]:
        """Events of several kinds may be shown under one name: `Add` of this layer and of that one."""
        planes = [number for number, plane in enumerate(tables.planes) if plane.name == HOST_PLANE]
        texts: defaultdict[int, set[str]] = defaultdict(set)
        unclear = set()
        for count, number in enumerate(np.flatnonzero(np.isin(tables.plane, planes) & (tables.name >= 0)).tolist()):
            name, entry = int(tables.name[number]), tables.entry(number)
            texts[name].add(entry.long_name or self._reader.names[name].text)
            if entry.stats and _tells(tables, number):
                unclear.add(name)
            if count % _ENTRIES_AT_ONCE == 0:
                yield
        heads = {name: tables.planes[plane].heads(name) for plane in planes for name in _TELLING}
        if any(heads.values()):
            yield from self._with_telling(file, tracks, tables, unclear)
        for name, texts_of_name in texts.items():
            ops = {host_op(text) for text in texts_of_name}
            if name in unclear or (len(texts_of_name) > 1 and ops != {None}):
                op_of_name[name] = READ
            elif (op := ops.pop()) is not None:
                op_of_name[name] = self._number(op, name)

    def _with_telling(self, file: int, tracks: list[int], tables: XStatTables, unclear: set[int]) -> Iterator[None]:
        """Adds the names of events that have arguments of their own that tell."""
        for track in tracks:
            ordinal = 0
            while (chunk := argument_chunk(self._reader.store, track, ordinal)) is not None and ordinal < chunk.stop:
                metadata = metadata_with(chunk.ends, chunk.args, _TELLING, tables)
                unclear |= set(tables.name[metadata].tolist())
                ordinal = chunk.stop
                yield

    def _read(self, track: int, names: Ints, ordinals: Ints) -> Codes:
        """By the arguments of events, whose ordinals ascend."""
        codes_of_events = np.full(len(names), LEFT_OUT, np.int32)
        codes_by_values: dict[tuple[int, object, object, object, object, object], int] = {}
        for batch in self._arguments.values(track, ordinals, _READ_ALL):
            # Most say what others do.
            columns = [names[batch.which], *(column for value in batch.values for column in (value.kind, value.bits))]
            _, first, which = np.unique(np.stack(columns), axis=1, return_index=True, return_inverse=True)
            codes = np.empty(len(first), np.int32)
            for number in np.argsort(first).tolist():  # in the order in which they are met
                row = int(first[number])
                full, op, eager, stage, category = (values.value(row) for values in batch.values)
                key = (int(columns[0][row]), full, op, eager, stage, category)
                if key not in codes_by_values:
                    codes_by_values[key] = self._of_arguments(*key)
                codes[number] = codes_by_values[key]
            codes_of_events[batch.which] = codes[which.reshape(-1)]
        return codes_of_events

    def _of_arguments(self, name: int, full: object, op: object, eager: object, stage: object, category: object) -> int:
        text = full if isinstance(full, str) and full else self._reader.names[name].text
        if isinstance(stage, int) and isinstance(category, str):
            return self._number(HostOp(text, category, OpSource.STAGE, stage), name)
        own = host_op(text)
        if own is None and isinstance(op, str) and op:
            own = framework_op(op)
        if own is None:
            return LEFT_OUT
        return self._number(replace(own, is_eager=True) if eager and eager != "0" else own, name)

    def _code(self, op: HostOp, name: int) -> int:
        """The number of an operation that its name tells, or READ."""
        return self._number(op, name)

    def _number(self, op: HostOp, name: int) -> int:
        with self._lock:
            number = self._numbers.setdefault(op, len(self.ops))
            if number == len(self.ops):
                self.ops.append(op)
                self.names.append(name)
                self._characters += len(op.shapes)
            return number


def _tells(tables: XStatTables, number: int) -> bool:
    """True if the metadata itself has stats that tell the operation of its events."""
    try:
        return any(tables.stats_called(name, number) for name in _TELLING)
    except WireDamage:
        return False
