"""Attachments over HTTP: the list, contents, parts of them, and what a client has already."""

from __future__ import annotations

import gzip
import json
import zlib

import pytest

from tests.server.conftest import Client, Site
from tests.server.fakes import FakeStore
from tilescope.tiler.records.attachments import ATTACHMENT_CHUNKS

BUILD = "/api/v1/runs/run1/builds/b1"
CONTENT = bytes(range(256)) * 3000  # of three chunks, of attachment 0


async def test_the_list_names_what_there_is(client: Client) -> None:
    answer = await client.get(f"{BUILD}/attachments")
    assert answer.status == 200
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    first, second = json.loads(gzip.decompress(await answer.read()))["attachments"]
    assert (first["id"], first["name"], first["size_bytes"]) == (0, "hlo/7", str(len(CONTENT)))
    assert first["crc32"] == f"{zlib.crc32(CONTENT):08x}"
    assert (second["id"], second["name"]) == (1, "json/a b")


async def test_the_content_is_kept_for_ever(client: Client) -> None:
    answer = await client.get(f"{BUILD}/attachments/0")
    assert answer.status == 200
    assert await answer.read() == CONTENT
    assert answer.headers["Content-Type"] == "application/x-protobuf"
    assert answer.headers["Content-Length"] == str(len(CONTENT))
    assert "Content-Encoding" not in answer.headers
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    etag = answer.headers["ETag"]
    again = await client.get(f"{BUILD}/attachments/0", headers={"If-None-Match": etag})
    assert (again.status, await again.read()) == (304, b"")
    other = await client.get(f"{BUILD}/attachments/1", headers={"If-None-Match": etag})
    assert (other.status, await other.read()) == (200, b"{}")
    changed = await client.get(f"{BUILD}/attachments/0", headers={"If-Match": '"x"'})
    assert changed.status == 412


@pytest.mark.parametrize(
    ("wanted", "first", "last"),
    [
        ("bytes=0-0", 0, 1),
        ("bytes=262143-262144", 262_143, 262_145),
        ("bytes=300000-", 300_000, len(CONTENT)),
        ("bytes=-5", len(CONTENT) - 5, len(CONTENT)),
        ("bytes=100-99999999", 100, len(CONTENT)),
    ],
)
async def test_a_part(client: Client, wanted: str, first: int, last: int) -> None:
    answer = await client.get(f"{BUILD}/attachments/0", headers={"Range": wanted})
    assert answer.status == 206
    assert await answer.read() == CONTENT[first:last]
    assert answer.headers["Content-Range"] == f"bytes {first}-{last - 1}/{len(CONTENT)}"


async def test_a_part_that_is_not_there(client: Client) -> None:
    answer = await client.get(f"{BUILD}/attachments/0", headers={"Range": "bytes=768000-"})
    assert answer.status == 416
    assert answer.headers["Content-Range"] == f"bytes */{len(CONTENT)}"


async def test_head_has_no_body(client: Client) -> None:
    answer = await client.head(f"{BUILD}/attachments/0")
    assert (answer.status, await answer.read()) == (200, b"")
    assert answer.headers["Content-Length"] == str(len(CONTENT))


@pytest.mark.parametrize("number", ["2", "4294967296", "9" * 19])
async def test_one_that_is_not_there(client: Client, number: str) -> None:
    answer = await client.get(f"{BUILD}/attachments/{number}")
    assert answer.status == 404
    assert (await answer.json())["error"]["code"] == "not_found"


async def test_damage_is_an_error_and_no_broken_answer(client: Client, site: Site) -> None:
    store = FakeStore()
    store.entries[ATTACHMENT_CHUNKS.key(0, 0)] = b"no gzip"
    site.stores.make = lambda _build: store
    answer = await client.get(f"{BUILD}/attachments/0")
    assert answer.status == 500
    assert (await answer.json())["error"]["code"] == "bad_store"
