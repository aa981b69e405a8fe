"""Exports of Nsight Systems: every row is the event that the documented columns say."""

from __future__ import annotations

import gzip
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.tiler.readers.sqlite.nsight_export import (
    PID,
    START_NS,
    Cell,
    Rows,
    call,
    global_pid,
    global_tid,
    kernel,
    write_export,
)
from tests.tiler.readers.translated_events import Event, read_events
from tilescope.tiler.columns import Phase
from tilescope.tiler.errors import DamagedTrace
from tilescope.tiler.facts.devices import devices_of
from tilescope.tiler.facts.launches.device_launches import device_launches
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store

STRINGS = ("cudaLaunchKernel_v7000", "void gemm<float, 4>(float*, int)", "main thread", "cuMemcpyAsync", "step 1")
PROCESS: Rows = {"PROCESSES": [{"globalPid": global_pid(), "pid": PID, "name": "python"}]}


def named(events: list[Event], name: str) -> Event:
    (event,) = (event for event in events if event.name == name)
    return event


def test_calls_and_kernels_are_as_pytorch_has_them(tmp_path: Path) -> None:
    path = write_export(
        tmp_path / "a.sqlite",
        {
            **PROCESS,
            "ThreadNames": [{"nameId": 3, "globalTid": global_tid(12)}],
            "TARGET_INFO_SESSION_START_TIME": [{"utcEpochNs": START_NS}],
            "CUPTI_ACTIVITY_KIND_RUNTIME": [call(100, 400, 1, 9), call(500, 600, 4, 10, eventClass=1)],
            "CUPTI_ACTIVITY_KIND_KERNEL": [kernel(450, 950, 2, 9)],
        },
        STRINGS,
    )
    events, summary = read_events(path)
    assert summary.format == "nsight_sqlite"
    assert summary.ignored == {}
    assert summary.warnings == []
    assert named(events, "cudaLaunchKernel") == Event(
        "python",
        "main thread",
        Phase.COMPLETE,
        "cuda_runtime",
        "cudaLaunchKernel",
        START_NS + 100,
        300,
        0.0,
        {"return value": 0, "correlation": 9},
    )
    assert named(events, "cuMemcpyAsync").category == "cuda_driver"
    work = named(events, STRINGS[1])
    assert (work.process, work.track, work.category) == ("GPU 0", "stream 7", "kernel")
    assert (work.start_ns, work.duration_ns) == (START_NS + 450, 500)
    assert work.args == {
        "device": 0,
        "context": 1,
        "stream": 7,
        "registers per thread": 32,
        "correlation": 9,
        "grid": [128, 2, 1],
        "block": [256, 1, 1],
        "shared memory": 1536,
    }


def test_copies_fills_waits_and_graphs(tmp_path: Path) -> None:
    place = {"deviceId": 1, "contextId": 1, "streamId": 13, "correlationId": 5, "globalPid": global_pid()}
    path = write_export(
        tmp_path / "a.sqlite",
        {
            "CUPTI_ACTIVITY_KIND_MEMCPY": [
                place | {"start": 0, "end": 10, "bytes": 4096, "copyKind": 1, "srcKind": 1, "dstKind": 2},
                place | {"start": 10, "end": 20, "bytes": 1, "copyKind": 8, "srcKind": None, "dstKind": 2},
            ],
            "CUPTI_ACTIVITY_KIND_MEMSET": [place | {"start": 20, "end": 30, "value": 0, "bytes": 8, "memKind": 2}],
            "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": [place | {"start": 30, "end": 40, "syncType": 3, "eventId": 0}],
            "CUPTI_ACTIVITY_KIND_GRAPH_TRACE": [place | {"start": 40, "end": 90, "graphId": 3, "graphExecId": 4}],
        },
    )
    events, _ = read_events(path)
    assert {event.name: (event.category, event.duration_ns) for event in events} == {
        "Memcpy HtoD (Pinned -> Device)": ("gpu_memcpy", 10),
        "Memcpy DtoD": ("gpu_memcpy", 10),
        "Memset (Device)": ("gpu_memset", 10),
        "Stream Sync": ("cuda_sync", 10),
        "CUDA graph 3": ("kernel", 50),
    }
    assert {event.process for event in events} == {"GPU 1"}
    assert named(events, "Memcpy DtoD").args["bytes"] == 1


