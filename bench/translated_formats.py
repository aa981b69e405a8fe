"""Measures indexing of formats that are translated to trace events, beside trace-event JSON of the same events.

python -m bench.translated_formats                 a million events of each
python -m bench.translated_formats --events 20000  for the test that keeps this alive

The events are launches and kernels: of Nsight Systems rows, of Perfetto packets, of OpenTelemetry spans.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from bench.machine import machine_lines
from bench.table import Row, Target, measured_row, table_lines
from tilescope.tiler.details.wire import write_varint
from tilescope.tiler.indexing import build_store
from tilescope.tiler.readers.perfetto.schema import TracePacket

_KERNELS: Final = 500
_STEP_NS: Final = 1000


def _rate(events_per_second: float) -> str:
    return f"{events_per_second / 1e6:.2f} M events/s"


_NSIGHT: Final = Target(0.8e6, None, _rate)
_PERFETTO: Final = Target(3e6, 4.5e6, _rate)
_OTLP: Final = Target(0.4, None, lambda ratio: f"{ratio:.2f} times the bytes a second of trace-event JSON")


def write_json(path: Path, events: int) -> None:
    """Launches and kernels as trace-event JSON."""
    with path.open("w") as file:
        file.write('{"traceEvents":[\n')
        for number in range(events // 2):
            start = number * _STEP_NS
            common = f'"ts":{start / 1000},"dur":0.4,"args":{{"correlation":{number + 1},"stream":7,"device":0}}}}'
            file.write(f'{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,{common},\n')
            file.write(f'{{"ph":"X","cat":"kernel","name":"kernel_{number % _KERNELS}","pid":0,"tid":7,{common},\n')
        file.write("{}]}")


def write_nsight(path: Path, events: int) -> None:
    """The same as an SQLite export."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)")
        names = ["cudaLaunchKernel", *(f"void kernel_{number}<float>(float*)" for number in range(_KERNELS))]
        database.executemany("INSERT INTO StringIds VALUES (?, ?)", enumerate(names))
        call = "start, end, eventClass, globalTid, correlationId, nameId, returnValue"
        database.execute(f"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME ({call})")
        kernel = (
            "start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, registersPerThread, "
            "gridX, gridY, gridZ, blockX, blockY, blockZ, staticSharedMemory, dynamicSharedMemory"
        )
        database.execute(f"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL ({kernel})")
        starts = range(0, events // 2 * _STEP_NS, _STEP_NS)
        calls = ((start, start + 400, 0, 1 << 24 | 1, start // _STEP_NS + 1, 0, 0) for start in starts)
        database.executemany(f"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({','.join('?' * 7)})", calls)
        shape = (128, 1, 1, 256, 1, 1, 0, 0)
        kernels = (
            (
                start + 500,
                start + 900,
                0,
                1,
                7,
                start // _STEP_NS + 1,
                1 << 24,
                1 + start // _STEP_NS % _KERNELS,
                32,
                *shape,
            )
            for start in starts
        )
        database.executemany(f"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({','.join('?' * 17)})", kernels)
        database.commit()


def write_perfetto(path: Path, events: int) -> None:
    """Track events: a begin and an end for each slice, which count as two."""
    with path.open("wb") as file:
        for payload in _payloads(events // 2):
            file.write(b"\n" + write_varint(len(payload)) + payload)


def _payloads(slices: int) -> Iterator[bytes]:
    first = TracePacket(trusted_packet_sequence_id=1, sequence_flags=1)
    for number in range(_KERNELS):
        first.interned_data.event_names.add(iid=number + 1, name=f"kernel_{number}".encode())
    first.track_descriptor.uuid = 7
    first.track_descriptor.thread.pid, first.track_descriptor.thread.tid = 1, 2
    yield first.SerializeToString()
    begin = TracePacket(trusted_packet_sequence_id=1, sequence_flags=2)
    begin.track_event.type, begin.track_event.track_uuid = 1, 7
    end = TracePacket(trusted_packet_sequence_id=1, sequence_flags=2)
    end.track_event.type, end.track_event.track_uuid = 2, 7
    for number in range(slices):
        begin.timestamp, end.timestamp = number * _STEP_NS, number * _STEP_NS + 900
        begin.track_event.name_iid = 1 + number % _KERNELS
        yield begin.SerializeToString()
        yield end.SerializeToString()


def write_otlp(path: Path, events: int) -> None:
    """Spans, a thousand of them an object a line."""
    with path.open("w") as file:
        for first in range(0, events, 1000):
            spans = [
                {
                    "traceId": f"{number:032x}",
                    "spanId": f"{number:016x}",
                    "name": f"kernel_{number % _KERNELS}",
                    "startTimeUnixNano": str(10**18 + number * _STEP_NS),
                    "endTimeUnixNano": str(10**18 + number * _STEP_NS + 900),
                    "attributes": [{"key": "stream", "value": {"intValue": "7"}}],
                }
                for number in range(first, min(first + 1000, events))
            ]
            file.write(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}) + "\n")


_WRITERS: Final[dict[str, Callable[[Path, int], None]]] = {
    "a.json": write_json,
    "a.sqlite": write_nsight,
    "a.pftrace": write_perfetto,
    "a.jsonl": write_otlp,
}


def measure_all(folder: Path, events: int) -> Iterator[Row]:
    """A row for each format."""
    seconds: dict[str, float] = {}
    sizes: dict[str, int] = {}
    for name, write in _WRITERS.items():
        path = folder / name
        write(path, events)
        sizes[name] = path.stat().st_size
        begin = time.perf_counter()
        build_store([path], folder / f"{name}.store")
        seconds[name] = time.perf_counter() - begin
        path.unlink()
    json_rate = events / seconds["a.json"]
    beside = f"trace-event JSON of such events: {_rate(json_rate)}"
    yield measured_row("export of Nsight Systems", _NSIGHT, events / seconds["a.sqlite"], beside)
    yield measured_row("trace of Perfetto", _PERFETTO, events / seconds["a.pftrace"], beside)
    speed = {name: sizes[name] / seconds[name] for name in sizes}
    detail = f"{_rate(events / seconds['a.jsonl'])}, {speed['a.jsonl'] / 1e6:.0f} MB/s"
    yield measured_row("spans of OpenTelemetry", _OTLP, speed["a.jsonl"] / speed["a.json"], detail)


def main(argv: Sequence[str] | None = None) -> int:
    """Prints where it ran, and the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.translated_formats", description=__doc__, allow_abbrev=False)
    parser.add_argument("--events", type=int, default=1_000_000, help="of each format; default: a million")
    args = parser.parse_args(argv)
    for line in machine_lines("bench.translated_formats", argv):
        print(line)
    with tempfile.TemporaryDirectory(prefix="tilescope-bench-") as folder:
        rows = list(measure_all(Path(folder), args.events))
    print("\n".join(table_lines(rows)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
