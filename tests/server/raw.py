"""Requests that no client library has tidied up."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from email.message import Message
from email.parser import BytesHeaderParser

from tests.server.conftest import Client


@dataclass(frozen=True)
class RawAnswer:
    status: int
    headers: Message
    body: bytes


async def raw_answer(client: Client, target: str | bytes, method: str = "GET", headers: str = "") -> RawAnswer:
    """The answer to a request with exactly this target; `headers` are whole lines."""
    reader, writer = await asyncio.open_connection(client.host, client.port)
    bare = target if isinstance(target, bytes) else target.encode()
    head = f" HTTP/1.1\r\nHost: localhost\r\n{headers}Connection: close\r\n\r\n"
    writer.write(method.encode() + b" " + bare + head.encode())
    status_line, _, rest = (await reader.read()).partition(b"\r\n")
    writer.close()
    await writer.wait_closed()
    lines, _, body = rest.partition(b"\r\n\r\n")
    return RawAnswer(int(status_line.split()[1]), BytesHeaderParser().parsebytes(lines + b"\r\n\r\n"), body)
