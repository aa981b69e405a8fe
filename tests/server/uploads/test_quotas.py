"""Room for uploads: quotas, the disk, and what is removed."""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from aiohttp import ClientResponse
from msgspec import json, structs

from tests.server.conftest import Client
from tests.server.uploads.sending import (
    SENDING,
    UPLOADS,
    Place,
    begin,
    indexed,
    put,
    send,
    trace_of,
)
from tilescope.server.uploads import uploads
from tilescope.server.uploads.shelf import KEPT_NS, Shelf
from tilescope.tiler.store.build_lock import CURRENT, LOCK

Make = Callable[..., Awaitable[Client]]
RULES = SENDING.uploads


async def order(client: Client, size: int) -> ClientResponse:
    content = {"files": [{"name": "a.json", "size_bytes": str(size), "modified_ms": "0"}]}
    return await client.post(UPLOADS, json=content)


async def test_a_client_has_its_quota(make: Make) -> None:
    client = await make(replace(SENDING, uploads=replace(RULES, per_client_bytes=1000)))
    assert (await order(client, 1001)).status == 429
    assert (await order(client, 600)).status == 201
    answer = await order(client, 401)
    assert answer.status == 429
    assert "1,000 bytes" in (await answer.json())["error"]["message"]
    assert (await order(client, 400)).status == 201


async def test_few_may_be_under_way(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MOST_UNFINISHED", 2)
    client = await make()
    assert [(await order(client, 1)).status for _ in range(3)] == [201, 201, 429]


async def test_a_disk_with_too_little_room_takes_nothing(
    place: Place, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = await make()
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=uploads.FREE_BYTES + 1000))
    answer = await order(client, 700)
    assert (answer.status, (await answer.json())["error"]["code"]) == (507, "disk_full")
    assert place.files() == set()
    assert (await order(client, 500)).status == 201


def age(shelf: Shelf, upload: str, seconds: float) -> None:
    """Makes an upload, and what was made of it, as old as that."""
    then, folder = time.time() - seconds, shelf.folder / upload
    plan = structs.replace(shelf.find(upload).plan, begun_ns=int(then * 1e9))
    (folder / "plan.json").write_bytes(json.encode(plan))
    for path in [folder, *folder.glob("*"), *folder.glob("parts/*"), *uses(shelf, upload)]:
        os.utime(path, (then, then))


def uses(shelf: Shelf, upload: str) -> list[Path]:
    """Files that say when the stores of an upload of one file were last used."""
    name = shelf.find(upload).plan.top
    return [path for mark in (LOCK, CURRENT) for path in shelf.folder.parent.parent.glob(f"{name}-*/*/{mark}")]


async def test_what_nobody_opened_for_longest_makes_room(place: Place, make: Make) -> None:
    trace = trace_of("x")
    client = await make(replace(SENDING, uploads=replace(RULES, all_bytes=3 * len(trace) - 1)))
    old = await send(client, {"old.json": trace})
    await indexed(client, old["runs"][0])
    new = await send(client, {"new.json": trace})
    await indexed(client, new["runs"][0])
    assert (await order(client, len(trace))).status == 429, "both were opened just now"
    await client.close()
    age(place.shelf, old["id"], 2 * uploads.UNTOUCHED_S)
    client = await make(replace(SENDING, uploads=replace(RULES, all_bytes=3 * len(trace) - 1)))
    assert (await order(client, len(trace))).status == 201
    assert (await client.get(f"{UPLOADS}/{old['id']}")).status == 404
    assert (await client.get(f"{UPLOADS}/{new['id']}")).status == 200


@pytest.mark.parametrize("opened", [0, 1])
async def test_what_was_opened_longest_ago_goes_first(place: Place, make: Make, opened: int) -> None:
    """Not what came first, nor what came last: of two that nobody opened for a while one goes, and the other stays."""
    trace = trace_of("x")
    client = await make()
    states = [await send(client, {f"{name}.json": trace}) for name in ("first", "second")]
    for state in states:
        await indexed(client, state["runs"][0])
    await client.close()
    for state, hours in zip(states, (5, 4), strict=True):
        age(place.shelf, state["id"], hours * 3600)
    then = time.time() - 2 * 3600
    for path in uses(place.shelf, states[opened]["id"]):
        os.utime(path, (then, then))
    client = await make(replace(SENDING, uploads=replace(RULES, all_bytes=3 * len(trace) - 1)))
    assert (await order(client, len(trace))).status == 201
    for number, state in enumerate(states):
        assert (await client.get(f"{UPLOADS}/{state['id']}")).status == (200 if number == opened else 404)


