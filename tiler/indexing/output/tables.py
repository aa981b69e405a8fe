"""Tables that are stored once for a run: names, the track tree, the manifest."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import ClassVar, TypeVar

from msgspec import to_builtins

from tilescope.tiler.indexing.output.manifest import ManifestParts, make_manifest
from tilescope.tiler.indexing.reading.names import RunNames
from tilescope.tiler.indexing.tracks.recorder import Recording, RecordMaker
from tilescope.tiler.pages import compress
from tilescope.tiler.records.manifest import MANIFEST
from tilescope.tiler.records.names import NAMES
from tilescope.tiler.records.record import Record
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.store.store import Entry

_T = TypeVar("_T")

# A write transaction holds what it writes in memory: about 48 KB an entry.
ENTRIES_AT_ONCE = 64


def name_entries(names: RunNames) -> Iterator[Entry]:
    """All pages of names."""
    for number, page in enumerate(names.pages()):
        yield NAMES.key(number), page


class NameRecorder(RecordMaker):
    """The names of the run, where no preview has stored them."""

    records: ClassVar[tuple[Record, ...]] = (NAMES,)

    def __init__(self, recording: Recording) -> None:
        self._names = None if recording.has_preview else recording.run.names

    def beside(self) -> Iterable[Entry]:
        """All pages."""
        return () if self._names is None else name_entries(self._names)


def tree_entries(manifest: ManifestParts) -> Iterator[Entry]:
    """Track tree and manifest, to be written together."""
    yield TRACKS.key(), compress(_json(to_builtins(manifest.layout.to_schema(manifest.facts))))
    yield MANIFEST.key(), compress(_json(make_manifest(manifest)))


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def batched(items: Iterable[_T], size: int) -> Iterator[list[_T]]:
    """The items in lists of `size`; the last may be shorter. (In itertools from Python 3.12 on.)"""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
