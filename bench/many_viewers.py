"""Many viewers at once, each on a way of its own through the run."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import aiohttp

from bench.server_process import ServerProcess
from bench.stream_client import StreamClient, Tiers
from bench.viewports import STEP, random_viewports, walk
from tilescope.tiler.query import QueryReader

PACE_S = 0.5  # a viewer that pans moves a quarter of the screen in this time
WALKS = 20  # different ones; viewers share them, and come and go on them at different times
OPENING_PART = 0.1  # of the time: within it viewers come, one after the other
SAMPLES = 40


@dataclass(slots=True)
class Panning:
    """Measurements of the viewers and the server. Times in seconds since a list was sent."""

    opening: list[float] = field(default_factory=list)  # of first screens, until what is visible has come
    steps: int = 0
    moving: list[float] = field(default_factory=list)  # of steps that ask for pages, until all have come
    size_bytes: int = 0
    errors: list[Exception] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)  # of the server; the first before anybody came
    seconds: float = 0.0
    server_cores: float = 0.0
    client_cores: float = 0.0  # near 1: it was the client that was measured

    def memory_growth(self) -> int:
        """From the second quarter, when all are there, to the second half: the highest of each."""
        quarter, half = len(self.memory) // 4, len(self.memory) // 2
        return max(self.memory[half:]) - max(self.memory[quarter:half])


async def panning(
    session: aiohttp.ClientSession, path: str, reader: QueryReader, server: ServerProcess, viewers: int, seconds: float
) -> Panning:
    """Viewers that move a quarter of the screen twice a second, and ask for what they have not got."""
    steps = int(seconds / PACE_S) + 1
    starts = itertools.islice(random_viewports(reader, seed=8, room=1 + steps * STEP), WALKS)
    walks = [walk(reader, viewport, steps) for viewport in starts]
    result = Panning(memory=[server.private_bytes()])
    server_cpu, client_cpu = server.cpu_seconds(), time.process_time()
    begin = time.perf_counter()

    async def watch() -> None:
        for _ in range(SAMPLES):
            await asyncio.sleep(seconds / SAMPLES)
            result.memory.append(server.private_bytes())

    async def viewer(number: int) -> None:
        try:
            await asyncio.sleep(OPENING_PART * seconds * number / viewers)
            async with session.ws_connect(path, max_msg_size=0) as socket:
                await _pan(StreamClient(socket), walks[number % WALKS], result, begin + seconds)
        except Exception as error:
            result.errors.append(error)

    await asyncio.gather(watch(), *map(viewer, range(viewers)))
    result.seconds = time.perf_counter() - begin
    result.server_cores = (server.cpu_seconds() - server_cpu) / result.seconds
    result.client_cores = (time.process_time() - client_cpu) / result.seconds
    return result


async def _pan(client: StreamClient, lists: Sequence[Tiers], result: Panning, end: float) -> None:
    for step, tiers in enumerate(lists):
        begin = time.perf_counter()
        if begin >= end:
            return
        answer = await client.want(tiers)
        result.size_bytes += answer.size_bytes
        if step == 0:
            result.opening.append(answer.visible)
        else:
            result.steps += 1
            if answer.pages:
                result.moving.append(answer.done)
        await asyncio.sleep(max(0.0, begin + PACE_S - time.perf_counter()))
