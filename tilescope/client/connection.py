"""`tilescope.connect`: where is the run?"""

from __future__ import annotations

import os
from pathlib import Path

from tilescope.client.aio import AsyncClient
from tilescope.client.local import LocalSource
from tilescope.client.source import Source
from tilescope.client.sync import Client


def connect(url_or_path: str | os.PathLike[str], *, token: str | None = None, ca_file: str | None = None) -> Client:
    """Connects to a server (`http://…`, `https://…`, `grpc://…`, `grpcs://…`), or opens a store on this machine.

    `token`: the server's, if it asks for one; by default the one in the URL. `ca_file`: a PEM file with certificates to
    trust for a server with TLS; by default those of the system. Raises `StoreError` if there is no store.

        run = tilescope.connect("http://localhost:8808").run()
        run.stats().table.to_pandas()
    """
    return Client(connect_async(url_or_path, token=token, ca_file=ca_file))


def connect_async(
    url_or_path: str | os.PathLike[str], *, token: str | None = None, ca_file: str | None = None
) -> AsyncClient:
    """The same for programs with an event loop: `async with tilescope.connect_async(…) as client: …`."""
    return AsyncClient(_source(url_or_path, token, ca_file))


def _source(url_or_path: str | os.PathLike[str], token: str | None, ca_file: str | None) -> Source:
    text = os.fspath(url_or_path)
    # What talks to servers takes a while to load: as long as everything else together.
    if text.startswith(("http://", "https://")):
        from tilescope.client.http import HttpSource

        return HttpSource(text, token=token, ca_file=ca_file)
    if text.startswith(("grpc://", "grpcs://")):
        from tilescope.client.rpc import GrpcSource

        return GrpcSource(text, token=token, ca_file=ca_file)
    return LocalSource(Path(text))