@pytest.mark.parametrize("lack", ["own room", "all room", "disk"])
async def test_nothing_is_removed_for_what_does_not_fit_then_either(
    place: Place, make: Make, monkeypatch: pytest.MonkeyPatch, lack: str
) -> None:
    client = await make()
    old = await send(client, {"old.json": trace_of("x")})
    await indexed(client, old["runs"][0])
    await client.close()
    age(place.shelf, old["id"], 2 * uploads.UNTOUCHED_S)
    rules = {
        "own room": replace(RULES, per_client_bytes=1000),
        "all room": replace(RULES, all_bytes=1000),
        "disk": RULES,
    }[lack]
    client = await make(replace(SENDING, uploads=rules))
    if lack == "disk":
        monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=uploads.FREE_BYTES))
    assert (await order(client, 1001)).status == (507 if lack == "disk" else 429)
    assert (await client.get(f"{UPLOADS}/{old['id']}")).status == 200


async def test_the_room_of_a_client_is_not_made_of_uploads_of_others(place: Place, make: Make) -> None:
    trace = trace_of("x")
    client = await make()
    other, own = await send(client, {"other.json": trace}), await send(client, {"own.json": trace})
    for state in (other, own):
        await indexed(client, state["runs"][0])
    await client.close()
    age(place.shelf, other["id"], 3 * uploads.UNTOUCHED_S)
    age(place.shelf, own["id"], 2 * uploads.UNTOUCHED_S)
    plan = place.shelf.folder / other["id"] / "plan.json"
    plan.write_bytes(plan.read_bytes().replace(b'"127.0.0.1"', b'"192.0.2.1"'))
    client = await make(replace(SENDING, uploads=replace(RULES, per_client_bytes=len(trace))))
    assert (await order(client, len(trace))).status == 201
    assert (await client.get(f"{UPLOADS}/{own['id']}")).status == 404
    assert (await client.get(f"{UPLOADS}/{other['id']}")).status == 200


async def test_a_disk_that_is_full_in_the_middle_of_a_piece_ends_the_upload(
    place: Place, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = await make()
    write, size = os.pwrite, 3 << 20

    def until_full(handle: int, content: bytes, start: int) -> int:
        if start >= 1 << 20:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(handle, content[: (1 << 20) - start], start)

    upload = await begin(client, {"a.json": bytes(size)})
    monkeypatch.setattr(os, "pwrite", until_full)
    answer = await put(client, upload, 0, 0, bytes(size))
    assert (answer.status, (await answer.json())["error"]["code"]) == (507, "disk_full")
    assert str(place.folder) not in await answer.text()
    assert place.files() == set()
    assert (await client.get(f"{UPLOADS}/{upload}")).status == 404


async def test_what_is_old_or_unfinished_goes_at_the_start(place: Place, make: Make) -> None:
    client = await make()
    whole = await send(client, {"a.json": trace_of("x")})
    await indexed(client, whole["runs"][0])
    unfinished = await begin(client, {"b.json": b"xx"})
    await put(client, unfinished, 0, 0, b"x")
    await client.close()
    age(place.shelf, unfinished, 2 * 3600)
    age(place.shelf, whole["id"], KEPT_NS / 1e9 + 3600)
    client = await make()
    async with asyncio.timeout(10):
        while place.files():
            await asyncio.sleep(0.02)
    assert (await (await client.get("/api/v1/runs")).json())["runs"] == []


async def test_another_server_does_not_show_them(place: Place, make: Make) -> None:
    client = await make()
    await send(client, {"a.json": trace_of("x")})
    other = Shelf.of_server(place.folder / "cache", "view", [place.folder / "logs"])
    assert place.shelf.roots()
    assert other.roots() == []
