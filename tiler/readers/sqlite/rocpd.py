"""A database of ROCm's profilers (rocpd) as trace events, as PyTorch's profiler writes the same activities.

Tables by https://github.com/ROCm/rocm-systems (rocprofiler-sdk, rocpd_tables.sql, schema version 3 of ROCm 7). Names of
tables end with a number of their process; a database may have those of several. Rows refer to others by their row ids:
a table without them is not looked into, as each look would read all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from tilescope.tiler.readers.memory_budget import Room
from tilescope.tiler.readers.sqlite.database import Database, Table
from tilescope.tiler.readers.sqlite.event_rows import (
    Member,
    Whole,
    event,
    integer,
    json_text,
    literal,
    number,
    quoted,
    slice_event,
    time,
    whole,
)
from tilescope.tiler.readers.sqlite.names import NumberedTexts
from tilescope.tiler.readers.sqlite.rows_translation import RowsTranslation, TableEvents
from tilescope.tiler.readers.translated.event_text import Event, metadata

ID: Final = "rocpd"

_BEGIN: Final = "rocpd_"
_STRINGS: Final = _BEGIN + "string"
_DEVICES_AFTER: Final = 1_000_000
_SIZES: Final = {"grid": "grid_size", "block": "workgroup_size"}
_MOST_SAMPLES: Final = 50_000_000
# Categories of HIP as PyTorch's profiler has them, by which calls and their work are joined.
_CATEGORIES: Final = (
    ("HIP%", "hip_runtime"),
    ("HSA%", "hsa"),
    ("MARKER%", "roctx"),
    ("ROCTX%", "roctx"),
    ("RCCL%", "rccl"),
    ("%MEMORY%", "memory"),
)


class _Tables(Struct, frozen=True):
    """The tables of one process, whose names end with `suffix`."""

    database: Database
    suffix: str
    texts: NumberedTexts
    number: int  # of the process in the database

    def table(self, name: str) -> Table | None:
        """A table by its name without what all begin and end with."""
        return self.database.tables.get(f"{_BEGIN}{name}{self.suffix}")

    def value(self, name: str, column: str, key: str) -> str:
        """An expression: the value of a column in the row with this id; NULL where there is none."""
        table = self.table(name)
        if table is None or table.key != "id" or not table.has(column):
            return "NULL"
        return f"(SELECT {column} FROM {table.quoted} WHERE id={key})"

    def text(self, key: str) -> str:
        """The JSON of a string."""
        return self.texts.name(key)

    @property
    def thread(self) -> Whole:
        """Process and thread of a row by their numbers; by row ids where these are not recorded."""
        pid = f"ifnull({self.value('info_process', 'pid', 't.pid')},t.pid)"
        tid = f"coalesce({self.value('info_thread', 'tid', 't.tid')},t.tid,0)"
        return Whole(',"pid":%d,"tid":%d', (pid, tid))

    def device(self, key: str) -> str:
        """The process that a device is: of GPUs `GPU 0`."""
        kind = self.value("info_agent", "type", key)
        index = f"coalesce({self.value('info_agent', 'type_index', key)},{key})"
        return f"printf('\"%s %d\"',CASE WHEN {kind}='CPU' THEN 'CPU' ELSE 'GPU' END,{index})"


class Rocpd(RowsTranslation):
    """One database."""

    def __init__(self, database: Database, size_bytes: int, room: Room) -> None:
        super().__init__(database, size_bytes)
        names = sorted(name for name in database.tables if name.startswith(_STRINGS))
        self._processes: list[_Tables] = []
        for number_of_process, name in enumerate(names):
            texts = NumberedTexts(database, f"texts{number_of_process}", room)
            texts.fill(database.tables[name], "id", "string")
            self._processes.append(_Tables(database, name.removeprefix(_STRINGS), texts, number_of_process))

    def head(self) -> Iterator[Event]:
        """Processes, threads and devices."""
        for tables in self._processes:
            for process, command in self._pairs(tables.table("info_process"), "pid", "command"):
                yield metadata("process_name", process, None, command)
            threads = tables.table("info_thread")
            if threads is not None and threads.has("pid", "tid", "name"):
                query = f"SELECT {tables.value('info_process', 'pid', 't.pid')}, tid, name FROM {threads.quoted} AS t"
                for pid, tid, name in self.small_rows(query):
                    if isinstance(pid, int) and isinstance(tid, int) and isinstance(name, bytes) and name:
                        yield metadata("thread_name", pid, tid, name.decode("utf-8", "replace"))
        for kind, device in sorted({(kind, device) for kind, device, _ in self._agents()}):
            pid_text = f"{kind} {device}"
            yield metadata("process_name", pid_text, None, pid_text)
            yield metadata("process_sort_index", pid_text, None, _DEVICES_AFTER + device)

    def tables(self) -> Iterator[TableEvents]:
        """Devices, calls, counters, process by process."""
        for tables in self._processes:
            yield from _dispatches(tables)
            yield from _copies(tables)
            yield from _regions(tables)
            yield from _allocations(tables)
            yield from _counters(tables)
            arguments = tables.table("arg")
            if arguments is not None:
                self.leave_out("rows_of_rocpd_arg", self.row_count(arguments))

    def members(self) -> Mapping[str, object]:
        """The devices, as PyTorch's profiler has them."""
        devices = {device: name for kind, device, name in self._agents() if kind == "GPU"}
        return {"deviceProperties": [{"id": k, "name": name} for k, name in sorted(devices.items())]} if devices else {}

    def _agents(self) -> Iterator[tuple[str, int, str]]:
        for tables in self._processes:
            agents = tables.table("info_agent")
            if agents is None or not agents.has("id", "type", "type_index"):
                continue
            names = [column for column in ("product_name", "model_name", "name") if agents.has(column)]
            name = f"coalesce({','.join(names)},'')" if len(names) > 1 else "''"
            query = f"SELECT CAST(type AS TEXT), ifnull(type_index,id), CAST({name} AS TEXT) FROM {agents.quoted}"
            for kind, device, text_of_name in self.small_rows(query):
                if kind == b"GPU" and isinstance(device, int) and isinstance(text_of_name, bytes):
                    yield "GPU", device, text_of_name.decode("utf-8", "replace")

    def _pairs(self, table: Table | None, key: str, value: str) -> Iterator[tuple[int, str]]:
        if table is None or not table.has(key, value):
            return
        for number_of_row, content in self.small_rows(f"SELECT {key}, CAST({value} AS TEXT) FROM {table.quoted}"):
            if isinstance(number_of_row, int) and isinstance(content, bytes) and content:
                yield number_of_row, content.decode("utf-8", "replace")


