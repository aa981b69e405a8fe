"""Views of the states of a device: which windows a lane draws of each piece of its time, by name.

The rows of Ascend's profilers, merged computation and communication, communication that nothing hides, and free time,
are made of the same divisions as the states of any device. Free time has neither computation nor communication; its
causes divide it, so that those of a range are the sum of its halves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.busy import Busy
from tilescope.tiler.facts.devices import Device
from tilescope.tiler.facts.division import Division
from tilescope.tiler.facts.launches import device_launches
from tilescope.tiler.facts.work import Work, works_of
from tilescope.tiler.query import Interruptible, QueryReader, Reading
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]
ViewWindows = Callable[[QueryReader, Device, Division], Interruptible[Sequence[Windows]]]

_NOT_RECORDED: Final = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class StateView:
    """A view: `names` of slices, and the windows of each in a division; no two of them share a tick."""

    key: str
    names: Sequence[str]
    windows: ViewWindows


@dataclass(frozen=True, slots=True)
class AscendRow:
    """A row that Ascend's profilers write, with its names in the files, in lower case."""

    view: StateView
    title: str
    written: frozenset[str]
    works: frozenset[Work]  # what a click shows; none: what ends it


def _of_division(windows: Callable[[Division], Sequence[Windows]]) -> ViewWindows:
    def of_view(reader: QueryReader, device: Device, division: Division) -> Interruptible[Sequence[Windows]]:
        yield from ()
        return windows(division)

    return of_view


def _states(division: Division) -> Sequence[Windows]:
    exposed = division.exposed
    return (exposed.computation, exposed.communication, exposed.copies, division.idle)


def _free(division: Division) -> Windows:
    return division.windows.without(division.exposed.computation).without(division.exposed.communication)


def _causes(reader: QueryReader, device: Device, division: Division) -> Interruptible[Sequence[Windows]]:
    """Free time before the launch of the work that ends it, after that, with copies, and before work without one."""
    copies = _free(division).without(division.idle)
    starts, stops = division.idle.starts, division.idle.stops
    ends = stops.copy()
    if len(ends) and ends[-1] == division.windows.stop:  # it may go on behind the piece
        extent = yield from Busy(reader, device.tracks).extent(TickRange(int(ends[-1]), reader.end + 1))
        ends[-1] = extent.start if len(extent) else reader.end + 1
    launch = yield from _launches(reader, device, ends)
    is_launched = launch != _NOT_RECORDED
    border = np.clip(launch, starts, stops)[is_launched]
    return (
        Windows.from_spans(starts[is_launched], border),
        Windows.from_spans(border, stops[is_launched]),
        copies,
        Windows.from_spans(starts[~is_launched], stops[~is_launched]),
    )


def _launches(reader: QueryReader, device: Device, ends: Ints) -> Interruptible[Ints]:
    """The first launch of work that starts at each of these ticks, which ascend."""
    launch = np.full(len(ends), _NOT_RECORDED)
    for work_track in device.tracks if len(ends) else ():
        launches = yield from device_launches(reader, work_track.track)
        plan = reader.plan(work_track.track, Windows.from_spans(ends, ends + 1))
        for events in Reading(reader).events(plan, plan.leaf_runs):
            place = np.minimum(np.searchsorted(ends, events.start), len(ends) - 1)
            row = launches.rows(events.ordinal)
            is_end = (ends[place] == events.start) & (row >= 0)
            is_end &= works_of(work_track.kinds)[events.name + 1] != Work.NONE
            np.minimum.at(launch, place[is_end], launches.start[row[is_end]])
            yield
    return launch


STATES: Final = StateView("", ("Computation", "Exposed communication", "Exposed copies", "Idle"), _of_division(_states))
FREE_CAUSES: Final = StateView(
    "causes", ("Host did not dispatch", "Launch took long", "Copies", "Launch not recorded"), _causes
)
ASCEND_ROWS: Final = (
    AscendRow(
        StateView("computation", ("Computing",), _of_division(lambda division: (division.work.computation,))),
        "Merged computation",
        frozenset({"computing", "merged computation"}),
        frozenset({Work.COMPUTATION}),
    ),
    AscendRow(
        StateView("communication", ("Communication",), _of_division(lambda division: (division.work.communication,))),
        "Merged communication",
        frozenset({"communication", "merged communication"}),
        frozenset({Work.COMMUNICATION}),
    ),
    AscendRow(
        StateView(
            "pure",
            ("Communication(Not Overlapped)",),
            _of_division(lambda division: (division.exposed.communication,)),
        ),
        "Pure communication",
        frozenset({"communication(not overlapped)", "pure communication"}),
        frozenset({Work.COMMUNICATION}),
    ),
    AscendRow(
        StateView("free", ("Free",), _of_division(lambda division: (_free(division),))),
        "Free time",
        frozenset({"free"}),
        frozenset(),
    ),
)
