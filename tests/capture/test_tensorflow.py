"""A capture of TensorFlow, in an environment of its own: `make test-tensorflow`."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

import tilescope
from tests.capture.loops import TENSORFLOW, running
from tilescope.capture import CaptureOptions, capture

PYTHON = os.environ.get("TILESCOPE_TENSORFLOW", "")


@pytest.mark.skipif(not PYTHON, reason="TILESCOPE_TENSORFLOW names no Python that has TensorFlow")
async def test_steps_and_input_are_there(tmp_path: Path) -> None:
    with running(TENSORFLOW, tmp_path, PYTHON) as loop:
        result = await capture([loop.address], CaptureOptions(duration_ms=1000), tmp_path / "logs")
    assert [host.failure for host in result.hosts] == [None]
    assert result.folder is not None
    store = await asyncio.to_thread(tilescope.index, result.folder, tmp_path / "store")
    async with tilescope.connect_async(store) as client:
        run = await client.run()
        (count,) = (await run.ask("steps")).table("series")["count"].tolist()
        assert (await run.find("Iterator::")).count > 0
    assert count >= 2
