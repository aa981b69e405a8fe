"""Blocks that the watchers of a run would like to be built first, on their way to the process that builds."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence


class Wishes:
    """The newest list alone: one that was not taken when the next comes is forgotten."""

    def __init__(self) -> None:
        self._wanted: tuple[int, ...] = ()
        self._is_new = asyncio.Event()

    def replace(self, blocks: Sequence[int]) -> None:
        """The complete list, most urgent first."""
        if tuple(blocks) != self._wanted:
            self._wanted = tuple(blocks)
            self._is_new.set()

    async def next(self) -> tuple[int, ...]:
        """The list, once it is another than the one that was taken last."""
        await self._is_new.wait()
        self._is_new.clear()
        return self._wanted
