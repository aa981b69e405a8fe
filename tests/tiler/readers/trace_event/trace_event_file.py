"""Trace-event files for tests, and what was read from them in a form that is easy to compare."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tilescope.tiler.columns import EventChunk, EventFlag, Phase, TraceSummary, TrackKind
from tilescope.tiler.details.json_args import decode
from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.readers.trace_event import TraceEventReader


@dataclass(frozen=True)
class Row:
    """One row of a chunk with all numbers resolved; times in picoseconds."""

    process: str
    track: str
    kind: TrackKind
    detail: str
    phase: Phase
    time_ps: int
    duration_ps: int
    name: str | None
    category: str | None
    key: int
    value: float | None
    flags: EventFlag
    args: bytes

    @property
    def decoded_args(self) -> list[tuple[str, object]]:
        return decode(self.args)


@dataclass(frozen=True)
class ReadFile:
    rows: list[Row]
    summary: TraceSummary

    @property
    def names(self) -> list[str | None]:
        return [row.name for row in self.rows]

    @property
    def spans(self) -> list[tuple[str | None, int, int]]:
        """(name, start, duration) in nanoseconds, for traces without finer times."""
        return [(row.name, row.time_ps // 1000, row.duration_ps // 1000) for row in self.rows]


def source_of(data: bytes) -> ByteSource:
    return ByteSource(Path("trace.json"), io.BytesIO(data), len(data))


def read(data: bytes | str) -> ReadFile:
    reader = TraceEventReader(source_of(data.encode() if isinstance(data, str) else data))
    chunks = list(reader.chunks())
    return resolve(chunks, reader.summary())


def summary_of(data: bytes) -> TraceSummary:
    """Only the summary: resolving the rows is what takes time."""
    reader = TraceEventReader(source_of(data))
    for chunk in reader.chunks():
        _check_shape(chunk)
    return reader.summary()


def read_path(path: Path) -> ReadFile:
    reader = TraceEventReader.open(path)
    chunks = list(reader.chunks())
    reader.close()
    return resolve(chunks, reader.summary())


def array(*events: str) -> str:
    return "[" + ",\n".join(events) + "]"


def event(extra: str = "", *, ph: str = "X", name: str = "a", ts: str = "1", dur: str = "2") -> str:
    """One event as text; `extra` begins with a comma."""
    return f'{{"ph":"{ph}","name":"{name}","pid":1,"tid":2,"ts":{ts},"dur":{dur}{extra}}}'


def resolve(chunks: Iterable[EventChunk], summary: TraceSummary) -> ReadFile:
    rows: list[Row] = []
    for chunk in chunks:
        _check_shape(chunk)
        time_ps = [0] * len(chunk) if chunk.time_ps is None else chunk.time_ps.tolist()
        duration_ps = [0] * len(chunk) if chunk.duration_ps is None else chunk.duration_ps.tolist()
        key = [-1] * len(chunk) if chunk.key is None else chunk.key.tolist()
        args = chunk.args.tobytes()
        args_begin = [0, *chunk.args_end.tolist()]
        for k in range(len(chunk)):
            track = summary.tracks[chunk.track[k]]
            phase = Phase(int(chunk.phase[k]))
            rows.append(
                Row(
                    process=summary.processes[track.process].name,
                    track=track.name,
                    kind=track.kind,
                    detail=track.detail,
                    phase=phase,
                    time_ps=int(chunk.time_ns[k]) * 1000 + time_ps[k],
                    duration_ps=int(chunk.duration_ns[k]) * 1000 + duration_ps[k],
                    name=None if chunk.name[k] < 0 else summary.names[chunk.name[k]],
                    category=None if chunk.name[k] < 0 else summary.categories[chunk.name[k]],
                    key=key[k],
                    value=float(chunk.value[k]) if chunk.value is not None and phase is Phase.COUNTER else None,
                    flags=EventFlag(int(chunk.flags[k])),
                    args=args[args_begin[k] : args_begin[k + 1]],
                )
            )
    return ReadFile(rows, summary)


def _check_shape(chunk: EventChunk) -> None:
    columns = (chunk.phase, chunk.time_ns, chunk.duration_ns, chunk.name, chunk.flags, chunk.args_end)
    optional = (chunk.time_ps, chunk.duration_ps, chunk.key, chunk.value)
    assert all(len(column) == len(chunk) for column in (*columns, *(one for one in optional if one is not None)))
    assert len(chunk.args) == (chunk.args_end[-1] if len(chunk) else 0)
