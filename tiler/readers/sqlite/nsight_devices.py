"""Tables of what GPUs do, by Nsight Systems: kernels, copies, fills, waits and graphs on streams, and metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Final

from tilescope.tiler.errors import DamagedTrace
from tilescope.tiler.readers.sqlite.database import Database, Table
from tilescope.tiler.readers.sqlite.event_rows import (
    Member,
    Whole,
    event,
    integer,
    json_text,
    literal,
    number,
    slice_event,
    text,
    time,
    whole,
)
from tilescope.tiler.readers.sqlite.names import NumberedTexts
from tilescope.tiler.readers.sqlite.rows_translation import TableEvents

PREFIX: Final = "CUPTI_ACTIVITY_KIND_"

# Names as PyTorch's profiler has them, of columns that all rows have, and of those that some have.
_ARGUMENTS: Final = {
    "deviceId": "device",
    "contextId": "context",
    "streamId": "stream",
    "bytes": "bytes",
    "value": "value",
    "registersPerThread": "registers per thread",
    "eventId": "event",
}
_SOME: Final = {
    "graphId": "graph",
    "graphExecId": "graph exec",
    "graphNodeId": "graph node id",
    "copyCount": "copies",
}
# By number in ENUM_CUDA_MEMCPY_OPER and ENUM_CUDA_MEM_KIND.
_COPIES: Final = (
    "",
    "HtoD",
    "DtoH",
    "HtoA",
    "AtoH",
    "AtoA",
    "AtoD",
    "DtoA",
    "DtoD",
    "HtoH",
    "PtoP",
    "HtoD",
    "DtoH",
    "DtoD",
)
_PLACES: Final = ("Pageable", "Pinned", "Device", "Array", "Managed", "Device", "Managed")
_SYNCS: Final = ("", "Event Sync", "Stream Wait Event", "Stream Sync", "Context Sync")
_METRICS: Final = "metrics"
_MOST_METRICS: Final = 100_000
_MOST_PAIRS: Final = 10_000  # of devices and processes

_PID: Final = "(globalPid>>24&16777215)"


class DeviceTables:
    """The tables of one database. Processes that share a GPU have streams of their own on it."""

    def __init__(self, database: Database, texts: NumberedTexts) -> None:
        self._database = database
        self._texts = texts
        candidates = [table for name in _NAMES if (table := database.tables.get(PREFIX + name)) is not None]
        self._streams = [table for table in candidates if table.has("start", "end", "deviceId", "streamId")]
        self.devices: set[int] = set()
        self.processes: set[int] = set()
        self._look_at_devices()

    @property
    def shares_correlations(self) -> bool:
        """True if several processes count their calls from 1."""
        return len(self.processes) > 1

    def rows(self) -> Iterator[TableEvents]:
        """All of them."""
        for table in self._streams:
            category, name = _NAMES[table.name.removeprefix(PREFIX)]
            yield self._stream_rows(table, category, name)
        yield from self._metric_rows()

    def correlation(self, pid: str) -> Whole:
        """The member that joins a call with its work. Numbers of several processes are told apart by the process."""
        return whole("correlation", f"(({pid})<<32|correlationId)" if self.shares_correlations else "correlationId")

    def _stream_rows(self, table: Table, category: str, name: Callable[[Table, NumberedTexts], str]) -> TableEvents:
        has_pid = table.has("globalPid")
        stream = Whole(',"pid":"GPU %d","tid":"stream %d"', ("deviceId", "streamId"))
        if self.shares_correlations and has_pid:
            stream = Whole(',"pid":"GPU %d","tid":"stream %d of process %d"', ("deviceId", "streamId", _PID))
        args: list[Member] = [whole(key, column) for column, key in _ARGUMENTS.items() if table.has(column)]
        if table.has("correlationId"):
            args.append(self.correlation(_PID if has_pid else "0"))
        args += _sizes(table)
        args += [integer(key, column) for column, key in _SOME.items() if table.has(column)]
        return TableEvents(table, slice_event(category, [literal("name", name(table, self._texts)), stream], args))

    def _metric_rows(self) -> Iterator[TableEvents]:
        metrics, samples = (self._database.tables.get(name) for name in ("TARGET_INFO_GPU_METRICS", "GPU_METRICS"))
        if metrics is None or samples is None or not metrics.has("typeId", "metricId", "metricName"):
            return
        column = next((column for column in ("timestamp", "start") if samples.has(column)), None)
        if column is None or not samples.has("typeId", "metricId", "value"):
            return
        self._database.make(
            f"CREATE TEMP TABLE {_METRICS} (type, metric, name, PRIMARY KEY (type, metric)) WITHOUT ROWID"
        )
        self._database.make(
            f"INSERT OR IGNORE INTO {_METRICS} SELECT typeId, metricId, json_quote(CAST(metricName AS TEXT)) "
            f"FROM {metrics.quoted} LIMIT {_MOST_METRICS}"
        )
        name = (
            f"ifnull((SELECT name FROM {_METRICS} WHERE type=typeId AND metric=metricId),'\"metric '||metricId||'\"')"
        )
        place = Whole(',"pid":"GPU %d"', ("typeId&255",))
        members: list[Member] = [
            literal("name", name),
            place,
            time(column),
        ]
        yield TableEvents(samples, event('"ph":"C"', members, [number("value", "value")]))

    def _look_at_devices(self) -> None:
        """The devices that did anything, and the processes that had them do it."""
        for table in self._streams:
            pid = _PID if table.has("globalPid") else "0"
            query = f"SELECT DISTINCT deviceId, {pid} FROM {table.quoted} LIMIT {_MOST_PAIRS}"
            with suppress(DamagedTrace):  # the events that can be read say it again
                for device, process in (row for batch in self._database.rows(query) for row in batch):
                    self.devices |= {device} if isinstance(device, int) else set()
                    self.processes |= {process} if isinstance(process, int) else set()


def _kernel(table: Table, texts: NumberedTexts) -> str:
    columns = [column for column in ("demangledName", "shortName", "mangledName") if table.has(column)]
    return _first(*map(texts.name, columns), json_text("kernel"))


def _copy(table: Table, _texts: NumberedTexts) -> str:
    kind = _choice("copyKind", _COPIES) if table.has("copyKind") else "''"
    if not table.has("srcKind", "dstKind"):
        return f"printf('\"Memcpy %s\"',{kind})"
    source, target = _choice("srcKind", _PLACES), _choice("dstKind", _PLACES)
    places = f"ifnull(' ('||nullif({source},'')||' -> '||nullif({target},'')||')','')"
    return f"printf('\"Memcpy %s%s\"',{kind},{places})"


def _fill(table: Table, _texts: NumberedTexts) -> str:
    place = _choice("memKind", _PLACES) if table.has("memKind") else "'Device'"
    return f"printf('\"Memset (%s)\"',{place})"


def _graph(table: Table, _texts: NumberedTexts) -> str:
    return "printf('\"CUDA graph %d\"',graphId)" if table.has("graphId") else json_text("CUDA graph")


def _sync(table: Table, _texts: NumberedTexts) -> str:
    kind = _choice("syncType", _SYNCS) if table.has("syncType") else "''"
    return f"json_quote(ifnull(nullif({kind},''),'Synchronisation'))"


_NAMES: Final = {
    "KERNEL": ("kernel", _kernel),
    "GRAPH_TRACE": ("kernel", _graph),
    "MEMCPY": ("gpu_memcpy", _copy),
    "MEMSET": ("gpu_memset", _fill),
    "SYNCHRONIZATION": ("cuda_sync", _sync),
}


def _sizes(table: Table) -> Iterator[Whole]:
    """Sizes that kernels are launched with, as PyTorch's profiler writes it."""
    for name in ("grid", "block"):
        columns = [name + axis for axis in "XYZ"]
        if table.has(*columns):
            yield Whole(f',"{name}":[%d,%d,%d]', columns)
    shared = [column for column in ("staticSharedMemory", "dynamicSharedMemory") if table.has(column)]
    if shared:
        yield whole("shared memory", "+".join(shared))


def _choice(column: str, texts: Sequence[str]) -> str:
    """The text of a number; an empty one of a number that has none."""
    whens = "".join(f" WHEN {k} THEN {text(value)}" for k, value in enumerate(texts))
    return f"CASE {column}{whens} ELSE '' END"


def _first(*expressions: str) -> str:
    return f"coalesce({','.join(expressions)})"
