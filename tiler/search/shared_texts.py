"""Texts that events of an XSpace share by their metadata: counted by the names of events, of which sums are stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.details.stat_values import LONG_NAME, shared_values
from tilescope.tiler.details.values import ValueKind
from tilescope.tiler.details.xstat_tables import ENTRIES_PER_PAGE, XStatTables
from tilescope.tiler.query import Interruptible, QueryReader, Reading
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.records.span_sums import SpanSums
from tilescope.tiler.search.arguments import contains
from tilescope.tiler.size_estimate import estimated_bytes
from tilescope.tiler.store.validation import must_make_sense
from tilescope.tiler.windows import WindowsOf

Ints = NDArray[np.int64]

_AT_ONCE: Final = 1024  # texts between two steps


class SharedColumn(Struct, frozen=True):
    """Texts under one name."""

    texts: Sequence[str]  # each once
    number: NDArray[np.int32]  # of each metadata: its place among the texts; -1 where it has none

    @classmethod
    def from_places(cls, texts: Sequence[str], places: Ints) -> SharedColumn:
        """Texts by their places; -1 none."""
        distinct, inverse = np.unique(places, return_inverse=True)
        lacking = int(np.count_nonzero(distinct < 0))
        return cls([texts[place] for place in distinct[lacking:].tolist()], (inverse - lacking).astype(np.int32))


class FileTexts(Struct, frozen=True):
    """Texts of the metadata of a file."""

    columns: dict[str, SharedColumn]

    def with_words(self, words: Sequence[str]) -> Interruptible[dict[str, NDArray[np.bool_]]]:
        """By argument, where there is any: which metadata has all of these words in it."""
        masks: dict[str, NDArray[np.bool_]] = {}
        for argument, column in self.columns.items():
            has: list[bool] = []
            for first in range(0, len(column.texts), _AT_ONCE):
                texts = column.texts[first : first + _AT_ONCE]
                has += [all(contains(text, word) for word in words) for text in texts]
                yield
            if any(has):
                masks[argument] = np.array([*has, False], np.bool_)[column.number]
        return masks


_FILES: Final = KeyedRunCache[int, FileTexts]("shared_texts", "Texts of metadata, for searches", estimated_bytes)


def file_texts(reader: QueryReader, file: int, tables: XStatTables) -> Interruptible[FileTexts]:
    """Texts of a file: read once. Raises DamagedStore."""
    kept = _FILES.get(reader, file)
    if kept is not None:
        return kept
    columns = {}
    names = dict.fromkeys(
        text or f"[stat {stat}]" for plane in tables.planes for stat, text in plane.stat_names.items()
    )
    with must_make_sense(reader.store.location):
        if LONG_NAME not in names:
            columns[LONG_NAME] = _long_names(tables)
            yield
        for name in names:
            values = shared_values(tables, name, np.arange(len(tables)))
            places = np.where(values.kind == ValueKind.TEXT, values.bits, -1)
            if (places >= 0).any():
                columns[name] = SharedColumn.from_places(list(map(str, values.objects)), places)
            yield
    return _FILES.keep(reader, file, FileTexts(columns))


def _long_names(tables: XStatTables) -> SharedColumn:
    texts: list[str] = []
    for page in range(-(-len(tables.first) // ENTRIES_PER_PAGE)):
        _, long_names = tables.texts_page(page)
        texts += [long_names.entry(k).decode() for k in range(len(long_names))]
    places = np.where(np.array([bool(text) for text in texts], np.bool_), np.arange(len(texts)), -1)
    return SharedColumn.from_places(texts, places[tables.place])


def shared_counts(
    reader: QueryReader,
    with_words: Mapping[str, NDArray[np.bool_]],
    numbers: Ints,
    names: Ints,
    tracks: Sequence[int],
    windows_of: WindowsOf,
) -> Interruptible[tuple[dict[str, int], set[str]]]:
    """By argument, how many events on tracks of a plane share texts with these words; and arguments to be read.

    `numbers`: the metadata of the plane that events use, `names` those of the events. Arguments to be read are of
    names some of whose metadata has the words. Raises DamagedStore.
    """
    masks = {argument: mask[numbers] for argument, mask in with_words.items() if mask[numbers].any()}
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
        having, lacking = np.unique(names[mask]), np.unique(names[~mask])
        if events[np.intersect1d(having, lacking)].any():
            unclear.add(argument)
        else:
            counts[argument] = int(events[having].sum())
    return counts, unclear
