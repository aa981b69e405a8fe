"""The processes, threads and tracks of a trace-event file, as its stream has met them."""

from __future__ import annotations

from enum import IntEnum

from msgspec import Struct

from tilescope.tiler import _native


class Role(IntEnum):
    """Role of a track: `TrackRole` of tiler/native/trace_event/tracks.hpp."""

    THREAD_SLICES = 0
    THREAD_INSTANTS = 1
    THREAD_FLOWS = 2
    PROCESS_INSTANTS = 3
    GLOBAL_INSTANTS = 4
    ASYNC_SLICES = 5
    ASYNC_INSTANTS = 6
    COUNTER = 7


class IdKind(IntEnum):
    """Kind of a pid or tid: `Identity::Kind`."""

    ABSENT = 0
    INTEGER = 1
    TEXT = 2


class JsonProcess(Struct):
    """A process and its metadata, as lists: of metadata that is written more than once the last counts. Empty: none."""

    id_kind: int
    pid: str
    names: list[str]
    labels: list[str]
    sort_indices: list[int]
    is_string: bool = False  # the pid was written so
    is_device: bool = False  # of two that share a pid, the device
    host: str = ""  # where the file says one for each process


class JsonThread(Struct):
    """A thread of the process of that number."""

    process: int
    id_kind: int
    tid: str
    names: list[str]
    sort_index: int | None
    device: str = ""  # the argument of that name of a kernel or copy on it
    is_string: bool = False  # the tid was written so


class JsonTrack(Struct):
    """`thread` is -1 where the track is of a process, and `process` where it is of the whole trace."""

    role: int
    process: int
    thread: int
    label: str  # category, or name of a counter
    counter_id: str
    series: str
    sides: int = 0  # by the categories of its events: bits ON_HOST, ON_DEVICE, ON_EITHER


ON_HOST, ON_DEVICE, ON_EITHER = 1, 2, 4


class Entries:
    """All of them; numbers are places in these lists."""

    def __init__(self, stream: _native.TraceEventStream) -> None:
        self.processes = [JsonProcess(*entry) for entry in stream.processes()]
        self.threads = [JsonThread(*entry) for entry in stream.threads()]
        sides = stream.track_sides()
        self.tracks = [JsonTrack(*entry) for entry in stream.tracks()]
        for track, of_track in zip(self.tracks, sides, strict=False):  # those without rows so far come last
            track.sides = of_track
