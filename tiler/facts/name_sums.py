"""Sums of each name on a track in windows: what takes the time, and what no rule names, are told from the same ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilescope.tiler.query import Interruptible, QueryReader, Reading
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.records.histogram import Histogram
from tilescope.tiler.windows import Windows, everywhere, windows_digest


def name_sums(reader: QueryReader, track: int, windows: Windows) -> Interruptible[Sequence[Histogram]]:
    """Histograms that add up to count and time of each name, as `Reading.histogram_parts`.

    Raises DamagedStore, NotBuilt.
    """
    windows_of = everywhere(windows)
    key = windows_digest([track], windows_of)
    kept = _SUMS.get(reader, key)
    if kept is not None:
        return kept
    parts = []
    for part in Reading(reader).histogram_parts([track], windows_of):
        parts.append(part)
        yield
    return _SUMS.keep(reader, key, parts)


def _size_bytes(parts: Sequence[Histogram]) -> int:
    return sum(_NAME_BYTES * len(part) for part in parts)


_NAME_BYTES: Final = 7 * 8
_SUMS: Final[KeyedRunCache[bytes, Sequence[Histogram]]] = KeyedRunCache(
    "name_sums", "Sums of names on tracks in spans", _size_bytes
)
