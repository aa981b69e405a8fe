"""Content codings: whether a client takes gzip (RFC 9110, 12.5.3), and bodies for one that does not."""

from __future__ import annotations

import asyncio
import zlib
from typing import Final

from aiohttp import hdrs, web

from tilescope.server.errors import NotAcceptable
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.size_text import size_text

GZIP: Final = "gzip"

_MOST_BYTES: Final = 32 << 20  # of a body that is inflated for a client
_AT_ONCE_BYTES: Final = 64 << 10  # of a member that the event loop inflates itself


def takes_gzip(request: web.Request) -> bool:
    """False too where the client names no coding: tools that inflate nothing by themselves send no header."""
    rates = dict(_rate(item) for item in ",".join(request.headers.getall(hdrs.ACCEPT_ENCODING, ())).split(","))
    rate = next((rates[name] for name in ("gzip", "x-gzip", "*") if name in rates), 0.0)
    return rate > 0


async def inflated(member: bytes, path: str) -> bytes:
    """Content of a gzip member. Raises `DamagedStore`, and `NotAcceptable` above 32 MiB. `path` is the request's."""
    if len(member) <= _AT_ONCE_BYTES:
        return _inflated(member, path)
    return await asyncio.to_thread(_inflated, member, path)


def _inflated(member: bytes, path: str) -> bytes:
    inflater = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        body = inflater.decompress(member, _MOST_BYTES)
    except zlib.error as error:
        raise DamagedStore(f"{path}: is no gzip member: {error}") from error
    if inflater.unconsumed_tail:
        raise NotAcceptable(f"{path}: more than {size_text(_MOST_BYTES)}: ask with Accept-Encoding: gzip")
    if not inflater.eof:
        raise DamagedStore(f"{path}: the end of a gzip member is missing")
    return body


def _rate(item: str) -> tuple[str, float]:
    """The name of a coding and its weight, 1 where none is given, 0 where it makes no sense."""
    name, *parameters = (part.strip().lower() for part in item.split(";"))
    for parameter in parameters:
        key, _, text = parameter.partition("=")
        if key.strip() == "q":
            try:
                return name, float(text)
            except ValueError:
                return name, 0.0
    return name, 1.0
