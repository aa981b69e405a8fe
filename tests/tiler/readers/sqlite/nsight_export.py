"""Databases as `nsys export --type sqlite` writes them, with the tables and columns of its documented schema."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Final

SCHEMA: Final[Mapping[str, str]] = {
    "StringIds": "id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL",
    "PROCESSES": "globalPid INTEGER, pid INTEGER, name TEXT",
    "ThreadNames": "nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER",
    "TARGET_INFO_SESSION_START_TIME": "utcEpochNs INTEGER, utcTime TEXT, localTime TEXT",
    "TARGET_INFO_GPU": "id INTEGER NOT NULL, name TEXT, totalMemory INTEGER, cuDevice INTEGER",
    "CUPTI_ACTIVITY_KIND_RUNTIME": "start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, "
    "globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, "
    "callchainId INTEGER",
    "CUPTI_ACTIVITY_KIND_KERNEL": "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, "
    "contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, "
    "demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, registersPerThread INTEGER NOT NULL, "
    "gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, "
    "blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL, "
    "dynamicSharedMemory INTEGER NOT NULL, graphNodeId INTEGER",
    "CUPTI_ACTIVITY_KIND_MEMCPY": "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, "
    "contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, "
    "bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, srcKind INTEGER, dstKind INTEGER",
    "CUPTI_ACTIVITY_KIND_MEMSET": "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, "
    "contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, "
    "value INTEGER NOT NULL, bytes INTEGER NOT NULL, memKind INTEGER",
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": "start INTEGER NOT NULL, end INTEGER NOT NULL, "
    "deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, "
    "globalPid INTEGER, syncType INTEGER NOT NULL, eventId INTEGER NOT NULL",
    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE": "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, "
    "contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, "
    "graphId INTEGER NOT NULL, graphExecId INTEGER NOT NULL",
    "NVTX_EVENTS": "start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER, "
    "text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, domainId INTEGER, int64Value INTEGER, "
    "doubleValue REAL, jsonText TEXT",
    "OSRT_API": "start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER, "
    "correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, nestingLevel INTEGER",
    "CUBLAS_EVENTS": "start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, "
    "globalTid INTEGER, nameId INTEGER NOT NULL",
    "MPI_COLLECTIVES_EVENTS": "start INTEGER NOT NULL, end INTEGER NOT NULL, globalTid INTEGER, textId INTEGER, "
    "commHandle INTEGER, rootRank INTEGER, size INTEGER, recvSize INTEGER",
    "SCHED_EVENTS": "start INTEGER NOT NULL, cpu INTEGER NOT NULL, isSchedIn INTEGER NOT NULL, globalTid INTEGER",
    "TARGET_INFO_GPU_METRICS": "typeId INTEGER NOT NULL, sourceId INTEGER NOT NULL, typeName TEXT NOT NULL, "
    "metricId INTEGER NOT NULL, metricName TEXT NOT NULL",
    "GPU_METRICS": "rawTimestamp INTEGER NOT NULL, timestamp INTEGER NOT NULL, typeId INTEGER NOT NULL, "
    "metricId INTEGER NOT NULL, value INTEGER NOT NULL",
    "DIAGNOSTIC_EVENT": "timestamp INTEGER NOT NULL, timestampType INTEGER, source INTEGER, severity INTEGER, "
    "text TEXT, globalPid INTEGER",
    "COMPOSITE_EVENTS": "id INTEGER NOT NULL PRIMARY KEY, start INTEGER NOT NULL, cpu INTEGER, threadState INTEGER, "
    "globalTid INTEGER, cpuCycles INTEGER NOT NULL",
}

Cell = int | float | str | bytes | None
Rows = Mapping[str, Iterable[Mapping[str, Cell]]]

PID: Final = 4711
START_NS: Final = 1_700_000_000_123_456_789


def global_pid(pid: int = PID) -> int:
    """A process as the export numbers it."""
    return (1 << 56) | (pid << 24)


def global_tid(tid: int, pid: int = PID) -> int:
    """A thread as the export numbers it."""
    return global_pid(pid) | tid


def write_export(path: Path, rows: Rows, strings: Iterable[str] = ()) -> Path:
    """A database with the tables of these rows alone, as they are made only where there is something to write.

    `strings` have the numbers 1, 2, ….
    """
    with closing(sqlite3.connect(path)) as database:
        texts = [{"id": number, "value": text} for number, text in enumerate(strings, 1)]
        for table, entries in ({"StringIds": texts} | dict(rows)).items():
            database.execute(f"CREATE TABLE {table} ({SCHEMA[table]})")
            for entry in entries:
                columns = ", ".join(f'"{column}"' for column in entry)
                marks = ", ".join("?" * len(entry))
                database.execute(f"INSERT INTO {table} ({columns}) VALUES ({marks})", tuple(entry.values()))
        database.commit()
    return path


def kernel(start: int, end: int, name: int, correlation: int, **other: Cell) -> dict[str, Cell]:
    """A row of a kernel."""
    return {
        "start": start,
        "end": end,
        "deviceId": 0,
        "contextId": 1,
        "streamId": 7,
        "correlationId": correlation,
        "globalPid": global_pid(),
        "demangledName": name,
        "shortName": name,
        "registersPerThread": 32,
        "gridX": 128,
        "gridY": 2,
        "gridZ": 1,
        "blockX": 256,
        "blockY": 1,
        "blockZ": 1,
        "staticSharedMemory": 1024,
        "dynamicSharedMemory": 512,
    } | other


def call(start: int, end: int, name: int, correlation: int, *, tid: int = 12, **other: Cell) -> dict[str, Cell]:
    """A row of a call of the runtime."""
    return {
        "start": start,
        "end": end,
        "eventClass": 0,
        "globalTid": global_tid(tid),
        "correlationId": correlation,
        "nameId": name,
        "returnValue": 0,
    } | other
