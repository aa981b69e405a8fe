"""Databases of ROCm's profilers: every row is the event that the schema says."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Final

from tests.tiler.readers.sqlite.rocpd_database import Rows, write_database
from tests.tiler.readers.translated_events import read_events
from tilescope.tiler.columns import Phase
from tilescope.tiler.facts.devices import devices_of
from tilescope.tiler.facts.launches.device_launches import device_launches
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store

ROWS: Final[Rows] = {
    "string": [{"string": text} for text in ("hipLaunchKernel", "HIP_RUNTIME_API_EXT", "MEMORY_COPY_HOST_TO_DEVICE")]
    + [{"string": "MARKER_CORE_API"}, {"string": "step 0"}],
    "info_process": [{"nid": 1, "pid": 4711, "command": "python train.py"}],
    "info_thread": [{"nid": 1, "pid": 1, "tid": 4712, "name": "main"}],
    "info_agent": [
        {"type": "CPU", "absolute_index": 0, "type_index": 0, "name": "epyc"},
        {"type": "GPU", "absolute_index": 1, "type_index": 0, "name": "gfx942", "product_name": "AMD Instinct MI300X"},
        {"type": "GPU", "absolute_index": 2, "type_index": 1, "name": "gfx942", "product_name": "AMD Instinct MI300X"},
    ],
    "info_kernel_symbol": [{"kernel_name": "_Z4gemm.kd", "display_name": "gemm(float*)", "arch_vgpr_count": 64}],
    "info_pmc": [{"agent_id": 2, "name": "SQ_WAVES", "symbol": "SQ_WAVES"}],
    "track": [{"nid": 1, "pid": 1}],
    "event": [
        {"category_id": 2, "stack_id": 900},
        {"stack_id": 900},
        {"stack_id": 901},
        {"category_id": 4, "stack_id": 902},
        {"stack_id": None},
    ],
    "arg": [{"event_id": 1, "position": 0, "type": "dim3", "name": "grid", "value": "{1, 1, 1}"}],
    "region": [
        {"pid": 1, "tid": 1, "start": 1000, "end": 1400, "name_id": 1, "event_id": 1},
        {"pid": 1, "tid": 1, "start": 900, "end": 5000, "name_id": 5, "event_id": 4},
    ],
    "kernel_dispatch": [
        {
            "pid": 1,
            "tid": 1,
            "agent_id": 3,
            "kernel_id": 1,
            "queue_id": 2,
            "stream_id": 5,
            "start": 1500,
            "end": 2100,
            "group_segment_size": 256,
            "workgroup_size_x": 64,
            "workgroup_size_y": 1,
            "workgroup_size_z": 1,
            "grid_size_x": 1024,
            "grid_size_y": 2,
            "grid_size_z": 1,
            "region_name_id": 5,
            "event_id": 2,
        }
    ],
    "memory_copy": [
        {
            "pid": 1,
            "tid": 1,
            "start": 2200,
            "end": 2300,
            "name_id": 3,
            "dst_agent_id": 2,
            "src_agent_id": 1,
            "size": 4096,
            "stream_id": 5,
            "event_id": 3,
        }
    ],
    "memory_allocate": [
        {
            "pid": 1,
            "tid": 1,
            "agent_id": 2,
            "type": "ALLOC",
            "level": "REAL",
            "start": 10,
            "end": 20,
            "size": 64,
            "address": 4096,
        }
    ],
    "pmc_event": [{"event_id": 2, "pmc_id": 1, "value": 128.0}, {"event_id": 5, "pmc_id": 1, "value": 2.5}],
    "sample": [{"track_id": 1, "timestamp": 3000, "event_id": 5}],
}


def test_each_row_is_an_event(tmp_path: Path) -> None:
    events, summary = read_events(write_database(tmp_path / "a.db", ROWS))
    assert summary.format == "rocpd"
    assert summary.ignored == {"rows_of_rocpd_arg": 1}
    shown = {
        (event.process, event.track, event.category, event.name, event.start_ns, event.duration_ns)
        for event in events
        if event.phase is Phase.COMPLETE
    }
    assert shown == {
        ("GPU 1", "stream 5", "kernel", "gemm(float*)", 1500, 600),
        ("GPU 0", "stream 5", "gpu_memcpy", "MEMORY_COPY_HOST_TO_DEVICE", 2200, 100),
        ("python train.py", "main", "hip_runtime", "hipLaunchKernel", 1000, 400),
        ("python train.py", "main", "roctx", "step 0", 900, 4100),
        ("python train.py", "main", "memory_allocation", "Allocate", 10, 10),
    }
    args = {event.name: event.args for event in events}
    assert args["gemm(float*)"] == {
        "device": 3,
        "queue": 2,
        "stream": 5,
        "grid": [16, 2, 1],
        "block": [64, 1, 1],
        "shared memory": 256,
        "correlation": 900,
        "registers per thread": 64,
        "region": "step 0",
    }
    assert args["hipLaunchKernel"] == {"correlation": 900}
    assert args["MEMORY_COPY_HOST_TO_DEVICE"]["bytes"] == 4096
    assert args["Allocate"] == {"size": 64, "address": 4096, "level": "REAL"}


def test_counters_of_kernels_and_of_tracks(tmp_path: Path) -> None:
    events, _ = read_events(write_database(tmp_path / "a.db", ROWS))
    counters = [event for event in events if event.phase is Phase.COUNTER]
    assert [(event.process, event.track, event.start_ns, event.value) for event in counters] == [
        ("GPU 1", "SQ_WAVES", 1500, 128.0),
        ("python train.py", "SQ_WAVES", 3000, 2.5),
    ]


def test_tables_of_several_processes(tmp_path: Path) -> None:
    other = dict(ROWS) | {"info_process": [{"nid": 1, "pid": 5000, "command": "worker"}]}
    path = write_database(tmp_path / "a.db", ROWS)
    events, _ = read_events(write_database(path, other, "_00005d69_b2"))
    hosts = {event.process for event in events if event.name == "hipLaunchKernel"}
    assert hosts == {"python train.py", "worker"}


def test_tools_know_the_devices_and_their_launches(tmp_path: Path) -> None:
    build_store([write_database(tmp_path / "a.db", ROWS)], tmp_path / "a.store")
    with closing(open_run_store(tmp_path / "a.store")) as store:
        reader = QueryReader(store)
        devices = finish(devices_of(reader))
        assert [device.name for device in devices] == ["GPU 0", "GPU 1"]
        (stream,) = devices[1].track_ids
        assert len(finish(device_launches(reader, stream))) == 1
