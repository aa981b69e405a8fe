"""A tile server over HTTP."""

from __future__ import annotations

import asyncio
import gzip
import itertools
import json
import ssl
import struct
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs, quote, urlsplit

import aiohttp
import msgspec

from tilescope.client.arrow_tables import ArrowIfPossible
from tilescope.client.errors import Refused, Unreachable, refusal
from tilescope.client.retries import wait_s
from tilescope.client.source import Build, Value, key_lists, ref_of, text_of
from tilescope.tiler.pages import PageKey, record_title
from tilescope.tiler.schema import LIMITS
from tilescope.tiler.tools import Answer, Table
from tilescope.tiler.tools.answer_json import decode

if TYPE_CHECKING:
    from tilescope.tiler.sql import SqlAnswer

API: Final = "api/v1"
ARROW_MEDIA: Final = "application/vnd.apache.arrow.stream"

# A frame of a batch: kind, 3 bytes of 0, payload length, block, level, slot, part, 0, index.
_FRAME: Final = struct.Struct("<B3xIIBBBxQ")
_PAGE, _MISSING, _END, _ERROR = range(4)

# No answer takes longer to begin; a body may take as long as it likes, as long as something comes.
_TIMEOUT: Final = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=120)
_HEARTBEAT_S: Final = 20.0  # of a WebSocket: a server that vanished is noticed


class HttpSource:
    """A server by its URL, including the path under which it is served. It may contain `?token=…`, as it is printed.

    `ca_file` has the certificates to trust for an https server; by default those of the system.
    """

    def __init__(self, url: str, *, token: str | None = None, ca_file: str | None = None) -> None:
        parts = urlsplit(url)
        self._base = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}/{API}"
        self._token = token or parse_qs(parts.query).get("token", [None])[0]
        self._tls: ssl.SSLContext | bool = True if ca_file is None else ssl.create_default_context(cafile=ca_file)
        self._session: aiohttp.ClientSession | None = None
        self._arrow = ArrowIfPossible()
        self._page_keys = LIMITS.page_keys  # in one batch, unless the server says otherwise

    @property
    def place(self) -> str:
        return self._base.removesuffix(f"/{API}")

    async def runs(self) -> list[dict[str, Any]]:
        runs: list[dict[str, Any]] = (await self._json("runs"))["runs"]
        return runs

    async def index(self, run: str) -> dict[str, Any]:
        async with self._ask("POST", f"runs/{quote(run, safe='')}/index") as answer:
            indexed: dict[str, Any] = json.loads(await _inflated(answer))
            return indexed

    async def watch(self, run: str) -> AsyncGenerator[dict[str, Any], None]:
        path = f"runs/{quote(run, safe='')}/watch"
        try:
            async with self._http.ws_connect(f"{self._base}/{path}", ssl=self._tls, heartbeat=_HEARTBEAT_S) as socket:
                async for frame in socket:
                    if frame.type is not aiohttp.WSMsgType.TEXT:  # the connection broke off
                        break
                    message = json.loads(frame.data)
                    yield message
                    if message["type"] in ("ready", "failed"):
                        return
        except aiohttp.WSServerHandshakeError:
            await self._json(path)  # refused with the same words, which the upgrade does not let through
        except (aiohttp.ClientError, TimeoutError) as error:
            raise Unreachable(f"{self._base}: {_reason(error)}") from error
        raise Unreachable(f"{self._base}: the connection was closed by the server")

    async def manifest(self, run: str) -> dict[str, Any]:
        manifest: dict[str, Any] = await self._json(f"runs/{quote(run, safe='')}/manifest")
        self._page_keys = manifest["limits"]["page_keys"]
        return manifest

    async def tracks(self, build: Build) -> dict[str, Any]:
        tree: dict[str, Any] = await self._json(f"{_path(build)}/tracks")
        return tree

    async def names(self, build: Build, page: int) -> list[list[str]]:
        names: list[list[str]] = await self._json(f"{_path(build)}/names/{page}")
        return names

    async def shape(self, build: Build, block: int) -> bytes:
        async with self._ask("GET", f"{_path(build)}/shapes/{block}") as answer:
            return await answer.read()

    async def pages(self, build: Build, keys: Sequence[PageKey]) -> AsyncIterator[tuple[PageKey, bytes]]:
        for batch in key_lists(keys, self._page_keys):
            body = {"pages": [key.to_json() for key in batch]}
            async with self._ask("POST", f"{_path(build)}/batch", json=body) as answer:
                async for page in _frames(answer.content):
                    yield page

    async def attachments(self, build: Build) -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = (await self._json(f"{_path(build)}/attachments"))["attachments"]
        return listed

    async def attachment(self, build: Build, number: int) -> AsyncGenerator[bytes, None]:
        async with self._ask("GET", f"{_path(build)}/attachments/{number}") as answer:
            async for piece in answer.content.iter_any():
                yield piece

    async def event(self, build: Build, track: int, ordinal: int) -> dict[str, Any]:
        event: dict[str, Any] = await self._json(f"{_path(build)}/events/{track}/{ordinal}")
        return event

    async def tools(self, build: Build) -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = (await self._json(f"{_path(build)}/tools"))["tools"]
        return listed

    async def ask(self, build: Build, tool: str, values: Mapping[str, Value]) -> Answer:
        parameters = {name: text_of(value) for name, value in values.items()}
        return decode(await self._body(f"{_path(build)}/tools/{quote(tool, safe='')}", parameters))

    async def table(self, build: Build, tool: str, values: Mapping[str, Value], name: str) -> Table:
        parameters = {"table": name, **{field: text_of(value) for field, value in values.items()}}
        path = f"{_path(build)}/tools/{quote(tool, safe='')}"
        return await self._arrow.table(
            name, lambda: self._body(path, parameters, {"Accept": ARROW_MEDIA}), lambda: self._body(path, parameters)
        )

    async def sql(self, build: Build, statement: str, rows: int) -> SqlAnswer:
        from tilescope.tiler.schema import SqlRows
        from tilescope.tiler.sql.answer import SqlAnswer, SqlColumn

        async with self._ask("POST", f"{_path(build)}/sql", json={"statement": statement, "rows": rows}) as answer:
            listed = msgspec.json.decode(await _inflated(answer), type=SqlRows)
        columns = [SqlColumn(column.name, column.type) for column in listed.columns]
        return SqlAnswer(columns, listed.rows, listed.cut)

    def ref(self, build: Build) -> str:
        return ref_of(build)

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    @property
    def _http(self) -> aiohttp.ClientSession:
        if self._session is None:
            headers = {} if self._token is None else {"Authorization": f"Bearer {self._token}"}
            self._session = aiohttp.ClientSession(headers=headers, auto_decompress=False, timeout=_TIMEOUT)
        return self._session

    async def _json(self, path: str) -> Any:
        return json.loads(await self._body(path))

    async def _body(
        self, path: str, query: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None
    ) -> bytes:
        async with self._ask("GET", path, params=query, headers=headers) as answer:
            return await _inflated(answer)

    @asynccontextmanager
    async def _ask(self, method: str, path: str, **more: Any) -> AsyncIterator[aiohttp.ClientResponse]:
        url = f"{self._base}/{path}"
        try:
            for tries in itertools.count(1):
                async with self._http.request(method, url, ssl=self._tls, allow_redirects=False, **more) as answer:
                    pause_s = None
                    if answer.status == HTTPStatus.TOO_MANY_REQUESTS:
                        pause_s = wait_s(tries, answer.headers.get("Retry-After"))
                    if pause_s is None:
                        if answer.status not in (200, 202):
                            raise await _refusal(answer)
                        yield answer
                        return
                await asyncio.sleep(pause_s)
        except (aiohttp.ClientError, TimeoutError) as error:
            raise Unreachable(f"{self._base}: {_reason(error)}") from error


