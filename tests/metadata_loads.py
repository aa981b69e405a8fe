"""Counts how often metadata of operations is loaded from a store."""

from __future__ import annotations

import pytest

from tilescope.tiler.facts.metadata_codes import MetadataCodes
from tilescope.tiler.query import QueryReader


def count_metadata_codes(monkeypatch: pytest.MonkeyPatch) -> list[QueryReader]:
    """A list that has the reader of each object made from now on."""
    readers: list[QueryReader] = []
    make = MetadataCodes.__init__

    def counting(codes: MetadataCodes, reader: QueryReader) -> None:
        readers.append(reader)
        make(codes, reader)

    monkeypatch.setattr(MetadataCodes, "__init__", counting)
    return readers
