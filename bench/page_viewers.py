"""A few viewers, each of which asks for page after page: how long each page takes.

`python -m bench.page_viewers URL STORE VIEWERS SECONDS` prints the times in seconds, a JSON list. A process of its own,
so that other clients of a benchmark cost the viewers nothing but what they cost the server.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from pathlib import Path
from typing import Final

import aiohttp

from tilescope.tiler.lookup.tiles import block_shape
from tilescope.tiler.pages import PageKey
from tilescope.tiler.store import open_run_store

PAUSE_S: Final = 0.05
MOST_PAGES: Final = 2000  # of those of a store, which are asked for by chance
ADDRESS: Final = "127.0.0.251"  # of no client of `greedy_clients`


async def page_times(url: str, store: Path, viewers: int, seconds: float) -> list[float]:
    """Page times of viewers in another process, at an address of their own."""
    command = [sys.executable, "-m", "bench.page_viewers", url, str(store), str(viewers), str(seconds)]
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    out, _ = await process.communicate()
    times: list[float] = json.loads(out)
    return times


async def _measure(url: str, keys: list[PageKey], viewers: int, seconds: float) -> list[float]:
    end = time.perf_counter() + seconds
    times: list[float] = []

    async def viewer(number: int) -> None:
        rng = random.Random(number)
        connector = aiohttp.TCPConnector(local_addr=(ADDRESS, 0), limit=1)
        async with aiohttp.ClientSession(connector=connector, auto_decompress=False) as session:
            while (begin := time.perf_counter()) < end:
                block, level, index, slot, _ = rng.choice(keys)
                async with session.get(f"{url}/pages/{block}/{level}/{index}/{slot}") as answer:
                    answer.raise_for_status()
                    await answer.read()
                times.append(time.perf_counter() - begin)
                await asyncio.sleep(PAUSE_S)

    await asyncio.gather(*map(viewer, range(viewers)))
    return times


def _pages(store: Path) -> list[PageKey]:
    run = open_run_store(store)
    try:
        blocks = range(int(run.manifest()["blocks"]))
        shapes = [block_shape(run, block) for block in blocks]
        keys = [key for shape in shapes for key, _ in shape.pages()]
    finally:
        run.close()
    return random.Random(1).sample(keys, min(len(keys), MOST_PAGES))


def main() -> None:
    """Measures, and prints the times."""
    url, store, viewers, seconds = sys.argv[1:]
    print(json.dumps(asyncio.run(_measure(url, _pages(Path(store)), int(viewers), float(seconds)))))


if __name__ == "__main__":
    main()
