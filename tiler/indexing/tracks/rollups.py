"""Rollups: built when all tracks are, from the slices of their tracks, which are kept until then."""

from __future__ import annotations

import errno
import tempfile
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import IO

import numpy as np

from tilescope.tiler import _native
from tilescope.tiler.errors import DiskFull
from tilescope.tiler.indexing.tracks.layout import PlacedTrack
from tilescope.tiler.indexing.tracks.track_data import TrackData

NO_NAME = -1  # of slices that name nothing

# A rollup is built in parts of so many slices or more, by as many threads as there are. Two parts of 9.4 million took
# two threads half the time, and 2 % more of both together.
_PART_SLICES = 1 << 20


class Rollups:
    """Takes the slices of tracks from any thread, and gives tile trees of rollups.

    The slices of the first tracks stay in memory, up to `memory_bytes`; others go to a file without a name in `folder`.
    """

    def __init__(self, tracks: Iterable[PlacedTrack], folder: Path | None = None, memory_bytes: int = 1 << 62) -> None:
        tracks = list(tracks)
        self._wanted = {child for track in tracks for child in track.children}
        self._framing = {track.id for track in tracks if track.frames}
        self._folder = folder
        self._memory_left = memory_bytes
        self._slices: dict[int, _native.KeptSlices] = {}
        self._file: IO[bytes] | None = None
        self._file_bytes = 0
        self._adding = threading.Lock()

    def add(self, track: int, data: TrackData) -> None:
        """A track that has slices. Raises DiskFull."""
        if track not in self._wanted:
            return
        name = np.full(len(data), NO_NAME, np.int32) if track in self._framing else data.name
        kept = _native.KeptSlices(data.start, data.duration, name)
        with self._adding:
            place = self._place(kept.bytes)
        if place is not None:
            file, offset = place
            try:
                kept = _native.KeptSlices.in_file(file, offset, data.start, data.duration, name)
            except OSError as error:
                if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                    raise
                what = f"no room for up to {kept.bytes / 1e6:,.0f} MB of scratch space: {error.strerror}"
                raise DiskFull(f"{self._folder}: {what}", kept.bytes) from error
        self._slices[track] = kept

    def cuts(self, rollup: PlacedTrack, root_level: int, threads: int) -> list[int]:
        """Times, ascending, that cut a rollup into parts of about the same size for so many threads."""
        parts = min(threads, rollup.weight // _PART_SLICES)
        return _native.rollup_cuts(self._children(rollup), root_level, parts) if parts > 1 else []

    def tiles(
        self,
        rollup: PlacedTrack,
        root_level: int,
        budget: _native.MemoryBudget | None = None,
        start: int = 0,
        stop: int | None = None,
    ) -> _native.Tiles:
        """The tile tree of a rollup, or its part between two cuts.

        Raises MemoryError when more slices are open than `budget` has room for.
        """
        return _native.rollup_tiles(self._children(rollup), root_level, budget, start=start, stop=stop)

    def forget(self) -> None:
        """All rollups are built, or none will be."""
        self._slices.clear()
        if self._file is not None:
            self._file.close()

    def _children(self, rollup: PlacedTrack) -> list[_native.KeptSlices]:
        return [self._slices[child] for child in rollup.children if child in self._slices]

    def _place(self, size_bytes: int) -> tuple[int, int] | None:
        """File and offset for so many bytes; None: they may stay in memory."""
        if size_bytes <= self._memory_left:
            self._memory_left -= size_bytes
            return None
        if self._file is None:
            self._file = tempfile.TemporaryFile(dir=self._folder, prefix="rollups-")  # noqa: SIM115 - until `forget`
        offset, self._file_bytes = self._file_bytes, self._file_bytes + size_bytes
        return self._file.fileno(), offset
