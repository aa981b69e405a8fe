"""Decoders of arguments, while a run is indexed."""

from __future__ import annotations

import numpy as np
import pytest

from tests.server.fakes import FakeGrowingStore
from tilescope.tiler.details.chunk import Chunk
from tilescope.tiler.errors import StoredLast
from tilescope.tiler.lookup.arguments import argument_chunk, argument_decoder, argument_values, event_metadata


class StoreWithoutFiles(FakeGrowingStore):
    """A build whose manifest does not have its files yet."""

    def internals(self) -> dict[str, object]:
        return {**super().internals(), "files": []}


@pytest.fixture
def store() -> StoreWithoutFiles:
    store = StoreWithoutFiles()
    store.is_done = True
    return store


@pytest.fixture
def chunk(store: StoreWithoutFiles) -> Chunk:
    chunk = argument_chunk(store, 0, 3)
    assert chunk is not None
    return chunk


def test_the_gate_is_asked_before_the_manifest(store: StoreWithoutFiles, chunk: Chunk) -> None:
    for read in (
        lambda: argument_decoder(store, 0),
        lambda: argument_values(store, 0, chunk, np.arange(1), ["flops"]),
        lambda: event_metadata(store, 0),
    ):
        with pytest.raises(StoredLast):
            read()
