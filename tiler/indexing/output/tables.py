"""Tables that are stored once for a run: names, tables that decode arguments, the track tree, the manifest."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

from msgspec import to_builtins

from tilescope.tiler.indexing.output.manifest import Findings, make_manifest
from tilescope.tiler.indexing.reading.names import RunNames
from tilescope.tiler.indexing.tracks.decoding_tables import DecodingTables
from tilescope.tiler.indexing.tracks.run_files import RunFiles
from tilescope.tiler.pages import compress
from tilescope.tiler.readers.formats import codec_of
from tilescope.tiler.records.arguments import ARGUMENT_TABLE_PAGES, ARGUMENT_TABLES
from tilescope.tiler.records.manifest import MANIFEST
from tilescope.tiler.records.names import NAMES
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.store.store import Entry

_T = TypeVar("_T")

# A write transaction holds what it writes in memory: about 48 KB an entry.
ENTRIES_AT_ONCE = 64


def name_entries(names: RunNames) -> Iterator[Entry]:
    """All pages of names."""
    for number, page in enumerate(names.pages()):
        yield NAMES.key(number), page


def args_entries(run: RunFiles, decoding: DecodingTables) -> Iterator[Entry]:
    """Tables that decode the arguments of each file's events."""
    for number, file in enumerate(run.files):
        tables = file.summary.args_tables
        yield ARGUMENT_TABLES.key(number), compress(decoding.take_head(number))
        if tables is None or not codec_of(file.summary.format).in_pages:
            continue
        for place, page in enumerate(tables.pages()):
            yield ARGUMENT_TABLE_PAGES.key(number, place), compress(page)


def tree_entries(findings: Findings) -> Iterator[Entry]:
    """Track tree and manifest, to be written together."""
    yield TRACKS.key(), compress(_json(to_builtins(findings.layout.to_schema(findings.facts))))
    yield MANIFEST.key(), compress(_json(make_manifest(findings)))


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def batched(items: Iterable[_T], size: int) -> Iterator[list[_T]]:
    """The items in lists of `size`; the last may be shorter. (In itertools from Python 3.12 on.)"""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
