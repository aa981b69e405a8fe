"""Work of devices that no rule names: it counts as computation by default, which may be wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.devices import Device, WorkTrack
from tilescope.tiler.facts.name_sums import name_sums
from tilescope.tiler.facts.work import Origin, Work
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.windows import WindowsOf


@dataclass(frozen=True, slots=True)
class UnnamedWork:
    """Own time of work in ticks, summed over devices: of all of it, and of each name that no rule names."""

    whole: int
    by_name: dict[int, int]

    @property
    def ticks(self) -> int:
        """That of all these names together."""
        return sum(self.by_name.values())

    @property
    def longest(self) -> int:
        """The name with most of it, of which there is one."""
        return min(self.by_name, key=lambda name: (-self.by_name[name], name))


def unnamed_work(reader: QueryReader, devices: Sequence[Device], windows_of: WindowsOf) -> Interruptible[UnnamedWork]:
    """That of the tracks on which some devices work, in windows. Raises DamagedStore, NotBuilt."""
    whole = 0
    by_name: Counter[int] = Counter()
    tracks = [track for device in devices for track in device.tracks]
    if any(_is_unnamed(track).any() for track in tracks):
        for track in tracks:
            is_unnamed, is_work = _is_unnamed(track), track.kinds != Work.NONE
            for part in (yield from name_sums(reader, track.track, windows_of(track.track))):
                rows = np.flatnonzero((part.name >= -1) & is_work[np.maximum(part.name, -1) + 1])
                own = part.self_busy[rows]
                whole += sum(own.tolist())
                for row in np.flatnonzero(is_unnamed[part.name[rows] + 1]).tolist():
                    by_name[int(part.name[rows[row]])] += int(own[row])
                yield
    return UnnamedWork(whole, {name: ticks for name, ticks in by_name.items() if ticks})


def _is_unnamed(track: WorkTrack) -> NDArray[np.bool_]:
    if track.origins is None:
        return np.zeros(len(track.kinds), np.bool_)
    is_unnamed: NDArray[np.bool_] = (track.origins == Origin.DEFAULT) & (track.kinds == Work.COMPUTATION)
    return is_unnamed
