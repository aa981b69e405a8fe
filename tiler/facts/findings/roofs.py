"""The operation that loses most time below the roofs of its device: its time less what its costs take at peaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tilescope.tiler.facts.findings.lane import Lane
from tilescope.tiler.facts.operations import Operation
from tilescope.tiler.facts.operations.rates import peaks_of
from tilescope.tiler.facts.operations.sources import operation_source
from tilescope.tiler.facts.work import Work, classifier
from tilescope.tiler.facts.work.kinds import work_of
from tilescope.tiler.query import Interruptible, Name, QueryReader
from tilescope.tiler.windows import Windows

# Real programs reach half of a peak where they do well: less than a quarter is far below. Costs are estimates of a
# compiler, and small operations are often far below: one is named that takes a great part of all time.
_FAR_BELOW: Final = 0.25
_GREAT: Final = 0.2

_PS: Final = 10**12


@dataclass(frozen=True, slots=True)
class Roofs:
    """`greatest` takes most of the time of devices, with its share of their time.

    `slow` is the operation far below its roof; `loss`: ticks a frame of one device.
    """

    greatest: Operation | None
    share: float
    slow: Operation | None = None
    loss: float = 0.0
    reached: float = 0.0  # part of the time in which it could be done, at most 1


def roofs_of(reader: QueryReader, lanes: Sequence[Lane]) -> Interruptible[Roofs]:
    """The operations of some devices, in their frames. Raises DamagedStore, NotBuilt."""
    source = operation_source(reader)
    by_track = {track: lane for lane in lanes for track in lane.device.track_ids}
    devices = [device for device in source.devices(reader) if by_track.keys() & set(device.tracks)]
    if not devices or len(devices) != len(lanes):
        return Roofs(None, 0.0)
    windows = {track: lane.frames.windows for track, lane in by_track.items()}
    fallback = next(iter(windows.values()), Windows.from_spans([], []))
    table = yield from source.table(reader, devices, lambda track: windows.get(track, fallback))
    rules = classifier(reader.work_rules)

    def computes(row: Operation) -> bool:
        code = rules.xla_operation(Name(row.metadata.name, row.metadata.category))
        return work_of(code) is Work.COMPUTATION

    operations = [row for row in table.operations if row.own and computes(row)]
    if not operations:
        return Roofs(None, 0.0)
    time = sum(lane.frames.ticks.sum() for lane in lanes) * reader.tick_ps
    greatest = max(operations, key=lambda row: row.own)
    share = float(greatest.own / time)
    peaks = peaks_of(reader, devices[0].group, reader.file_of(devices[0].tracks[0]))
    worst: tuple[float, float, Operation] | None = None
    for row in operations:
        if row.own < _GREAT * time or not (row.tells_flops or row.tells_bytes):
            continue
        seconds = max(row.flops / peaks.flops if peaks.flops else 0.0, row.hbm_bytes / peaks.hbm if peaks.hbm else 0.0)
        if not seconds or seconds * _PS >= _FAR_BELOW * row.own:
            continue
        lost = row.own - seconds * _PS
        if worst is None or lost > worst[0]:
            worst = lost, seconds * _PS / row.own, row
    if worst is None:
        return Roofs(greatest, share)
    frames = sum(len(lane.frames) for lane in lanes)
    return Roofs(greatest, share, worst[2], worst[0] / reader.tick_ps / frames, worst[1])
