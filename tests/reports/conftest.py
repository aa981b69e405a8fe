"""Opens files of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from tests.reports.traces import Open, index_report
from tilescope.tiler.query import QueryReader


@pytest.fixture
def open_by_name(tmp_path: Path) -> Iterator[Open]:
    """Indexes a file of the folder. Stores are closed when the test ends."""
    with ExitStack() as stack:

        def opened(name: str) -> QueryReader:
            return QueryReader(stack.enter_context(closing(index_report(name, tmp_path / f"{name}.store"))))

        yield opened
