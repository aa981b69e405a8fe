"""Rollups: built when all tracks are, from the slices of their tracks, which are kept until then."""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.build.layout import PlacedTrack
from tilescope.tiler.build.scratch import Scratch, is_mapped
from tilescope.tiler.build.track_data import TrackData

Ints = NDArray[np.int64]


class Rollups:
    """Takes the slices of tracks from any thread, and gives tile trees of rollups."""

    def __init__(self, tracks: list[PlacedTrack], scratch: Scratch) -> None:
        self._scratch = scratch
        self._wanted = {child for track in tracks for child in track.children}
        self._slices: dict[int, tuple[Ints, Ints, NDArray[np.int32]]] = {}
        self._adding = threading.Lock()

    def add(self, track: int, data: TrackData) -> None:
        """A track that has slices."""
        if track not in self._wanted:
            return
        keep = self._scratch.keep
        slices = keep(data.start), keep(data.duration), keep(data.name)
        with self._adding:
            self._slices[track] = slices

    def tiles(self, rollup: PlacedTrack, root_level: int) -> _native.Tiles:
        """The tile tree of a rollup."""
        slices = [self._slices[child] for child in rollup.children if child in self._slices]
        children = [(*columns, all(is_mapped(column) for column in columns)) for columns in slices]
        return _native.rollup_tiles(children, root_level)

    def forget(self) -> None:
        """All rollups are built."""
        self._slices.clear()
