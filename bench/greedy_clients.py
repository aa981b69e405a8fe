"""Clients that ask one question after the other, as large as they may be, and wait for nothing: beside viewers."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

import aiohttp

QUESTIONS: Final = (
    "tools/find?text=e&limit=10000",
    "events?limit=50000",
    "tools/stats?limit=65536",
    "tools/find?text=a&limit=10000&start=1000000",
    "events?limit=50000&start=1000000",
)
REFUSED_PAUSE_S: Final = 0.25  # though the server says a second
CLIENT_ADDRESSES: Final = tuple(f"127.0.0.{number}" for number in range(2, 250))


def addresses(count: int, *, own: bool) -> list[str]:
    """Addresses of so many clients: one for each, or that of the viewers for all."""
    return list(itertools.islice(itertools.cycle(CLIENT_ADDRESSES), count)) if own else ["127.0.0.1"] * count


@asynccontextmanager
async def greedy_clients(url: str, path: str, client_addresses: Sequence[str]) -> AsyncIterator[Counter[str]]:
    """Clients at these addresses, until the block is left: how many of their questions had which end."""
    ends: Counter[str] = Counter()
    tasks = [
        asyncio.create_task(_ask_on(f"{url}{path}", address, k, ends)) for k, address in enumerate(client_addresses)
    ]
    try:
        yield ends
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _ask_on(base: str, address: str, first: int, ends: Counter[str]) -> None:
    connector = aiohttp.TCPConnector(local_addr=(address, 0), limit=1)
    async with aiohttp.ClientSession(connector=connector, auto_decompress=False) as session:
        for number in itertools.count(first):
            try:
                async with session.get(f"{base}/{QUESTIONS[number % len(QUESTIONS)]}") as answer:
                    await answer.read()
                    ends[str(answer.status)] += 1
                    refused = answer.status == 429
            except aiohttp.ClientError as error:
                ends[type(error).__name__] += 1
                refused = True
            await asyncio.sleep(REFUSED_PAUSE_S if refused else 0)
