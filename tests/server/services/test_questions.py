"""What is kept between questions about a store."""

from __future__ import annotations

import gc
import weakref
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.example import Example, PlainEvent
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.open_stores import OpenStores
from tilescope.server.runs.registry import Registry
from tilescope.server.services import Questions
from tilescope.tiler.readers import discover
from tilescope.tiler.resolver import View
from tilescope.tiler.store import open_run_store


@pytest.fixture
async def questions(tmp_path: Path) -> AsyncIterator[Questions]:
    questions = Questions(Registry([], CacheDirectory(tmp_path), OpenStores(open_run_store), discover))
    yield questions
    await questions.close()


async def test_a_store_that_nobody_has_open_takes_its_reader_along(tmp_path: Path, questions: Questions) -> None:
    example = Example(tmp_path, [PlainEvent("thread", "step", "", 0, 100)])
    reader = questions.reader(example.store)
    assert questions.reader(example.store) is reader
    assert reader.pages(View.of_span(0, 100, 10), [example.track("thread")])
    gone = weakref.ref(reader)
    example.store.close()
    del example, reader
    gc.collect()  # the store
    gc.collect()  # what was kept for it
    assert gone() is None
