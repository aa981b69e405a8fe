"""Summary of a file that a reader has read to its end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, runtime_checkable

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.columns.attachment import Attachment
from tilescope.tiler.columns.chunk import Phase
from tilescope.tiler.columns.origin import Label, TrackOrigin
from tilescope.tiler.columns.side_table import SideTable


class TrackKind(StrEnum):
    """Content of a track; the values are those of the API."""

    SLICE = "slice"
    ASYNC = "async"
    INSTANT = "instant"
    COUNTER = "counter"
    ROLLUP = "rollup"
    FLOW = "flow"  # carrier of a thread's flow ends; never shown as a track of its own


class Process(Struct, frozen=True):
    """A group of tracks: a process of a JSON trace, a plane of an XSpace."""

    name: str
    detail: str = ""  # for instance "pid 12", labels
    sort_index: int = 0  # smaller first; equal: natural order of names is NOT applied, order of appearance is kept
    is_device: bool = False  # an accelerator as XLA's profilers write it, whose lines `Steps` hold its steps
    host: str = ""  # that the file says for it alone; empty: it is of the file's


class CorrelationStat(Struct, frozen=True):
    """Stat of the events of a line by which launches and work of devices are joined."""

    ids: Sequence[int]  # that its plane gives it: one, as profilers write it
    is_on_device: bool  # the events are work of a device; else they are launches


class Track(Struct, frozen=True):
    """One lane group: a thread, a device line, an async group, one counter series, the instants of a thread."""

    process: int  # index into TraceSummary.processes
    kind: TrackKind
    name: str
    detail: str = ""  # for instance "tid 7", "line -3"
    sort_index: int = 0  # within the process, smaller first; equal: order in this list
    origin: TrackOrigin | None = None  # of a trace-event file
    correlation: CorrelationStat | None = None  # of an XSpace


class RowMove(Struct, frozen=True):
    """Rows that are of another track than the chunks say: that is known when the file has been read."""

    track: int  # as the chunks say
    to: int
    phase: Phase  # of the rows
    names: NDArray[np.bool_]  # theirs, by the number of the name; that of rows without one last
    # Slices by the numbers of their names, as above: rows move only if one of them overlaps one of these partly, and
    # else the track that they would move to is none. Such moves and tracks are the last ones.
    across: NDArray[np.bool_] | None = None


class DrawnWaits(Struct, frozen=True):
    """Waits for input of a thread. The file draws each as two flow ends behind a step, though it was before it."""

    flows: int  # track of the flow ends
    steps: int  # track of the slices that begin when a wait ends
    to: int  # track of the waits, numbered behind those of the chunks
    step_names: Mapping[int, int]  # name of that slice, by the name of the two flow ends


class EventCounts(Struct):
    """Events as written in the file. `total` is the sum of what the file has, see docs/formats.md for each format."""

    total: int = 0
    slices: int = 0
    instants: int = 0
    counter_samples: int = 0
    async_slices: int = 0
    flow_ends: int = 0
    other: int = 0


class Clock(Struct, frozen=True):
    """Zero of the times of a file, where its format keeps that in a place of its own."""

    start_ns: int  # when the capture began, since the epoch, which is in the times already; 0: the file does not say it
    latest_track_ns: int  # where the last of its tracks with events begins, in the times of the file


class JobRank(Struct, frozen=True):
    """The place of a file in a job of several processes, each of which writes one."""

    number: int
    world_size: int | None = None  # None: the file does not say it
    host: str = ""  # that the file, or its name, says


class DeviceClock(Struct, frozen=True):
    """Clock of a device that several files count by: all of them are shifted by one origin, which one of them has."""

    device: str  # key that files of one clock have in common
    origin_ns: int | None  # that the timeline of the device begins at; None: the file does not say it
    certainty: int = 0  # of the origin: the greatest of a device holds for all of its files


class DeviceFile(Struct, frozen=True):
    """The device that a file is of, where a profiler writes several files of it, and an event into more than one."""

    capture: str  # files of one capture and device may repeat each other's events
    device: str  # its number; empty: the file does not say it
    streams: Sequence[str]  # by track, what it is called in all of these files; empty: no stream


class ArgsTables(Protocol):
    """Tables of a file from which the codec of the format decodes arguments, opaque to the stages between."""

    def head(self, names: NDArray[np.int32]) -> bytes:
        """The part that is needed at once. `names` has the ids by which the file's names are stored."""

    def pages(self) -> Iterator[bytes]:
        """The parts that are needed piece by piece. To be called while the reader is open."""


@runtime_checkable
class TellingTables(ArgsTables, Protocol):
    """Tables that tell what stats of metadata say, and give any of their pages."""

    def texts_of_stat(self, stat: str) -> tuple[NDArray[np.int32], list[str]]:
        """The texts of a stat, and for each number of metadata the index of its text, -1 without one."""

    def page(self, number: int) -> bytes:
        """One of `pages`. To be called while the reader is open."""

    def release(self) -> None:
        """Lets go of what was read for pages."""


@dataclass(slots=True)
class TraceSummary:
    """Everything about a file that is not a column."""

    format: str  # id of the format: "xspace"
    processes: list[Process] = field(default_factory=list)
    tracks: list[Track] = field(default_factory=list)
    names: list[str] = field(default_factory=list)  # of events: distinct, or with distinct categories
    categories: list[str] = field(default_factory=list)  # of each name its category, or ""; a text may have several
    counts: EventCounts = field(default_factory=EventCounts)
    ignored: dict[str, int] = field(default_factory=dict)  # reason → how many
    warnings: list[str] = field(default_factory=list)  # one line each
    hostname: str = ""
    rank: JobRank | None = None
    device_file: DeviceFile | None = None
    base_time_ns: int = 0  # to be added to every `time_ns` of the chunks: some files say it only at their end
    clock: Clock | None = None
    device_clock: DeviceClock | None = None
    args_tables: ArgsTables | None = field(default=None, compare=False)
    attachments: list[Attachment] = field(default_factory=list)
    tables: list[SideTable] = field(default_factory=list)
    moves: list[RowMove] = field(default_factory=list, compare=False)
    waits: list[DrawnWaits] = field(default_factory=list, compare=False)
    labels: list[Label] = field(default_factory=list, compare=False)  # of a trace-event file
