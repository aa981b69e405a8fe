"""The store that tests/tiler/query has, and one of devices."""

import random
from collections.abc import Iterator

import pytest

from tests.device_trace import DeviceTrace
from tests.tiler.query.conftest import _many_histograms, example
from tilescope.tiler.facts import busy

__all__ = ["_many_histograms", "example"]


@pytest.fixture(scope="module")
def devices(_many_histograms: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeviceTrace]:
    """Of devices that are read in many pieces."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(busy, "_EVENTS_AT_ONCE", 300)
        trace = DeviceTrace(tmp_path_factory.mktemp("devices"), random.Random(4))
        yield trace
        trace.store.close()
