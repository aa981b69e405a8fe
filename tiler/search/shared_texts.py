"""Texts that events of an XSpace share by their metadata: counted by the names of events, of which sums are stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.details.stat_values import LONG_NAME, shared_values
from tilescope.tiler.details.values import ValueKind
from tilescope.tiler.details.xstat_tables import XStatTables
from tilescope.tiler.query import Interruptible, QueryReader, Reading
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.records.span_sums import SpanSums
from tilescope.tiler.search.arguments import contains
from tilescope.tiler.size_estimate import estimated_bytes
from tilescope.tiler.windows import WindowsOf

Ints = NDArray[np.int64]


class SharedColumn(Struct, frozen=True):
    """Texts under one name, of the metadata of a plane."""

    texts: Sequence[str]  # each once
    number: Ints  # of each metadata that has one: its place among the texts; -1 none


class PlaneTexts(Struct, frozen=True):
    """Texts of the metadata of a plane, and the names of events that have it: name ids."""

    names: Ints
    columns: dict[str, SharedColumn]

    def with_words(self, words: Sequence[str]) -> dict[str, NDArray[np.bool_]]:
        """By argument, where there is any: which metadata has all of these words in it."""
        masks: dict[str, NDArray[np.bool_]] = {}
        for argument, column in self.columns.items():
            has = [all(contains(text, word) for word in words) for text in column.texts]
            if any(has):
                masks[argument] = np.array([*has, False], np.bool_)[column.number]
        return masks


_PLANES: Final = KeyedRunCache[tuple[int, int], PlaneTexts](
    "shared_texts", "Texts of metadata, for searches", estimated_bytes
)


def plane_texts(reader: QueryReader, file: int, tables: XStatTables, plane: int) -> Interruptible[PlaneTexts]:
    """Texts of a plane of a file: read once. Raises DamagedStore."""
    kept = _PLANES.get(reader, (file, plane))
    if kept is not None:
        return kept
    numbers = np.flatnonzero((tables.plane == plane) & (tables.name >= 0))
    columns = {}
    names = [*dict.fromkeys(text or f"[stat {stat}]" for stat, text in tables.planes[plane].stat_names.items())]
    for name in dict.fromkeys([LONG_NAME, *names]):
        values = shared_values(tables, name, numbers)
        rows = values.where(ValueKind.TEXT)
        if len(rows):
            distinct, inverse = np.unique(values.bits[rows], return_inverse=True)
            places = np.full(len(numbers), -1)
            places[rows] = inverse
            columns[name] = SharedColumn([str(values.objects[bits]) for bits in distinct.tolist()], places)
        yield
    return _PLANES.keep(reader, (file, plane), PlaneTexts(tables.name[numbers].astype(np.int64), columns))


def shared_counts(
    reader: QueryReader, texts: PlaneTexts, words: Sequence[str], tracks: Sequence[int], windows_of: WindowsOf
) -> Interruptible[tuple[dict[str, int], set[str]]]:
    """By argument, how many events on tracks of a plane share texts with these words; and arguments to be read.

    These are of names some of whose metadata has the words. Raises DamagedStore.
    """
    masks = texts.with_words(words)
    if not masks:
        return {}, set()
    sums = SpanSums()
    yield from Reading(reader).add_windows(sums, tracks, windows_of)
    by_name = sums.sums()
    events = np.zeros(reader.names.count + 2, np.int64)  # the last are of events without a name
    events[by_name.name] = by_name.count
    counts: Counter[str] = Counter()
    unclear: set[str] = set()
    for argument, mask in masks.items():
        having, lacking = np.unique(texts.names[mask]), np.unique(texts.names[~mask])
        if events[np.intersect1d(having, lacking)].any():
            unclear.add(argument)
        else:
            counts[argument] = int(events[having].sum())
    return counts, unclear
