"""Progress that a build reports while it runs."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct


class BuildProgress(Struct, frozen=True):
    """A moment of a build."""

    phase: str  # "wait", "read", "build" or "publish"
    fraction: float  # of the whole build that is done, 0 to 1
    events: int  # read so far
    bytes_read: int = 0  # of the trace files, as they lie on the disk
    bytes_total: int = 0
    tracks: int = 0  # found so far
    blocks_done: int = 0
    blocks: int = 0  # 0 as long as the layout is not known
    seconds_left: float | None = None  # an estimate; None while there is nothing to tell from
    build: str = ""  # id of the build
    revision: int = 0  # grows when the track tree that can be read so far changes; 0: nothing to show yet
    built: tuple[int, ...] = ()  # blocks that were finished since the last report


# Called from the building thread. May raise Cancelled to stop the build: nothing is left of it then.
ProgressCallback = Callable[[BuildProgress], None]
