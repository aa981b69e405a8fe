"""Events of a file that is translated to trace events, as plain values."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from tilescope.tiler.columns import Phase, TraceSummary
from tilescope.tiler.details.json_args import decode
from tilescope.tiler.readers.recognise import open_trace


@dataclass(frozen=True)
class Event:
    process: str
    track: str
    phase: Phase
    category: str
    name: str
    start_ns: int
    duration_ns: int
    value: float
    args: dict[str, object]


def read_events(path: Path) -> tuple[list[Event], TraceSummary]:
    """All rows of its chunks in file order, and the summary."""
    with closing(open_trace(path)) as reader:
        chunks = list(reader.chunks())
        summary = reader.summary()
    events = []
    for chunk in chunks:
        ends = [0, *chunk.args_end.tolist()]
        for row in range(len(chunk)):
            track = summary.tracks[chunk.track[row]]
            name = int(chunk.name[row])
            events.append(
                Event(
                    summary.processes[track.process].name,
                    track.name,
                    Phase(chunk.phase[row]),
                    "" if name < 0 else summary.categories[name],
                    "" if name < 0 else summary.names[name],
                    int(chunk.time_ns[row]) + summary.base_time_ns,
                    int(chunk.duration_ns[row]),
                    0.0 if chunk.value is None else float(chunk.value[row]),
                    dict(decode(chunk.args[ends[row] : ends[row + 1]].tobytes())),
                )
            )
    return events, summary
