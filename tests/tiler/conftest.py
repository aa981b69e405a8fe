"""Fixtures for stores of small traces."""

from __future__ import annotations

import pytest

from tilescope.tiler.indexing.tracks import histograms
from tilescope.tiler.pages import shape


@pytest.fixture
def small_histograms(monkeypatch: pytest.MonkeyPatch) -> int:
    """Tiles have histograms from this many events on: so that small traces have some, on several levels."""
    fewest = 40
    monkeypatch.setattr(shape, "HISTOGRAM_EVENTS", fewest)
    for module in (shape, histograms):
        monkeypatch.setattr(module, "EVENTS_PER_ROW", 2)
    monkeypatch.setattr(shape, "BLOCK_HISTOGRAM_EVENTS", fewest)
    monkeypatch.setattr(shape, "BLOCK_HISTOGRAM_TRACKS", 2)
    return fewest
