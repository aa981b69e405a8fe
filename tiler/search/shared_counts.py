"""Counts of events of an XSpace that share texts with some words: by the names of events, of which sums are stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.query import Interruptible, QueryReader, Reading
from tilescope.tiler.records.span_sums import SpanSums
from tilescope.tiler.windows import WindowsOf

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


class SharedCounts(Struct, frozen=True):
    """Events by argument, and arguments of which it is not clear by names: some metadata of a name has the words."""

    counts: Mapping[str, int]
    unclear: set[str]


def shared_counts(
    reader: QueryReader,
    masks: Mapping[str, Mask],
    name: Ints,
    numbered: tuple[Ints, Ints] | None,
    tracks: Sequence[int],
    windows_of: WindowsOf,
) -> Interruptible[SharedCounts]:
    """Counts of events on some tracks. Raises DamagedStore.

    `masks`: by argument whether each metadata that the tracks may have has the words; `name`: its name. `numbered`:
    places of metadata, each of which has its name with others, and how many events on the tracks have it; None: this is
    not known.
    """
    events = yield from _events_by_name(reader, tracks, windows_of)
    counts: Counter[str] = Counter()
    unclear: set[str] = set()
    for argument, mask in masks.items():
        has, lacks = np.zeros(len(events), np.bool_), np.zeros(len(events), np.bool_)
        has[name[mask]], lacks[name[~mask]] = True, True
        mixed = has & lacks & (events > 0)
        counts[argument] = int(events[has & ~mixed].sum())
        if mixed.any() and numbered is not None:
            places, of_each = numbered
            counts[argument] += int(of_each[mask[places] & mixed[name[places]]].sum())
        elif mixed.any():
            unclear.add(argument)
        yield
    return SharedCounts({argument: count for argument, count in counts.items() if argument not in unclear}, unclear)


def add_numbered(parts: Iterable[tuple[Ints, Ints]]) -> tuple[Ints, Ints]:
    """Numbers and counts of several tracks, each number once, ascending."""
    numbers, counts = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    distinct, inverse = np.unique(numbers, return_inverse=True)
    sums = np.zeros(len(distinct), np.int64)
    np.add.at(sums, inverse, counts)
    return distinct, sums


def _events_by_name(reader: QueryReader, tracks: Sequence[int], windows_of: WindowsOf) -> Interruptible[Ints]:
    sums = SpanSums()
    yield from Reading(reader).add_windows(sums, tracks, windows_of)
    by_name = sums.sums()
    events = np.zeros(reader.names.count + 2, np.int64)  # the last are of events without a name
    events[by_name.name] = by_name.count
    return events
