"""What a server's terminal shows of indexing."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tilescope.cli import indexing_progress
from tilescope.cli.indexing_progress import with_progress
from tilescope.server.runs.run import FoundRun, IndexProgress, RunState, RunStatus


class Registry:
    """Indexes a run for as long as the test says."""

    def __init__(self) -> None:
        self.progress: IndexProgress | None = None
        self.looks = 0

    def indexing(self) -> RunStatus | None:
        self.looks += 1
        found = FoundRun("r", "big.pb", "big.pb", (), 1, (), 0, 0, Path("store"))
        return None if self.progress is None else RunStatus(found, RunState.INDEXING, progress=self.progress)


async def test_it_is_shown_while_a_run_is_indexed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(indexing_progress, "BAR_EVERY_SECONDS", 0.001)
    monkeypatch.setattr(indexing_progress, "IDLE_SECONDS", 0.001)
    monkeypatch.setattr("tilescope.cli.progress.LINE_EVERY_SECONDS", 0.0)
    registry = Registry()
    shown: list[str] = []

    async def shows(text: str) -> None:
        async with asyncio.timeout(5):
            while text not in "".join(shown):
                await asyncio.sleep(0.002)
                shown.append(capsys.readouterr().err)

    async def serve() -> None:
        async with asyncio.timeout(5):
            while registry.looks < 3:
                await asyncio.sleep(0.001)
        assert capsys.readouterr().err == ""
        registry.progress = IndexProgress("read", 0.25, 4_000_000)
        await shows("big.pb: read: 25%, 4,000,000 events")
        registry.progress = IndexProgress("build", 0.5, 8_000_000, blocks_done=2, blocks=9, seconds_left=4.0)
        await shows("big.pb: build: 50%, 8,000,000 events, 2 of 9 blocks, 4.00 s left")
        registry.progress = None

    await with_progress(registry, serve())  # type: ignore[arg-type]


async def test_what_ends_the_server_ends_it_too() -> None:
    async def fail() -> None:
        raise OSError("no room")

    with pytest.raises(OSError, match="no room"):
        await with_progress(Registry(), fail())  # type: ignore[arg-type]
    assert len(asyncio.all_tasks()) == 1
