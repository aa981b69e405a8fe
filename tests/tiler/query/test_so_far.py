"""A build as one question sees it: what makes an answer incomplete."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.server.fakes import FakeGrowingStore
from tilescope.tiler.errors import NotBuilt
from tilescope.tiler.query.so_far import StoreSoFar
from tilescope.tiler.records.arguments import ARGUMENT_TABLES, ARGUMENTS
from tilescope.tiler.records.names import NAMES
from tilescope.tiler.records.tiles import SHAPE

READS: dict[str, tuple[Callable[[StoreSoFar], object], bool]] = {
    "names that are there": (lambda store: store.get(NAMES, 0), False),
    "names that may come": (lambda store: store.get(NAMES, 9), True),
    "a block that is done": (lambda store: store.get(SHAPE, 0), False),
    "a block that is not done": (lambda store: store.get(SHAPE, 1), True),
    "arguments of a track that is built": (lambda store: store.at_most(ARGUMENTS, 0, 3), False),
    "a record that is stored last": (lambda store: store.get(ARGUMENT_TABLES, 0), True),
    "all records of a kind": (lambda store: store.scan(ARGUMENTS), True),
    "what is written, final or not": (lambda store: store.ungated().get(NAMES, 0), True),
}


@pytest.mark.parametrize(("read", "is_incomplete"), READS.values(), ids=READS.keys())
def test_reading_something_that_is_not_final_makes_the_answer_incomplete(
    read: Callable[[StoreSoFar], object], is_incomplete: bool
) -> None:
    growing = FakeGrowingStore()
    growing.is_done = True
    store = StoreSoFar(growing)
    assert not store.is_incomplete
    try:
        read(store)
    except NotBuilt:
        assert is_incomplete
    assert store.is_incomplete is is_incomplete
