"""A place with a server for each test."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.server.conftest import Client
from tests.server.uploads.sending import (
    SENDING,
    TOKEN,
    Place,
)
from tilescope.server.settings import Settings

Make = Callable[..., Awaitable[Client]]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def make(place: Place, aiohttp_client: Callable[..., Awaitable[Client]]) -> Make:
    async def make_client(settings: Settings = SENDING, **headers: str) -> Client:
        headers = headers or {"Authorization": f"Bearer {TOKEN}"}
        return await aiohttp_client(place.app(settings), headers=headers)

    return make_client
