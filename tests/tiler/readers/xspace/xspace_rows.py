"""What the reader under test yields, in the words of the reference."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.tiler.readers.xspace.xspace_reference import RefEvent, RefSample
from tilescope.tiler.columns import EventFlag, Phase, TraceSummary
from tilescope.tiler.details import xstat
from tilescope.tiler.details.xstat_tables import XStatTables
from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.readers.xspace import XSpaceReader


@dataclass
class ReadSpace:
    events: list[RefEvent]
    samples: list[RefSample]
    summary: TraceSummary
    flow_keys: dict[tuple[int, int], int]  # (type, id) → key


def tables_of(summary: TraceSummary) -> XStatTables:
    """What decodes the arguments, as a store has it; names keep their numbers. While the reader is open."""
    assert summary.args_tables is not None
    pages = list(summary.args_tables.pages())
    ids = np.append(np.arange(len(summary.names), dtype=np.int32), np.int32(-1))
    return XStatTables(summary.args_tables.head(ids), pages.__getitem__)


def read(path: Path) -> ReadSpace:
    """All events; flow rows are folded into the event that they follow."""
    reader = XSpaceReader(ByteSource.open(path))
    try:
        chunks = list(reader.chunks())
        assert reader.bytes_read() == reader.size_bytes
        summary = reader.summary()
        tables = tables_of(summary)
    finally:
        reader.close()
    events: list[RefEvent] = []
    samples: list[RefSample] = []
    keys: dict[tuple[int, int], int] = {}
    for chunk in chunks:
        assert chunk.time_ps is not None
        assert chunk.duration_ps is not None
        begin = 0
        for i in range(len(chunk)):
            end = int(chunk.args_end[i])
            start_ps = int(chunk.time_ns[i]) * 1000 + int(chunk.time_ps[i])
            assert 0 <= chunk.time_ps[i] < 1000
            assert 0 <= chunk.duration_ps[i] < 1000
            if chunk.phase[i] == Phase.COMPLETE:
                flags = EventFlag(int(chunk.flags[i]))
                args = xstat.decode(chunk.args[begin:end].tobytes(), tables)
                events.append(
                    RefEvent(
                        track=int(chunk.track[i]),
                        start_ps=start_ps,
                        duration_ps=int(chunk.duration_ns[i]) * 1000 + int(chunk.duration_ps[i]),
                        name=summary.names[chunk.name[i]],
                        category=summary.categories[chunk.name[i]],
                        clamped=EventFlag.CLAMPED in flags,
                        aggregated=EventFlag.AGGREGATED in flags,
                        args=args,
                        flow_in=None,
                        flow_out=None,
                    )
                )
                assert chunk.key is None or chunk.key[i] == -1
            elif chunk.phase[i] == Phase.COUNTER:
                assert chunk.value is not None
                assert (chunk.duration_ns[i], chunk.duration_ps[i], chunk.flags[i]) == (0, 0, 0)
                args = xstat.decode(chunk.args[begin:end].tobytes(), tables)
                name = summary.names[chunk.name[i]]
                samples.append(RefSample(int(chunk.track[i]), start_ps, name, float(chunk.value[i]), args))
            else:
                assert chunk.key is not None
                assert (end, chunk.track[i], start_ps) == (begin, events[-1].track, events[-1].start_ps)
                assert chunk.duration_ns[i] == 0
                _fold_flow(events[-1], Phase(int(chunk.phase[i])), int(chunk.key[i]), keys)
            begin = end
        assert begin == len(chunk.args)
    return ReadSpace(events, samples, summary, keys)


def _fold_flow(event: RefEvent, phase: Phase, key: int, keys: dict[tuple[int, int], int]) -> None:
    """Keys are numbers of (type, id): the same for the same pair, different for different ones."""
    type_name, id_name = ("_ct", "_c") if phase == Phase.FLOW_END else ("_pt", "_p")
    numbers = {name: value & (1 << 64) - 1 for name, value in event.args if isinstance(value, int)}
    pair = (numbers[type_name], numbers[id_name])
    assert keys.setdefault(pair, key) == key
    if phase == Phase.FLOW_END:
        event.flow_in = pair
    else:
        assert phase == Phase.FLOW_START
        event.flow_out = pair
