"""The SQLite export of Nsight Systems as trace events, as PyTorch's profiler writes the same activities of CUDA.

Tables by https://docs.nvidia.com/nsight-systems/UserGuide/, schema of the SQLite export, versions of 2020 to 2025. They
are made only where there is something to write, and columns come and go: each is used where it is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from tilescope.tiler.printable_text import printable
from tilescope.tiler.readers.memory_budget import Room
from tilescope.tiler.readers.sqlite.database import Database
from tilescope.tiler.readers.sqlite.event_rows import case, event, integer, literal, quoted, time
from tilescope.tiler.readers.sqlite.names import NumberedTexts
from tilescope.tiler.readers.sqlite.nsight_devices import DeviceTables
from tilescope.tiler.readers.sqlite.nsight_hosts import CPUS, REPEATED, SCHEDULING, HostTables
from tilescope.tiler.readers.sqlite.rows_translation import RowsTranslation, TableEvents
from tilescope.tiler.readers.translated.event_text import Event, metadata

_DEVICES_AFTER: Final = 1_000_000  # place of devices among processes
ID: Final = "nsight_sqlite"

_DEFINITIONS: Final = frozenset({"StringIds", "ThreadNames", "PROCESSES"})
_DEFINED_BEGINNINGS: Final = ("ENUM_", "TARGET_INFO_", "META_DATA_", "sqlite_")
_TIMES: Final = frozenset({"start", "timestamp"})
_ERROR: Final = 4  # ENUM_DIAGNOSTIC_SEVERITY_LEVEL
_MOST_ERRORS: Final = 5
_MOST_NAMES: Final = 1_000_000


class Nsight(RowsTranslation):
    """One export."""

    def __init__(self, database: Database, size_bytes: int, room: Room) -> None:
        super().__init__(database, size_bytes)
        self._texts = NumberedTexts(database, "texts", room)
        self._texts.fill(database.tables.get("StringIds"), "id", "value")
        self._devices = DeviceTables(database, self._texts)
        self._hosts = HostTables(database, self._texts, self._devices)

    def head(self) -> Iterator[Event]:
        """Processes, threads, devices, CPUs."""
        processes = self.database.tables.get("PROCESSES")
        if processes is not None and processes.has("globalPid", "name"):
            for process, name in self._named_rows("globalPid", "name", "PROCESSES"):
                yield metadata("process_name", process >> 24 & 0xFFFFFF, None, name)
        threads = self.database.tables.get("ThreadNames")
        if threads is not None and threads.has("globalTid", "nameId"):
            for thread, name in self._named_rows("globalTid", self._texts.plain("nameId"), "ThreadNames"):
                yield metadata("thread_name", thread >> 24 & 0xFFFFFF, thread & 0xFFFFFF, name)
        for device in sorted(self._devices.devices):
            pid = f"GPU {device}"
            yield metadata("process_name", pid, None, pid)
            yield metadata("process_sort_index", pid, None, _DEVICES_AFTER + device)
        if SCHEDULING in self.database.tables:
            yield metadata("process_name", CPUS, None, CPUS)

    def tables(self) -> Iterator[TableEvents]:
        """Devices, hosts, messages of the profiler; what is left out is counted."""
        tables = [*self._devices.rows(), *self._hosts.rows(), *self._messages()]
        names = {table_events.table.name for table_events in tables} | _DEFINITIONS | REPEATED
        for table in self.database.tables.values():
            if table.name not in names and not table.name.startswith(_DEFINED_BEGINNINGS) and table.columns & _TIMES:
                self.leave_out(f"rows_of_{table.shown}", self.row_count(table))
        yield from tables

    def members(self) -> Mapping[str, object]:
        """Devices of the machine as PyTorch's profiler has them, and when the session began."""
        members: dict[str, object] = {}
        devices = list(self._device_properties())
        if devices:
            members["deviceProperties"] = devices
        session = self.database.tables.get("TARGET_INFO_SESSION_START_TIME")
        if session is not None and session.has("utcEpochNs"):
            for row in self.small_rows(f"SELECT utcEpochNs FROM {session.quoted} LIMIT 1"):
                if isinstance(row[0], int):
                    members["baseTimeNanoseconds"] = row[0]
        return members

    def _device_properties(self) -> Iterator[Mapping[str, object]]:
        table = self.database.tables.get("TARGET_INFO_GPU")
        if table is None or not table.has("id", "name"):
            return
        number = "ifnull(cuDevice,id)" if table.has("cuDevice") else "id"
        memory = "totalMemory" if table.has("totalMemory") else "NULL"
        for device, name, size in self.small_rows(f"SELECT {number}, CAST(name AS TEXT), {memory} FROM {table.quoted}"):
            if isinstance(device, int) and isinstance(name, bytes):
                properties: dict[str, object] = {"id": device, "name": name.decode("utf-8", "replace")}
                if isinstance(size, int):
                    properties["totalGlobalMem"] = size
                yield properties

    def _messages(self) -> Iterator[TableEvents]:
        """Messages of the profiler about the capture; errors are warnings of the run too."""
        table = self.database.tables.get("DIAGNOSTIC_EVENT")
        if table is None or not table.has("timestamp", "severity", "text"):
            return
        query = f"SELECT CAST(text AS TEXT) FROM {table.quoted} WHERE severity >= {_ERROR} LIMIT {_MOST_ERRORS}"
        for row in self.small_rows(query):
            if isinstance(row[0], bytes):
                self.warn(f"Nsight Systems: {printable(row[0].decode('utf-8', 'replace'))}")
        head = '"ph":"i","s":"p","cat":"diagnostics","pid":"Nsight Systems"'
        events = event(head, [literal("name", quoted("text")), time("timestamp")], [integer("severity", "severity")])
        yield TableEvents(table, case("text IS NOT NULL", events))

    def _named_rows(self, number: str, name: str, table: str) -> Iterator[tuple[int, str]]:
        query = f"SELECT {number}, CAST({name} AS TEXT) FROM {table} LIMIT {_MOST_NAMES}"
        for key, value in self.small_rows(query):
            if isinstance(key, int) and isinstance(value, bytes):
                yield key, value.decode("utf-8", "replace")
