"""A program that sends traces to a server as the viewer does, and servers for it."""

from __future__ import annotations

import asyncio
import io
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from aiohttp import ClientResponse, web
from jsonschema import Draft202012Validator

from tests.server.conftest import Client
from tilescope.server.app import make_app
from tilescope.server.guard.access import Access
from tilescope.server.guard.roots import within
from tilescope.server.guard.upload_rules import UploadRules
from tilescope.server.openapi import describe_api
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.open_stores import OpenStores
from tilescope.server.runs.registry import Registry
from tilescope.server.settings import DEFAULTS, Settings
from tilescope.server.uploads.shelf import Shelf
from tilescope.tiler.readers import discover
from tilescope.tiler.store import open_run_store

UPLOADS = "/api/v1/uploads"
TOKEN = "a-token-of-some-length"
BYTES = {"Content-Type": "application/octet-stream"}
JSON = {"Content-Type": "application/json"}
SENDING = replace(DEFAULTS, access=Access(TOKEN), uploads=UploadRules(is_allowed=True))


@dataclass
class Place:
    """A folder that is served, and the cache of the server."""

    folder: Path
    max_inflated: int | None = None

    @property
    def shelf(self) -> Shelf:
        return Shelf.of_server(self.folder / "cache", "serve", [self.folder / "logs"])

    def app(self, settings: Settings = SENDING) -> web.Application:
        """A server of this place, with real readers and real workers."""
        (self.folder / "logs").mkdir(exist_ok=True)
        shelf = self.shelf
        paths = [self.folder / "logs"]
        registry = Registry(
            paths,
            CacheDirectory(self.folder / "cache"),
            OpenStores(open_run_store),
            within([*paths, shelf.folder], partial(discover, max_inflated=self.max_inflated)),
            max_inflated=self.max_inflated,
            rescan_interval_s=0,
            arrivals=shelf,
        )
        return make_app(registry, settings=settings, shelf=shelf)

    def files(self) -> set[str]:
        """Everything that is kept of uploads, also while the server removes folders: `rglob` fails on these."""
        top = self.shelf.folder
        return {str((Path(folder) / name).relative_to(top)) for folder, _, names in os.walk(top) for name in names}


def trace_of(*names: str) -> bytes:
    """A trace with slices of these names."""
    slices = [
        {"ph": "X", "ts": 10 * number, "dur": 5, "pid": 1, "tid": 1, "name": name} for number, name in enumerate(names)
    ]
    return json.dumps(slices).encode()


def order_of(files: Mapping[str, bytes]) -> dict[str, Any]:
    return {
        "files": [
            {"name": name, "size_bytes": str(len(content)), "modified_ms": "1700000000000"}
            for name, content in files.items()
        ]
    }


async def checked(answer: ClientResponse, name: str = "Upload") -> dict[str, Any]:
    """The JSON of an answer, which fits its description."""
    assert answer.ok, await answer.text()
    components = describe_api()["components"]
    content: dict[str, Any] = await answer.json()
    Draft202012Validator({**components["schemas"][name], "components": components}).validate(content)
    return content


async def begin(client: Client, files: Mapping[str, bytes]) -> str:
    """Id of a new upload."""
    return str((await checked(await client.post(UPLOADS, json=order_of(files))))["id"])


async def put(client: Client, upload: str, number: int, start: int, piece: bytes) -> ClientResponse:
    return await client.put(f"{UPLOADS}/{upload}/files/{number}/{start}", data=io.BytesIO(piece), headers=BYTES)


async def send(client: Client, files: Mapping[str, bytes], piece: int = 8 << 20) -> dict[str, Any]:
    """An upload that is listed."""
    upload = await begin(client, files)
    for number, content in enumerate(files.values()):
        for start in range(0, len(content), piece):
            await checked(await put(client, upload, number, start, content[start : start + piece]))
    return await checked(await list_runs(client, upload))


async def list_runs(client: Client, upload: str) -> ClientResponse:
    return await client.post(f"{UPLOADS}/{upload}/runs", headers=JSON)


async def run_of(client: Client, run: str) -> dict[str, Any]:
    """The run of that id as the list has it."""
    runs: list[dict[str, Any]] = (await (await client.get("/api/v1/runs")).json())["runs"]
    return next(entry for entry in runs if entry["id"] == run)


async def indexed(client: Client, run: str) -> dict[str, Any]:
    """The same once it is ready, or has failed."""
    async with asyncio.timeout(60):
        while (entry := await run_of(client, run))["state"] not in ("ready", "failed"):
            await asyncio.sleep(0.05)
    return entry
