"""Counts of events of an XSpace that share texts with some words: by the names of events, of which sums are stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.query import Interruptible, QueryReader, Reading
from tilescope.tiler.records.span_sums import SpanSums
from tilescope.tiler.windows import WindowsOf

Ints = NDArray[np.int64]


class SharedCounts(Struct, frozen=True):
    """Events by argument, and arguments of which it is not clear by names: some metadata of a name has the words."""

    counts: Mapping[str, int]
    unclear: set[str]


def shared_counts(
    reader: QueryReader,
    having: Mapping[str, Ints],
    name: Ints,
    numbered: tuple[Ints, Ints] | None,
    tracks: Sequence[int],
    windows_of: WindowsOf,
) -> Interruptible[SharedCounts]:
    """Counts of events on some tracks. Raises DamagedStore.

    `having`: by argument the entries of metadata that have the words. `name`: by entry its name, -1 where no event of
    the tracks has it. `numbered`: entries that have their name with others, one or several times, and how many events
    on the tracks have them; None: this is not known.
    """
    events = yield from _events_by_name(reader, tracks, windows_of)
    counts: Counter[str] = Counter()
    unclear: set[str] = set()
    entries_of_name = np.bincount(name[name >= 0], minlength=len(events))
    for argument, entries in having.items():
        used = entries[name[entries] >= 0]
        names, with_words = np.unique(name[used], return_counts=True)
        is_mixed = (with_words < entries_of_name[names]) & (events[names] > 0)
        counts[argument] = int(events[names[~is_mixed]].sum())
        if is_mixed.any() and numbered is not None:
            numbered_entries, of_each = numbered
            is_counted = np.isin(numbered_entries, used) & np.isin(name[numbered_entries], names[is_mixed])
            counts[argument] += int(of_each[is_counted].sum())
        elif is_mixed.any():
            unclear.add(argument)
        yield
    return SharedCounts({argument: count for argument, count in counts.items() if argument not in unclear}, unclear)


def _events_by_name(reader: QueryReader, tracks: Sequence[int], windows_of: WindowsOf) -> Interruptible[Ints]:
    sums = SpanSums()
    yield from Reading(reader).add_windows(sums, tracks, windows_of)
    by_name = sums.sums()
    events = np.zeros(reader.names.count + 2, np.int64)  # the last are of events without a name
    events[by_name.name] = by_name.count
    return events
