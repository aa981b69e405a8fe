"""Requests that no client sends: whatever they say, the server does not fail, and tells nothing of itself."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import random
import zlib
from collections import Counter

import pytest

from tests.server.rpc import conftest, test_gate
from tests.server.rpc.test_gate import Served
from tilescope.server.settings import DEFAULTS, Settings

pytestmark = pytest.mark.slow

demo_store = conftest.demo_store
served = test_gate.served
REQUESTS = 500

NUMBERS: tuple[str, ...] = (
    "0",
    "1",
    "5",
    "-1",
    "9" * 19,
    "9223372036854775808",
    "18446744073709551616",
    "4294967296",
    "9007199254740992",
)
NUMBERS += ("1e5", "0x10", "+1", "٣", "%D9%A3", "", "0" * 20, "31", "32", "4611686018427387904", "1.0", "NaN")
TEXTS = ("", "a", "%00", "%ff", "%ed%a0%80", "é", "%", "%zz", "[", "..", "..%2f..", "%F0%9F%98%80", "e" * 300, "exact")
BODIES: tuple[bytes, ...] = (
    b"",
    b"{}",
    b"[",
    b"\xff",
    b"[" * 30_000,
    b'{"pages": 1e999}',
    b'{"pages": [[0,0,0,' + b"9" * 6000 + b"]]}",
)
BODIES += tuple(
    json.dumps({"pages": pages}).encode()
    for pages in (
        None,
        [],
        [[0, 0, 0, 0]],
        [[1, 2]],
        [["a", 0, 0, 0]],
        [[0, 0, 0, 0, 7]],
        [[0, 0, 10**30, 0]],
        [[0.5] * 4],
    )
)
VALUES: tuple[str, ...] = (
    "",
    "gzip",
    "deflate",
    "br",
    "zstd",
    "gzip, gzip",
    "x",
    "*",
    "bytes=0-10",
    "bytes=-5",
    "bytes=99999999999999999999-",
)
VALUES += (
    '"abc"',
    'W/"a"',
    "\xff",
    "chunked",
    "-1",
    "99999999999999999999",
    "websocket",
    "Upgrade",
    "100-continue",
    "é",
)
VALUES += ("http://evil", "token=;;;=", 'tilescope="\\"', "Wed, 21 Oct 2015 07:28:00 GMT", "Bearer x", "text/html")
HEADERS: tuple[str, ...] = (
    "Content-Encoding",
    "Range",
    "If-None-Match",
    "If-Match",
    "If-Range",
    "Accept-Encoding",
    "Accept",
    "Expect",
)
HEADERS += (
    "Content-Type",
    "Transfer-Encoding",
    "Content-Length",
    "Upgrade",
    "Connection",
    "Sec-WebSocket-Key",
    "Cookie",
)
HEADERS += ("Sec-WebSocket-Version", "Sec-WebSocket-Extensions", "Origin", "Authorization", "X-Forwarded-Proto", "Host")
PATHS: tuple[str, ...] = (
    "/pages/N/N/N/N",
    "/residuals/N/N/N/N",
    "/shapes/N",
    "/names/N",
    "/overview/N",
    "/flows/N/N/N",
    "/events/N/N",
)
PATHS += (
    "/events?Q",
    "/tools",
    "/tools/T?Q",
    "/tools/stats?Q",
    "/tools/find?Q",
    "/batch",
    "/stream",
    "/tracks",
    "/T",
    "/tracks/T",
)
METHODS = ("GET", "GET", "GET", "POST", "POST", "HEAD", "OPTIONS", "PUT", "TRACE", "XX")
PARAMETERS = ("tracks", "start", "end", "limit", "after", "text", "match", "table", "token", "other")


def target(rng: random.Random, run: str, build: str) -> str:
    def query() -> str:
        values = (rng.choice((*NUMBERS, *TEXTS, "1,2,3", "0-9", "9-0")) for _ in range(4))
        return "&".join(f"{rng.choice(PARAMETERS)}={value}" for value in values)

    of_build = f"/api/v1/runs/{run}/builds/{build}"
    others = (f"/api/v1/runs/{run}/watch", f"/api/v1/runs/{run}/manifest", "/api/v1/runs", "/healthz", "/", "/T", "/?Q")
    path = rng.choice((*(of_build + path for path in PATHS), *others))
    parts = {"N": lambda: rng.choice(NUMBERS), "T": lambda: rng.choice(TEXTS), "Q": query}
    return "".join(parts[letter]() if letter in parts else letter for letter in path)


def request(rng: random.Random, run: str, build: str) -> bytes:
    method = rng.choice(METHODS)
    path = target(rng, run, build)
    if method == "POST":
        path = f"/api/v1/runs/{run}/builds/{build}/batch"
    body = rng.choice(BODIES)
    body = rng.choice((body, body, gzip.compress(body), zlib.compress(body), gzip.compress(body)[:-4]))
    headers = {"Host": "localhost", "Connection": "close", "Content-Length": str(len(body))}
    headers |= {rng.choice(HEADERS): rng.choice(VALUES) for _ in range(rng.randrange(4))}
    if rng.random() < 0.3:
        headers["Content-Encoding"] = rng.choice(("gzip", "deflate"))
    head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"{head}\r\n".encode(rng.choice(("latin-1", "utf-8")), errors="replace") + body


async def answer_to(port: int, sent: bytes) -> bytes:
    """What came of it, as far as it came soon: some requests wait for more."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    said = b""
    try:
        async with asyncio.timeout(0.5):
            writer.write(sent)
            while data := await reader.read(65536):
                said += data
    except (TimeoutError, ConnectionError):
        pass
    writer.transport.abort()
    return said


@pytest.fixture
def settings() -> Settings:
    return DEFAULTS


@pytest.mark.parametrize("seed", range(2))
async def test_nothing_makes_the_server_fail(served: Served, seed: int, caplog: pytest.LogCaptureFixture) -> None:
    rng = random.Random(seed)
    port = int(served.url.rsplit(":", 1)[1].strip("/"))
    requests = [request(rng, served.run, served.build) for _ in range(REQUESTS)]
    statuses: Counter[bytes] = Counter()
    for at in range(0, REQUESTS, 20):
        some = requests[at : at + 20]
        for sent, said in zip(some, await asyncio.gather(*(answer_to(port, sent) for sent in some)), strict=True):
            status = said[9:12]
            assert not status.startswith(b"5"), (sent[:500], said[:500])
            assert b"Traceback" not in said
            assert b"aiohttp" not in said.split(b"\r\n\r\n")[0]
            assert b"/tmp/" not in said, (sent[:500], said[:500])
            statuses[status] += 1
    assert {b"200", b"400", b"404", b"405"} <= statuses.keys()
    assert statuses[b"200"] > 20
    failures = [record for record in caplog.records if record.levelno >= logging.ERROR and "tilescope" in record.name]
    assert not failures
    assert (await answer_to(port, b"GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n")).startswith(b"HTTP/1.0 200")
