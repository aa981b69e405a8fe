"""The client's side of the stream, by hand."""

from __future__ import annotations

from typing import Any

import msgpack
from aiohttp import ClientWebSocketResponse

from tilescope.tiler.pages import PageKey

Socket = ClientWebSocketResponse


async def send(socket: Socket, **message: Any) -> None:
    await socket.send_bytes(msgpack.packb(message))


async def receive(socket: Socket) -> tuple[dict[str, Any], bytes]:
    """Head and payload of the next message."""
    frame = await socket.receive_bytes(timeout=5)
    unpacker = msgpack.Unpacker()
    unpacker.feed(frame)
    return unpacker.unpack(), frame[unpacker.tell() :]


async def receive_all(socket: Socket, *, give_credit: bool = True) -> list[dict[str, Any]]:
    """The heads of all messages until the list is done, that included; of a page, with its payload."""
    heads = []
    while True:
        head, payload = await receive(socket)
        heads.append(head | ({"payload": payload} if head["type"] == "page" else {}))
        if head["type"] == "page" and give_credit:
            await send(socket, type="credit", bytes=len(payload))
        if head["type"] == "error" or head == {"type": "done", "id": head.get("id")}:
            return heads


def keys_of(heads: list[dict[str, Any]]) -> list[PageKey]:
    """The pages that came, in order."""
    return [PageKey(*head["key"]) for head in heads if head["type"] == "page"]
