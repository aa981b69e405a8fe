"""A store of a small trace, for all tests of tables."""

from __future__ import annotations

import random

import pytest

from tests.example import Example, random_events


@pytest.fixture(scope="package")
def example(tmp_path_factory: pytest.TempPathFactory) -> Example:
    return Example(tmp_path_factory.mktemp("tables"), random_events(random.Random(5)))