def test_ranges_that_programs_mark(tmp_path: Path) -> None:
    thread = {"globalTid": global_tid(12)}
    path = write_export(
        tmp_path / "a.sqlite",
        {
            "NVTX_EVENTS": [
                thread | {"start": 0, "eventType": 75, "text": "NCCL", "domainId": 1},
                thread | {"start": 0, "end": 50, "eventType": 59, "text": "step 0", "int64Value": 3, "domainId": 1},
                thread | {"start": 50, "end": 90, "eventType": 59, "textId": 5},
                thread | {"start": 10, "end": 80, "eventType": 60, "rangeId": 77, "text": "epoch"},
                thread | {"start": 20, "eventType": 34, "text": "here"},
                thread | {"start": 95, "eventType": 59, "text": "never ends"},
                thread | {"start": 96, "eventType": 99, "text": "of a kind to come"},
            ]
        },
        STRINGS,
    )
    events, summary = read_events(path)
    assert named(events, "step 0").args == {"payload": 3, "domain": "NCCL"}
    assert (named(events, "step 1").start_ns, named(events, "step 1").duration_ns) == (50, 40)
    assert [(event.phase, event.start_ns) for event in events if event.name == "epoch"] == [
        (Phase.BEGIN, 10),
        (Phase.END, 80),
    ]
    assert named(events, "here").phase is Phase.INSTANT
    assert named(events, "never ends").phase is Phase.BEGIN
    assert summary.ignored == {"rows_of_NVTX_EVENTS": 1}
    assert {event.category for event in events} == {"nvtx"}


def test_any_table_of_calls_is_read(tmp_path: Path) -> None:
    thread = {"globalTid": global_tid(12), "start": 5, "end": 9}
    path = write_export(
        tmp_path / "a.sqlite",
        {
            "OSRT_API": [thread | {"eventClass": 27, "nameId": 1, "returnValue": 0}],
            "CUBLAS_EVENTS": [thread | {"eventClass": 1, "nameId": 2}],
            "MPI_COLLECTIVES_EVENTS": [thread | {"textId": 3, "size": 1024, "rootRank": 0}],
        },
        ("pthread_mutex_lock", "cublasSgemm_v2", "MPI_Bcast"),
    )
    events, _ = read_events(path)
    assert sorted((event.category, event.name) for event in events) == [
        ("cublas", "cublasSgemm"),
        ("mpi", "MPI_Bcast"),
        ("osrt", "pthread_mutex_lock"),
    ]
    assert named(events, "MPI_Bcast").args == {"bytes": 1024, "root rank": 0}


def test_scheduling_metrics_and_messages(tmp_path: Path) -> None:
    path = write_export(
        tmp_path / "a.sqlite",
        {
            "SCHED_EVENTS": [
                {"start": 5, "cpu": 3, "isSchedIn": 1, "globalTid": global_tid(12)},
                {"start": 9, "cpu": 3, "isSchedIn": 0, "globalTid": global_tid(12)},
            ],
            "TARGET_INFO_GPU_METRICS": [
                {"typeId": 256, "sourceId": 1, "typeName": "GPU", "metricId": 5, "metricName": "SMs Active"}
            ],
            "GPU_METRICS": [{"rawTimestamp": 1, "timestamp": 7, "typeId": 256, "metricId": 5, "value": 42}],
            "DIAGNOSTIC_EVENT": [{"timestamp": 1, "severity": 4, "text": "12 events were dropped"}],
            "COMPOSITE_EVENTS": [{"start": 1, "cpuCycles": 5}],
        },
    )
    events, summary = read_events(path)
    lane = [(event.process, event.track, event.phase, event.start_ns) for event in events if event.process == "CPUs"]
    assert lane == [("CPUs", "CPU 3", Phase.BEGIN, 5), ("CPUs", "CPU 3", Phase.END, 9)]
    (metric,) = (event for event in events if event.phase is Phase.COUNTER)
    assert (metric.process, metric.track, metric.start_ns, metric.value) == ("GPU 0", "SMs Active", 7, 42.0)
    assert summary.warnings[0] == "Nsight Systems: 12 events were dropped"
    assert summary.ignored == {"rows_of_COMPOSITE_EVENTS": 1}


def test_processes_that_share_a_device_keep_their_streams_and_calls(tmp_path: Path) -> None:
    path = write_export(
        tmp_path / "a.sqlite",
        {
            "CUPTI_ACTIVITY_KIND_RUNTIME": [
                call(0, 10, 1, 9),
                call(0, 10, 1, 9) | {"globalTid": global_tid(50, 4800)},
            ],
            "CUPTI_ACTIVITY_KIND_KERNEL": [
                kernel(20, 30, 2, 9),
                kernel(25, 35, 2, 9, globalPid=global_pid(4800)),
            ],
        },
        STRINGS,
    )
    events, _ = read_events(path)
    work = [event for event in events if event.category == "kernel"]
    assert [event.track for event in work] == ["stream 7 of process 4711", "stream 7 of process 4800"]
    pairs = {(event.args["correlation"], event.category) for event in events}
    numbers = {number for number, _ in pairs}
    assert pairs == {(number, category) for number in numbers for category in ("kernel", "cuda_runtime")}
    assert len(numbers) == 2