def _path(build: Build) -> str:
    return f"runs/{quote(build.run, safe='')}/builds/{quote(build.id, safe='')}"


async def _inflated(answer: aiohttp.ClientResponse) -> bytes:
    body = await answer.read()
    return gzip.decompress(body) if answer.headers.get("Content-Encoding") == "gzip" else body


async def _refusal(answer: aiohttp.ClientResponse) -> Exception:
    try:
        error = json.loads(await _inflated(answer))["error"]
        return refusal(error["code"], error["message"])
    except (ValueError, KeyError, TypeError, OSError):
        return Unreachable(f"{answer.url}: answered {answer.status} as no tile server does")


async def _frames(body: aiohttp.StreamReader) -> AsyncIterator[tuple[PageKey, bytes]]:
    while True:
        try:
            kind, size, block, level, slot, part, index = _FRAME.unpack(await body.readexactly(_FRAME.size))
            payload = await body.readexactly(size)
        except EOFError as error:
            raise Unreachable("the connection was closed before all pages were sent") from error
        key = PageKey(block, level, index, slot, part)
        if kind == _END:
            return
        if kind == _ERROR:
            error_json = json.loads(payload)["error"]
            raise refusal(error_json["code"], error_json["message"])
        if kind == _MISSING:
            raise Refused("not_found", f"there is no {record_title(key.text())}")
        yield key, payload


def _reason(error: Exception) -> str:
    return "no answer in time" if isinstance(error, TimeoutError) else str(error) or type(error).__name__
