"""JSON of bodies: as an object of its kind, or refused in a line."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient
from msgspec import Struct

from tilescope.server.errors import BadRequest
from tilescope.server.http.bodies import decoded_body

Client = TestClient[web.Request, web.Application]


class Order(Struct):
    """An order of something."""

    count: int


async def answer(request: web.Request) -> web.Response:
    try:
        order = await decoded_body(request, Order, "the order makes no sense")
    except BadRequest as error:
        return web.Response(text=str(error), status=400)
    return web.Response(text=f"{order.count}")


@pytest.mark.parametrize(
    ("body", "status", "text"),
    [
        (b'{"count": 3}', 200, "3"),
        (b'{"count": "3"}', 400, "the order makes no sense: Expected `int`, got `str` - at `$.count`"),
        (b"{", 400, "the order makes no sense: Input data was truncated"),
        (b'{"count": 3, "more": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", 400, "the order makes no sense: maximum"),
    ],
)
async def test_bodies(aiohttp_client: Callable[..., Awaitable[Client]], body: bytes, status: int, text: str) -> None:
    app = web.Application()
    app.router.add_post("/", answer)
    client = await aiohttp_client(app)
    response = await client.post("/", data=body)
    assert (response.status, (await response.text())[: len(text)]) == (status, text)
