"""Times of questions to tools, one after the other, over HTTP."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence

import aiohttp

from bench.viewports import random_viewports
from tilescope.tiler.query import QueryReader


def stats_of_spans(reader: QueryReader, count: int) -> list[str]:
    """Statistics of all tracks in spans anywhere, from a few microseconds to the whole run; none twice."""
    viewports = itertools.islice(random_viewports(reader, seed=11), count)
    return [f"tools/stats?start={viewport.start}&end={viewport.end}" for viewport in viewports]


async def seconds_of(session: aiohttp.ClientSession, base: str, questions: Sequence[str]) -> list[float]:
    """From asking to the last byte of the answer. One more, not counted, starts the processes that answer."""
    seconds = []
    for question in [questions[0].replace("stats?", "stats?limit=0&"), *questions]:
        started_s = time.perf_counter()
        async with session.get(f"{base}/{question}") as answer:
            body = await answer.read()
            if answer.status != 200:
                raise RuntimeError(f"{question}: {body[:200]!r}")
        seconds.append(time.perf_counter() - started_s)
    return seconds[1:]
