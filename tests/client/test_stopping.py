"""Who stops waiting for an answer without a server stops the work, too."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.example import Example
from tests.toy_tools import install
from tilescope.client import connect_async
from tilescope.tiler.tools import catalogue


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where the tool `endless` says that it has begun, and that it was stopped."""
    monkeypatch.syspath_prepend(str(install(tmp_path, faulty=True)))
    monkeypatch.setenv("TOY_NOTES", str(tmp_path))
    catalogue.installed_tools.cache_clear()
    yield tmp_path
    catalogue.installed_tools.cache_clear()
    sys.modules.pop("toy_tools", None)


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not is_so():
            await asyncio.sleep(0.005)


async def test_a_question_that_is_cancelled_is_worked_on_no_longer(example: Example, notes: Path) -> None:
    async with connect_async(example.path) as client:
        run = await client.run()
        asking = asyncio.ensure_future(run.ask("endless"))
        await until((notes / "begun").exists)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert (notes / "stopped").exists(), "before the store may be closed"
        assert (await run.ask("stats", limit=1)).is_complete
