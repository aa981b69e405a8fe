"""Figures of a job from a short capture: those of a `MonitorSample`, computed by the tools of Tilescope."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tilescope.client import ToolAnswer, connect_async, index
from tilescope.tiler.errors import NotAvailable

# What indexing a capture of a second may take.
MEMORY_BYTES: Final = 512 * 1024 * 1024

_PS_PER_MS: Final = 10**9

# Part of the names of operations by which a device takes its input, and of those by which a host gives it.
_INFEED: Final = "infeed"


async def evaluate(trace: Path, store: Path) -> dict[str, Any]:
    """The fields of `MonitorSample` that were recorded. Indexes into `store`. Raises `TilescopeError`."""
    await _indexed(trace, store)
    async with connect_async(store) as client:
        run = await client.run()
        try:
            overview = _facts(await run.ask("overview", limit=0))
            pipeline = _facts(await run.ask("input_pipeline"))
            infeeds = await run.find(_INFEED, limit=0)
        except NotAvailable:
            return {}
        return _figures(overview, pipeline, run.tick_ps, has_infeed=infeeds.count > 0)


def _figures(
    overview: Mapping[str, Any], pipeline: Mapping[str, Any], tick_ps: int, *, has_infeed: bool
) -> dict[str, Any]:
    def milliseconds(name: str) -> float | None:
        ticks = overview.get(name)
        return None if ticks is None else int(ticks) * tick_ps / _PS_PER_MS

    waits = pipeline.get("infeed_mean", overview.get("input_share"))
    # Without an operation of input, neither on a host nor on a device, nothing says that the job does not wait for it.
    is_input_recorded = bool(waits or has_infeed) or pipeline.get("host_input") is not None
    waits_facts = pipeline if is_input_recorded else {}
    figures = {
        "device_type": overview.get("device_type"),
        "matrix_unit_utilization": overview.get("mxu"),
        "devices": overview.get("devices") or None,  # a processor is none
        "device_idle": overview.get("device_idle"),
        "steps": overview.get("steps"),
        "step_mean_ms": milliseconds("step_mean"),
        "step_min_ms": milliseconds("step_min"),
        "step_max_ms": milliseconds("step_max"),
        "infeed_mean": waits if is_input_recorded else None,
        "infeed_min": waits_facts.get("infeed_min"),
        "infeed_max": waits_facts.get("infeed_max"),
    }
    return {name: value for name, value in figures.items() if value is not None}


def _facts(answer: ToolAnswer) -> dict[str, Any]:
    return {fact.id: fact.value for fact in answer.facts}


async def _indexed(trace: Path, store: Path) -> None:
    """Indexes in a thread. Whoever stops waiting stops the work, and waits until it has stopped."""
    cancel = threading.Event()

    def work() -> None:
        index([trace], store, cancel=cancel, memory_bytes=MEMORY_BYTES)

    working = asyncio.get_running_loop().run_in_executor(None, work)
    try:
        await asyncio.shield(working)
    finally:
        cancel.set()
        await asyncio.wait([working])