def _dispatches(tables: _Tables) -> Iterator[TableEvents]:
    table = tables.table("kernel_dispatch")
    if table is None or not table.has("start", "end", "agent_id", "kernel_id"):
        return
    names = [tables.value("info_kernel_symbol", column, "kernel_id") for column in ("display_name", "kernel_name")]
    args: list[Member] = [*_place(table)]
    for key, column in _SIZES.items():
        columns = [f"{column}_{axis}" for axis in "xyz"]
        if key == "grid":  # in blocks, as PyTorch's profiler has it; the columns count work-items
            columns = [f"{column}_{axis}/max(1,workgroup_size_{axis})" for axis in "xyz"]
        if table.has(*(f"{name}_{axis}" for name in _SIZES.values() for axis in "xyz")):
            args.append(Whole(f',"{key}":[%d,%d,%d]', columns))
    if table.has("group_segment_size"):
        args.append(whole("shared memory", "group_segment_size"))
    args += _correlation(tables, table)
    args.append(integer("registers per thread", tables.value("info_kernel_symbol", "arch_vgpr_count", "kernel_id")))
    if table.has("region_name_id"):
        args.append(literal("region", tables.text("region_name_id")))
    name = quoted(f"coalesce({','.join(names)},'kernel')")
    members: list[Member] = [literal("name", name), literal("pid", tables.device("agent_id")), _stream(table)]
    yield TableEvents(table, slice_event("kernel", members, args))


def _copies(tables: _Tables) -> Iterator[TableEvents]:
    table = tables.table("memory_copy")
    if table is None or not table.has("start", "end", "name_id"):
        return
    # The device that takes part: what is copied to is a host where it comes from one.
    agents = [column for column in ("dst_agent_id", "src_agent_id") if table.has(column)]
    kinds = "".join(
        f" WHEN {tables.value('info_agent', 'type', column)}='GPU' THEN {tables.device(column)}" for column in agents
    )
    device = f"CASE{kinds} ELSE {json_text('GPU 0')} END" if kinds else json_text("GPU 0")
    args: list[Member] = [*_place(table)]
    if table.has("size"):
        args.append(whole("bytes", "size"))
    args += _correlation(tables, table)
    name = f"ifnull({tables.text('name_id')},{json_text('Memcpy')})"
    yield TableEvents(
        table, slice_event("gpu_memcpy", [literal("name", name), literal("pid", device), _stream(table)], args)
    )


