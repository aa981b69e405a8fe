"""The operator of PyTorch that launches each slice on a track of a device."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.host_operations.naming import launching_operator
from tilescope.tiler.facts.launches.device_launches import has_launches
from tilescope.tiler.facts.launches.frames import StreamFrames
from tilescope.tiler.facts.stacks.chains import FrameChains
from tilescope.tiler.facts.stacks.frame_kinds import OPERATORS, frame_names
from tilescope.tiler.query import Interruptible, QueryReader

Ints = NDArray[np.int64]


class LaunchingOperators:
    """Operators behind the slices of a track, as places in `texts`: 0 is that of none. For one question.

    `around`: sought around each as well. Of a run that is still being indexed none. Raises DamagedStore.
    """

    def __init__(self, reader: QueryReader, track: int, around: str | None = None) -> None:
        self.texts = [""]
        self._reader = reader
        self._track = track
        self._chains = FrameChains()
        self._frames: StreamFrames | None = None
        self._is_sought: bool | None = None
        self._places = np.zeros(1, np.int64)  # in `texts`, by number of the chain
        self._around = around
        self._is_around = np.zeros(1, np.bool_)  # by number of the chain
        self._by_text = {"": 0}

    def behind(self, ordinals: Ints) -> Interruptible[tuple[Ints, NDArray[np.bool_]]]:
        """The operator that launches each of these slices, and true where it is in `around`, or is that."""
        if self._is_sought is None:
            is_operator = yield from frame_names(self._reader, OPERATORS)
            has_operators = self._reader.is_whole and bool(is_operator.any())
            self._is_sought = has_operators and has_launches(self._reader, self._track)
            self._frames = StreamFrames(self._reader, self._track, self._chains) if self._is_sought else None
        if self._frames is None:
            return np.zeros(len(ordinals), np.int64), np.zeros(len(ordinals), np.bool_)
        numbers = yield from self._frames.behind(ordinals)
        self._name_chains()
        return self._places[numbers], self._is_around[numbers]

    def _name_chains(self) -> None:
        """Gives a place to each chain that is new."""
        new = self._chains.listed()[len(self._places) :]
        names = self._reader.names.by_id({name for chain in new for name in chain})
        places, is_around = [], []
        for chain in new:
            texts = [names[name].text for name in chain]
            text = launching_operator(texts)
            is_around.append(self._around in texts)
            places.append(self._by_text.setdefault(text, len(self._by_text)))
        self.texts += list(self._by_text)[len(self.texts) :]
        self._places = np.append(self._places, np.array(places, np.int64))
        self._is_around = np.append(self._is_around, np.array(is_around, np.bool_))
