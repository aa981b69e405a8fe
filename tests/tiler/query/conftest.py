"""A store for questions."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from tests.example import Example, random_events
from tilescope.tiler.pages import shape


@pytest.fixture(scope="module")
def _many_histograms() -> Iterator[None]:
    """Tiles have histograms from 200 events on, so that this small trace has some on several levels."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shape, "HISTOGRAM_EVENTS", 200)
        patch.setattr(shape, "BLOCK_HISTOGRAM_EVENTS", 400)
        yield


@pytest.fixture(scope="module")
def example(_many_histograms: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Example]:
    example = Example(tmp_path_factory.mktemp("query"), random_events(random.Random(3)))
    yield example
    example.store.close()
