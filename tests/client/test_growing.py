"""A run that is opened while it is indexed: what has no word for "so far" is refused until all of it is there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.example import Example, PlainEvent
from tilescope.client import AsyncClient, AsyncRun, NotBuiltYet
from tilescope.client.errors import refusal
from tilescope.client.local import LocalSource
from tilescope.client.source import Build, Value
from tilescope.tiler.tools import Answer
from tilescope.tiler.tools.answer_json import decode, encode


class GrowingSource(LocalSource):
    """A store that says of itself that it is still being indexed, as long as it `grows`."""

    grows = True

    async def manifest(self, run: str) -> dict[str, Any]:
        manifest = await super().manifest(run)
        return {**manifest, "state": "indexing", "end": "5"} if self.grows else manifest

    async def ask(self, build: Build, tool: str, values: Mapping[str, Value]) -> Answer:
        whole = encode(await super().ask(build, tool, values))
        return decode(whole.replace(b'"complete":true', b'"complete":false')) if self.grows else decode(whole)


@pytest.fixture
async def source(tmp_path: Path) -> GrowingSource:
    events = [PlainEvent("thread", "op", "", at, 10) for at in range(0, 100, 20)]
    Example(tmp_path, events).store.close()
    return GrowingSource(tmp_path / "t.store")


async def _batches(run: AsyncRun) -> list[object]:
    return [table async for table in run.hit_batches("op")]


CALLS: dict[str, Callable[[AsyncRun], Awaitable[Any]]] = {
    "stats": lambda run: run.stats(),
    "find": lambda run: run.find("op"),
    "search": lambda run: run.search("op"),
    "hit_batches": _batches,
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
async def test_part_figures_are_not_given_for_all(
    source: GrowingSource, call: Callable[[AsyncRun], Awaitable[Any]]
) -> None:
    async with AsyncClient(source) as client:
        run = await client.run()
        with pytest.raises(NotBuiltYet, match="still being indexed") as refused:
            await call(run)
        assert refused.value.code == "not_built_yet"
        assert not (await run.ask("stats")).is_complete
        source.grows = False
        await call(run)


async def test_the_end_is_where_it_is_when_it_is_asked_for(source: GrowingSource) -> None:
    async with AsyncClient(source) as client:
        run = await client.run()
        assert run.end == 5
        source.grows = False
        assert (await run.stats()).total.count == 5
        assert run.end == 90


def test_what_a_server_says_is_not_there_yet_has_a_class_of_its_own() -> None:
    assert isinstance(refusal("not_built_yet", "track 5 is not built yet"), NotBuiltYet)