def _regions(tables: _Tables) -> Iterator[TableEvents]:
    """Calls and ranges of threads, with the category of their event."""
    table = tables.table("region")
    if table is None or not table.has("start", "end", "pid", "tid", "name_id"):
        return
    name = f"ifnull({tables.text('name_id')},{json_text('region')})"
    members: list[Member] = [literal("name", name), tables.thread]
    category_id = tables.value("event", "category_id", "event_id") if table.has("event_id") else "NULL"
    category = tables.texts.plain(category_id)
    args = list(_correlation(tables, table))
    whens = "".join(f" WHEN {category} LIKE '{like}' THEN {slice_event(id, members, args)}" for like, id in _CATEGORIES)
    yield TableEvents(table, f"CASE{whens} ELSE {slice_event('region', members, args)} END")


def _allocations(tables: _Tables) -> Iterator[TableEvents]:
    table = tables.table("memory_allocate")
    if table is None or not table.has("start", "end", "pid", "tid", "type"):
        return
    args: list[Member] = [whole(key, key) for key in ("size", "address") if table.has(key)]
    if table.has("level"):
        args.append(literal("level", quoted("level")))
    name = "CASE type WHEN 'ALLOC' THEN 'Allocate' WHEN 'FREE' THEN 'Free' ELSE type END"
    yield TableEvents(table, slice_event("memory_allocation", [literal("name", quoted(name)), tables.thread], args))


def _counters(tables: _Tables) -> Iterator[TableEvents]:
    """Counters of kernels, at the start of each, and those that are sampled on a track."""
    table, dispatches, samples = map(tables.table, ("pmc_event", "kernel_dispatch", "sample"))
    if table is None or not table.has("event_id", "pmc_id", "value"):
        return
    moments = f"moments{tables.texts.name_of_table}"
    database = tables.database
    database.make(f"CREATE TEMP TABLE {moments} (id INTEGER PRIMARY KEY, time, place TEXT)")
    wanted = f"event_id IN (SELECT event_id FROM {table.quoted})"
    if dispatches is not None and dispatches.has("event_id", "start", "agent_id"):
        database.make(
            f"INSERT OR IGNORE INTO {moments} SELECT event_id, start, {tables.device('agent_id')} "
            f"FROM {dispatches.quoted} AS t WHERE {wanted} AND typeof(event_id)='integer' LIMIT {_MOST_SAMPLES}"
        )
    if samples is not None and samples.has("event_id", "timestamp", "track_id"):
        process = tables.value("track", "pid", "t.track_id")
        pid = f"ifnull({tables.value('info_process', 'pid', process)},0)"
        database.make(
            f"INSERT OR IGNORE INTO {moments} SELECT event_id, timestamp, {pid} "
            f"FROM {samples.quoted} AS t WHERE {wanted} AND typeof(event_id)='integer' LIMIT {_MOST_SAMPLES}"
        )
    moment, place = (f"(SELECT {column} FROM {moments} WHERE id=event_id)" for column in ("time", "place"))
    symbols = [tables.value("info_pmc", column, "pmc_id") for column in ("symbol", "name")]
    name = quoted(f"coalesce({','.join(symbols)},'counter '||pmc_id)")
    members: list[Member] = [literal("name", name), literal("pid", place), time(moment)]
    yield TableEvents(table, event('"ph":"C"', members, [number("value", "value")]))


def _place(table: Table) -> Iterator[Whole]:
    for key, column in (("device", "agent_id"), ("queue", "queue_id"), ("stream", "stream_id")):
        if table.has(column):
            yield whole(key, column)


def _stream(table: Table) -> Whole:
    """The stream of a row; its queue where it has none."""
    columns = [column for column in ("stream_id", "queue_id") if table.has(column)]
    return Whole(',"tid":"stream %d"', (f"coalesce({','.join([*columns, '0'])},0)",))


def _correlation(tables: _Tables, table: Table) -> Iterator[str]:
    """Number that a call and its work have in common: their place on the stack of the runtime."""
    if table.has("event_id"):
        number_of_call = tables.value("event", "stack_id", "event_id")
        # Those of several processes are told apart.
        yield integer("correlation", f"nullif(({tables.number}<<40)|{number_of_call},{tables.number}<<40)")
