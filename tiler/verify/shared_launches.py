"""Chunks of launches that several tracks are held against: decoded once, as long as there is room for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.records.launches import Launches, LaunchWay
from tilescope.tiler.verify.catalogue import Catalogue
from tilescope.tiler.verify.memory import ProofMemory
from tilescope.tiler.verify.page_reader import inflate, inflated_bytes

# Of the memory of a verification, what may be kept of chunks: 1.5 MB each.
_KEPT_SHARE: Final = 8


class SharedLaunches:
    """Launches by correlation of chunks, kept until the last track that has an end of them. Tracks come in order."""

    def __init__(self, catalogue: Catalogue, memory: ProofMemory) -> None:
        self._catalogue = catalogue
        self._memory = memory
        self._room = memory.limit // _KEPT_SHARE
        self._kept: dict[tuple[int, int], Launches] = {}  # by track of the work, and event

    @contextmanager
    def decoded(self, work_track: int, event: int, stored: bytes, track: int) -> Iterator[Launches]:
        """The launches of a chunk that no flow of the file tells, to be held against a track. Raises DamagedStore."""
        place = work_track, event
        launches = self._kept.get(place)
        if launches is not None:
            yield launches
            if _last_track(launches, work_track) <= track:
                self._drop(place)
            return
        with self._memory.taken(len(stored) + inflated_bytes(stored)):
            try:
                launches = Launches.decode(inflate(stored), work_track)
            except DamagedStore as error:
                raise self._catalogue.track_error(work_track, f"launches are damaged: {error}") from error
            launches = launches.take(launches.way == LaunchWay.CORRELATION)
            if _last_track(launches, work_track) > track:
                self._keep(place, launches)
            yield launches

    def clear(self) -> bool:
        """Gives the memory of all that is kept back, and keeps no more. Returns whether there was any."""
        places = list(self._kept)
        for place in places:
            self._drop(place)
        self._room = 0
        return bool(places)

    def _keep(self, place: tuple[int, int], launches: Launches) -> None:
        size = _size_bytes(launches)
        if size > self._room:
            return
        try:
            self._memory.native.take(size)
        except MemoryError:  # others have it
            return
        self._room -= size
        self._kept[place] = launches

    def _drop(self, place: tuple[int, int]) -> None:
        size = _size_bytes(self._kept.pop(place))
        self._room += size
        self._memory.native.give(size)


def _last_track(launches: Launches, work_track: int) -> int:
    """The last track that has an end of these launches."""
    return max(work_track, int(launches.partner_track.max(initial=-1)))


def _size_bytes(launches: Launches) -> int:
    return sum(int(getattr(launches, column).nbytes) for column in launches.__struct_fields__)
