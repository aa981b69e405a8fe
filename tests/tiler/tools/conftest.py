"""The store that tests/tiler/query has."""

from tests.tiler.query.conftest import _many_histograms, example

__all__ = ["_many_histograms", "example"]
