"""Event metadata of an XSpace: what the events of one kind share, in tables of which little is read at a time.

Metadata has numbers: first that which events use, by which their arguments name it, then what no event uses and has
stats.
The head of the tables is a msgpack map:

    planes  by plane [name, {stat metadata id: name}]; without names where the plane has no metadata in the tables
    plane   int32, little-endian: of each number its plane
    name    int32, little-endian: of each number the id of its name in the run, -1 where no event uses it
    alike   int32, little-endian: of each number the first one with the same names and stats, those of planes that call
            their stats the same

Pages of 256 numbers follow, each a msgpack list:

    [plane, metadata id, long name or "", name where no event uses it or "", `stats` fields as they lie in the file]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import msgpack
import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details.typed_stats import Stat, stat_head, stats_with, typed_stats

ENTRIES_PER_PAGE: Final = 256

_KEPT_PAGES: Final = 8
_INT32: Final = np.dtype("<i4")


@dataclass(frozen=True, slots=True)
class PlaneNames:
    """A plane, and how its stats are called."""

    name: str
    stat_names: dict[int, str]

    def heads(self, name: str) -> tuple[bytes, ...]:
        """What stats of that name begin with, in a file that writes their numbers first."""
        return tuple(stat_head(stat) for stat, of in self.stat_names.items() if of == name)


@dataclass(frozen=True, slots=True)
class EventMetadata:
    """What the events of one kind share."""

    plane: int
    id: int
    long_name: str  # "" where it is not longer than the name of the events
    name: str  # "" where events use it: their names are in the run's table
    stats: bytes  # fields of XStat messages


class XStatTables:
    """The tables of a file. `page` gives each by its number; both it and this may be used from any thread."""

    def __init__(self, head: bytes, page: Callable[[int], bytes]) -> None:
        """Raises ValueError, LookupError or TypeError for a head that makes no sense."""
        packed = msgpack.unpackb(head, strict_map_key=False)
        self.planes = tuple(PlaneNames(name, names) for name, names in packed["planes"])
        self.plane: NDArray[np.int32] = np.frombuffer(packed["plane"], _INT32)  # of each number
        self.name: NDArray[np.int32] = np.frombuffer(packed["name"], _INT32)  # its id in the run, or -1
        self.alike: NDArray[np.int32] = np.frombuffer(packed["alike"], _INT32)  # the first number of the same content
        if (
            len(self.alike) != len(self.name)
            or np.any(self.alike > np.arange(len(self.alike)))
            or np.any(self.alike < 0)
        ):
            raise ValueError("tables of metadata that is like other than there is")
        if len(self.plane) != len(self.name) or np.any(self.plane >= len(self.planes)) or np.any(self.plane < 0):
            raise ValueError("tables of metadata whose columns differ")
        self._page = lru_cache(_KEPT_PAGES)(lambda number: unpack_page(page(number)))
        self._raw = page
        self._by_name: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.plane)

    def entry(self, number: int) -> EventMetadata:
        """The metadata of this number. Raises LookupError."""
        if not 0 <= number < len(self):
            raise LookupError(f"there is no metadata {number}")
        page, at = divmod(number, ENTRIES_PER_PAGE)
        return self._page(page)[at]

    def raw_page(self, page: int) -> list[object]:
        """The entries of a page as they are packed, for whoever reads all of them. Raises ValueError."""
        found = msgpack.unpackb(self._raw(page))
        if not isinstance(found, list):
            raise ValueError("a page of metadata that makes no sense")
        return found

    def of_name(self, name: int) -> list[int]:
        """The numbers of the metadata whose events have this name, a name id of the run: of several programs, say."""
        if self._by_name is None:
            self._by_name = np.argsort(self.name, kind="stable")
        of = self.name[self._by_name]
        first, last = np.searchsorted(of, name, "left"), np.searchsorted(of, name, "right")
        return [int(number) for number in self._by_name[first:last]] if name >= 0 else []

    def of_plane(self, plane: int) -> list[int]:
        """The numbers of the metadata of a plane."""
        return [int(number) for number in np.flatnonzero(self.plane == plane)]

    def stats(self, number: int) -> list[Stat]:
        """The stats of the metadata of this number, with their types. Raises LookupError, WireDamage."""
        entry = self.entry(number)
        return list(typed_stats(entry.stats, self.planes[entry.plane].stat_names))

    def stats_called(self, name: str, number: int) -> list[Stat]:
        """Those that the plane calls so; the others are passed over undecoded. Raises LookupError, WireDamage."""
        entry = self.entry(number)
        plane = self.planes[entry.plane]
        return [stat for stat in stats_with(entry.stats, plane.stat_names, plane.heads(name)) if stat.name == name]


def page_count(entries: int) -> int:
    """How many pages so many numbers take."""
    return -(-entries // ENTRIES_PER_PAGE)


def pack_head(
    planes: Sequence[PlaneNames], plane: NDArray[np.int32], name: NDArray[np.int32], alike: NDArray[np.int32]
) -> bytes:
    """The head of the tables."""
    packed: bytes = msgpack.packb(
        {
            "planes": [[of.name, of.stat_names] for of in planes],
            "plane": plane.astype(_INT32).tobytes(),
            "name": name.astype(_INT32).tobytes(),
            "alike": alike.astype(_INT32).tobytes(),
        }
    )
    return packed


def pack_page(entries: Iterable[EventMetadata]) -> bytes:
    """A page."""
    packed: bytes = msgpack.packb([[of.plane, of.id, of.long_name, of.name, of.stats] for of in entries])
    return packed


def unpack_page(page: bytes) -> list[EventMetadata]:
    """The inverse. Raises ValueError or TypeError for what is no page."""
    return list(_entries(msgpack.unpackb(page)))


def _entries(unpacked: Iterable[Sequence[object]]) -> Iterator[EventMetadata]:
    for plane, metadata_id, long_name, name, stats in unpacked:
        texts = isinstance(long_name, str) and isinstance(name, str)
        if not (isinstance(plane, int) and isinstance(metadata_id, int) and texts and isinstance(stats, bytes)):
            raise ValueError("a page of metadata that makes no sense")
        yield EventMetadata(plane, metadata_id, str(long_name), str(name), stats)