def test_tools_know_the_devices_and_their_launches(tmp_path: Path) -> None:
    path = write_export(
        tmp_path / "a.sqlite",
        {
            **PROCESS,
            "CUPTI_ACTIVITY_KIND_RUNTIME": [call(1000 * k, 1000 * k + 300, 1, k + 1) for k in range(20)],
            "CUPTI_ACTIVITY_KIND_KERNEL": [kernel(1000 * k + 500, 1000 * k + 900, 2, k + 1) for k in range(20)],
        },
        STRINGS,
    )
    build_store([path], tmp_path / "a.store")
    with closing(open_run_store(tmp_path / "a.store")) as store:
        reader = QueryReader(store)
        (device,) = finish(devices_of(reader))
        assert device.name == "GPU 0"
        (stream,) = device.track_ids
        assert finish(device_launches(reader, stream)).start.tolist() == [1000 * k for k in range(20)]


@pytest.mark.parametrize("compress", [gzip.compress, lambda data: data])
def test_compressed_exports(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    plain = write_export(tmp_path / "a.sqlite", {"CUPTI_ACTIVITY_KIND_KERNEL": [kernel(1, 2, 2, 3)]}, STRINGS)
    path = tmp_path / "b.sqlite"
    path.write_bytes(compress(plain.read_bytes()))
    events, _ = read_events(path)
    assert [event.name for event in events] == [STRINGS[1]]


CELLS: st.SearchStrategy[Cell] = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.text(max_size=8),
    st.binary(max_size=8),
    st.sampled_from(['","ph":"M', "%d%s", "\x00", "9" * 30]),
)


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.fixed_dictionaries({"column": st.integers(0, 17), "cell": CELLS}), max_size=4))
def test_any_value_in_any_column(tmp_path_factory: pytest.TempPathFactory, damage: list[dict[str, Cell]]) -> None:
    """A sound row stays what it is beside a row with values of any types, which is an event or is counted."""
    path = tmp_path_factory.mktemp("export") / "a.sqlite"
    write_export(path, {"CUPTI_ACTIVITY_KIND_KERNEL": [kernel(10, 20, 2, 3)]}, STRINGS)
    row = kernel(30, 40, 2, 4)
    for change in damage:
        row[list(row)[int(str(change["column"]))]] = change["cell"]
    with closing(sqlite3.connect(path)) as database:
        # Without NOT NULL and types, as a hostile file may have it.
        database.execute("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME TO before")
        columns = ", ".join(f'"{column}"' for column in row)
        database.execute(f"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL ({columns})")
        database.execute(f"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT {columns} FROM before")
        marks = ", ".join("?" * len(row))
        database.execute(f"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({marks})", tuple(row.values()))
        database.execute("DROP TABLE before")
        database.commit()
    events, summary = read_events(path)
    sound = events[0]
    assert (sound.name, sound.start_ns, sound.duration_ns) == (STRINGS[1], 10, 10)
    assert sound.args["registers per thread"] == 32
    assert sound.args["grid"] == [128, 2, 1]
    assert len(events) + sum(summary.ignored.values()) == 2


def test_a_damaged_page_costs_what_is_on_it(tmp_path: Path) -> None:
    path = write_export(
        tmp_path / "a.sqlite",
        {"CUPTI_ACTIVITY_KIND_KERNEL": [kernel(10 * k, 10 * k + 5, 2, k + 1) for k in range(500)]},
        STRINGS,
    )
    data = bytearray(path.read_bytes())
    data[-4096:] = b"\xff" * 4096
    path.write_bytes(data)
    events, summary = read_events(path)
    assert 0 < len(events) < 500
    assert "CUPTI_ACTIVITY_KIND_KERNEL: the database cannot be read: database disk image is malformed" in " ".join(
        summary.warnings
    )


def test_what_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    path.write_bytes(b"SQLite format 3\0" + b"\xff" * 80 + b"CUPTI_ACTIVITY_KIND_KERNEL" + bytes(4000))
    with pytest.raises(DamagedTrace, match="the database cannot be read"):
        read_events(path)


def test_a_view_in_place_of_a_table_is_not_asked(tmp_path: Path) -> None:
    path = write_export(tmp_path / "a.sqlite", {"CUPTI_ACTIVITY_KIND_KERNEL": [kernel(1, 2, 2, 3)]}, STRINGS)
    with closing(sqlite3.connect(path)) as database:
        database.execute(
            "CREATE VIEW OSRT_API AS WITH RECURSIVE n(start) AS (SELECT 1 UNION ALL SELECT start + 1 FROM n) "
            "SELECT start, start AS end, 1 AS globalTid, 1 AS nameId FROM n"
        )
        database.commit()
    events, _ = read_events(path)
    assert len(events) == 1


def test_a_journal_beside_it_is_not_read(tmp_path: Path) -> None:
    path = write_export(tmp_path / "a.sqlite", {"CUPTI_ACTIVITY_KIND_KERNEL": [kernel(1, 2, 2, 3)]}, STRINGS)
    (tmp_path / "a.sqlite-wal").write_bytes(b"rows that are to come")
    _, summary = read_events(path)
    assert summary.warnings == ["a.sqlite-wal beside it is not read: it may have rows that the database lacks"]
