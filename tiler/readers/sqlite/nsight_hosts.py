"""Tables of what threads do, by Nsight Systems: calls, ranges that programs mark, and what runs on which CPU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tilescope.tiler.readers.sqlite.database import Database, Table
from tilescope.tiler.readers.sqlite.event_rows import (
    END,
    Member,
    Whole,
    event,
    json_text,
    literal,
    number,
    quoted,
    slice_event,
    time,
    whole,
)
from tilescope.tiler.readers.sqlite.names import NumberedTexts
from tilescope.tiler.readers.sqlite.nsight_devices import PREFIX, DeviceTables
from tilescope.tiler.readers.sqlite.rows_translation import TableEvents

CPUS: Final = "CPUs"
SCHEDULING: Final = "SCHED_EVENTS"
MARKS: Final = "NVTX_EVENTS"

# Of a serialized number: machine and hypervisor, process, thread.
_PID: Final = "(globalTid>>24&16777215)"
_TID: Final = "(globalTid&16777215)"
_THREAD: Final = Whole(',"pid":%d,"tid":%d', (_PID, _TID))

_CATEGORIES: Final = {
    "OSRT_API": "osrt",
    "PROFILER_OVERHEAD": "overhead",
    PREFIX + "OVERHEAD": "overhead",
    "MPI_START_WAIT_EVENTS": "mpi",
    "MPI_OTHER_EVENTS": "mpi",
    "MPI_P2P_EVENTS": "mpi",
    "MPI_COLLECTIVES_EVENTS": "mpi",
}
_RUNTIME: Final = PREFIX + "RUNTIME"
# Calls that the table of the runtime has as well.
REPEATED: Final = frozenset({"CUDA_GRAPH_EVENTS", "CUDA_GRAPH_NODE_EVENTS"})
_ARGUMENTS: Final = {
    "returnValue": "return value",
    "tag": "tag",
    "remoteRank": "remote rank",
    "rootRank": "root rank",
    "size": "bytes",
    "recvSize": "received bytes",
    "commHandle": "communicator",
}
_MARK, _PUSH_POP, _START_END = 34, 59, 60
_INSTANT: Final = '"ph":"i","cat":"nvtx"'
_BEGIN: Final = '"ph":"B","cat":"nvtx"'
_BEGIN_ANYWHERE: Final = '"ph":"b","cat":"nvtx"'
_DOMAIN_CREATED: Final = 75
_MOST_DOMAINS: Final = 100_000
_DEFINITIONS: Final = (33, 39, _DOMAIN_CREATED, 76)  # categories, names of threads, domains that begin and end
_PAYLOADS: Final = ("uint64Value", "int64Value", "doubleValue", "uint32Value", "int32Value", "floatValue")


class HostTables:
    """The tables of one database."""

    def __init__(self, database: Database, texts: NumberedTexts, devices: DeviceTables) -> None:
        self._database = database
        self._texts = texts
        self._devices = devices

    def rows(self) -> Iterator[TableEvents]:
        """All of them."""
        for table in self._database.tables.values():
            name = next((column for column in ("nameId", "textId") if table.has(column)), None)
            if table.name == MARKS:
                yield from self._marked_rows(table)
            elif table.name == SCHEDULING:
                yield from _scheduling_rows(table)
            elif name is not None and table.has("start", "end", "globalTid") and table.name not in REPEATED:
                yield self._call_rows(table, name)

    def _call_rows(self, table: Table, name: str) -> TableEvents:
        category = _CATEGORIES.get(table.name) or table.name.removeprefix(PREFIX).removesuffix("_EVENTS").lower()
        members: list[Member] = [literal("name", f"ifnull({self._texts.call(name)},{json_text('call')})"), _THREAD]
        args: list[Member] = [whole(key, column) for column, key in _ARGUMENTS.items() if table.has(column)]
        if table.name != _RUNTIME:
            return TableEvents(table, slice_event(category, members, args))
        if table.has("correlationId"):
            args.append(self._devices.correlation(_PID))
        events = slice_event("cuda_runtime", members, args)
        if table.has("eventClass"):
            events = f"CASE eventClass WHEN 1 THEN {slice_event('cuda_driver', members, args)} ELSE {events} END"
        return TableEvents(table, events)

    def _marked_rows(self, table: Table) -> Iterator[TableEvents]:
        """Ranges of a thread nest; those that begin and end anywhere are asynchronous."""
        if not table.has("start", "end", "eventType", "globalTid"):
            return
        args: list[Member] = [number("payload", column) for column in _PAYLOADS if table.has(column)]
        if table.has("jsonText"):
            args.append(literal("payload", quoted("nullif(jsonText,'')")))
        if table.has("domainId"):
            args.append(literal("domain", f"(SELECT name FROM {_domains(self._database, table)} WHERE id=domainId)"))
        names = [quoted("text")] if table.has("text") else []
        names += [self._texts.name("textId")] if table.has("textId") else []
        members: list[Member] = [literal("name", f"coalesce({','.join([*names, json_text('range')])})"), _THREAD]
        begun: list[Member] = [*members, time("start")]
        pushed = f"ifnull({slice_event('nvtx', members, args)},{event(_BEGIN, begun, args)})"
        identity = whole("id", "rangeId" if table.has("rangeId") else "rowid")
        ended = event('"ph":"e","cat":"nvtx"', [*members, time(END), identity])
        anywhere = f"{event(_BEGIN_ANYWHERE, [*begun, identity], args)}||ifnull(','||{ended},'')"
        kinds = {_PUSH_POP: pushed, _START_END: anywhere, _MARK: event(_INSTANT, begun, args)}
        whens = "".join(f" WHEN {kind} THEN {events}" for kind, events in kinds.items())
        yield TableEvents(table, f"CASE eventType{whens} END", f"eventType NOT IN {_DEFINITIONS}")


def _scheduling_rows(table: Table) -> Iterator[TableEvents]:
    """Threads on each CPU: a slice begins where a thread comes, and ends where it goes."""
    if not table.has("start", "cpu", "isSchedIn", "globalTid"):
        return
    name = Whole(',"name":"%d/%d"', (_PID, _TID))
    place: list[Member] = [Whole(f',"pid":"{CPUS}","tid":"CPU %d"', ("cpu",)), time("start")]
    begin, end = event('"ph":"B","cat":"sched"', [name, *place]), event('"ph":"E"', place)
    yield TableEvents(table, f"CASE WHEN isSchedIn THEN {begin} ELSE {end} END")


def _domains(database: Database, table: Table) -> str:
    """A temporary table with the names of domains."""
    name = "domains"
    database.make(f"CREATE TEMP TABLE {name} (id INTEGER PRIMARY KEY, name TEXT)")
    if table.has("text"):
        database.make(
            f"INSERT OR IGNORE INTO {name} SELECT domainId, {quoted('text')} FROM {table.quoted} "
            f"WHERE eventType={_DOMAIN_CREATED} AND typeof(domainId)='integer' LIMIT {_MOST_DOMAINS}"
        )
    return name
