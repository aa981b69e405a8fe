"""`tilescope.connect`: where is the run?"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from tilescope.client.async_client import AsyncClient
from tilescope.client.local import AddressSource, LocalSource
from tilescope.client.source import Source
from tilescope.client.sync import Client
from tilescope.remote import Address, is_address
from tilescope.tiler.errors import UsageError
from tilescope.tiler.work_rules import NO_WORK_RULES, read_work_rules

_HTTP: Final = ("http://", "https://")
_URLS: Final = (*_HTTP, "grpc://", "grpcs://")


def connect(
    url_or_path: str | os.PathLike[str],
    *,
    token: str | None = None,
    ca_file: str | None = None,
    work_rules: str | os.PathLike[str] | None = None,
) -> Client:
    """Connects to a server (`http://…`, `https://…`, `grpc://…`, `grpcs://…`), or opens a store on this machine, or an
    archive at an address (`https://…/run.tsarc`, `s3://…/run.tsarc`): its records are read by ranges, without a server.

    `token`: the server's, if it asks for one; by default the one in the URL. `ca_file`: a PEM file with certificates to
    trust for a server with TLS; by default those of the system. `work_rules`: a file of rules for a store, which say
    what is communication, computation or a copy. Raises `StoreError` if there is no store, and `UsageError` for rules
    that are none.

        run = tilescope.connect("http://localhost:8808").run()
        run.stats().table.to_pandas()
    """
    return Client(connect_async(url_or_path, token=token, ca_file=ca_file, work_rules=work_rules))


def connect_async(
    url_or_path: str | os.PathLike[str],
    *,
    token: str | None = None,
    ca_file: str | None = None,
    work_rules: str | os.PathLike[str] | None = None,
) -> AsyncClient:
    """The same for programs with an event loop: `async with tilescope.connect_async(…) as client: …`."""
    text = os.fspath(url_or_path)
    is_archive = _is_archive(text)
    if is_archive or not text.startswith(_URLS):
        rules = NO_WORK_RULES if work_rules is None else read_work_rules(Path(work_rules))
        return AsyncClient(AddressSource(text, rules) if is_archive else LocalSource(Path(text), rules))
    if work_rules is not None:
        raise UsageError("work_rules are for a store: a server has those that it was started with (--work-rules)")
    return AsyncClient(_source(text, token, ca_file))


def _is_archive(text: str) -> bool:
    """True of an address of an object. Asks a web server whether it is Tilescope's, unless the address tells."""
    if not is_address(text):
        return False
    from tilescope.remote.server_addresses import is_server

    if text.startswith(_HTTP) and "token=" in text.partition("?")[2]:  # as servers print it
        return False
    return not is_server(Address.parse(text))


def _source(text: str, token: str | None, ca_file: str | None) -> Source:
    # What talks to servers takes a while to load: as long as everything else together.
    if text.startswith(_HTTP):
        from tilescope.client.http import HttpSource

        return HttpSource(text, token=token, ca_file=ca_file)
    from tilescope.client.rpc import GrpcSource

    return GrpcSource(text, token=token, ca_file=ca_file)
