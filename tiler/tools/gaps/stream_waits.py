"""Waits of each stream in its gaps, by what its work waits for: its host, the kernel before it, or something else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tilescope.tiler.facts.launches import has_launches
from tilescope.tiler.facts.launches.stream_gaps import GapClass, stream_gaps
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.ticks import UNITS_PS
from tilescope.tiler.tools.answer import Column, Table, Value
from tilescope.tiler.tools.gaps.gap_search import LaneGaps
from tilescope.tiler.tools.gaps.lanes import Lane
from tilescope.tiler.tools.question_windows import QuestionWindows

_SHORT_GAP_US: Final = 30  # as HTA has it, whose help calls them nanoseconds

_TITLES: Final = {
    GapClass.HOST: ("host_wait", "Host wait"),
    GapClass.KERNEL: ("kernel_wait", "Kernel wait"),
    GapClass.OTHER: ("other_wait", "Other"),
    GapClass.UNKNOWN: ("unknown_wait", "Launch not recorded"),
}


@dataclass(frozen=True, slots=True)
class StreamWaits:
    """Ticks of the gaps of a stream, by class."""

    name: str
    track: int
    ticks: Sequence[int]
    overlapping: int  # slices that begin before other work of the stream has ended

    @property
    def idle(self) -> int:
        """All of them."""
        return sum(self.ticks)


def stream_waits(
    reader: QueryReader,
    lanes: Sequence[Lane],
    of_lanes: Sequence[LaneGaps],
    question_windows: QuestionWindows,
    short_gap: int | None,
) -> Interruptible[list[StreamWaits]]:
    """The waits of lanes that are streams with launches. Raises DamagedStore."""
    least = short_gap_ticks(reader, short_gap)
    waits = []
    for lane, lane_gaps in zip(lanes, of_lanes, strict=True):
        if lane.device is not None and has_launches(reader, lane.track):
            gaps = yield from stream_gaps(reader, lane.tracks[0])
            windows = question_windows.on_device(lane.device).clipped(lane_gaps.start, lane_gaps.stop)
            waits.append(StreamWaits(lane.name, lane.track, gaps.sums(windows, least), gaps.overlapping_in(windows)))
        yield
    return waits


def short_gap_ticks(reader: QueryReader, short_gap: int | None) -> int:
    """The length of gaps that are waits for kernels below it."""
    return _SHORT_GAP_US * UNITS_PS["us"] // reader.tick_ps if short_gap is None else short_gap


def waits_tables(waits: Sequence[StreamWaits]) -> list[Table]:
    """The table; none where no stream has launches."""
    if not waits:
        return []
    sums = [sum(stream.ticks[kind] for stream in waits) for kind in GapClass]
    columns = [
        Column("lane", "Stream", "name", [stream.name for stream in waits]),
        Column("idle", "Idle", "ticks", [stream.idle for stream in waits]),
        *(Column(*_TITLES[kind], "ticks", [stream.ticks[kind] for stream in waits]) for kind in GapClass),
        *(_share(kind, waits) for kind in (GapClass.HOST, GapClass.KERNEL, GapClass.OTHER)),
        Column("overlapping", "Overlapping work", "count", [stream.overlapping for stream in waits]),
        Column("track", "Track", "track", [stream.track for stream in waits]),
    ]
    totals: dict[str, Value] = {"idle": sum(sums)}
    totals.update({_TITLES[kind][0]: sums[kind] for kind in GapClass})
    totals["overlapping"] = sum(stream.overlapping for stream in waits)
    return [Table("waits", "What streams wait for", columns, totals=totals)]


def _share(kind: GapClass, waits: Sequence[StreamWaits]) -> Column:
    name, title = _TITLES[kind]
    shares = [stream.ticks[kind] / stream.idle if stream.idle else None for stream in waits]
    return Column(f"{name}_share", title, "fraction", shares, total="none")
