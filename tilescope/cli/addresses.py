"""Addresses of buckets and web servers where a command takes paths, and the disk space that reading them may take."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs, urlsplit, urlunsplit

from tilescope.cli.say import complain
from tilescope.cli.sizes import parse_size
from tilescope.tiler.path_names import path_name

if TYPE_CHECKING:
    from tilescope.tiler.blobs import Mirror

# As in tilescope.tiler.blobs, which is slow to import; a test compares them.
DEFAULT_SCRATCH_BYTES: Final = 20 * 10**9
_WEB: Final = ("http://", "https://")
_SCHEMES: Final = (*_WEB, "s3://", "gs://", "az://")


def path_or_address(text: str) -> Path | str:
    """A path, or an address as it is written; for argparse."""
    return text if text.lower().startswith(_SCHEMES) else Path(text)


def place_text(place: Path | str) -> str:
    """A path or an address as others may read it: without the token that a server's URL has."""
    if isinstance(place, Path):
        return str(place)
    parts = urlsplit(place)
    fields = [field for field in parts.query.split("&") if not field.startswith("token=")]
    return urlunsplit(parts._replace(query="&".join(fields)))


def is_server_address(address: str) -> bool:
    """True where `/healthz` below a web address is Tilescope's, or the address has a token, as servers print it."""
    if not address.lower().startswith(_WEB):
        return False
    from tilescope.remote import Address
    from tilescope.remote.server_addresses import is_server

    query = parse_qs(urlsplit(address).query)
    return "token" in query or is_server(Address.parse(address))


def add_scratch_option(parser: argparse.ArgumentParser) -> None:
    """Declares --scratch."""
    parser.add_argument(
        "--scratch",
        type=parse_size,
        metavar="SIZE",
        default=DEFAULT_SCRATCH_BYTES,
        help="disk space for parts of traces that are read from an address; default: 20GB",
    )


@contextmanager
def local_paths(
    paths: Sequence[Path | str],
    root: Path,
    scratch_bytes: int = DEFAULT_SCRATCH_BYTES,
    *,
    is_server: bool = False,
    is_kept: bool = False,
) -> Iterator[list[Path]]:
    """The paths, each address mirrored below `root`, until the block ends. Raises UsageError and `BlobError`s.

    A server's mirrors, and those that are kept, stay: their runs are the same ones when the address is named again.
    Those of a server are refreshed meanwhile.
    """
    with ExitStack() as stack:
        if not (is_server or is_kept) and any(isinstance(path, str) for path in paths):
            root.mkdir(parents=True, exist_ok=True)
            root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tilescope-mirror-", dir=root)))
        mirrors: list[Mirror] = []
        local = []
        for path in paths:
            if isinstance(path, Path):
                local.append(path)
                continue
            from tilescope.remote.mirrors import MirrorPlan, mirror_address, unregister_plan

            plan = MirrorPlan(path, str(root.absolute()), str(root.absolute()), scratch_bytes)
            mirrored = mirror_address(plan)
            stack.callback(unregister_plan, mirrored, plan)
            for line in mirrored.notes():
                complain(line)
            local.append(mirrored.path)
            mirrors.append(mirrored.mirror)
        if is_server and mirrors:
            from tilescope.remote.refreshing import INTERVAL_S, refreshed

            complain(f"{', '.join(map(path_name, local))}: new traces are looked for every {INTERVAL_S:.0f} s")
            stack.enter_context(refreshed(mirrors))
        yield local


def mirror_folder(cache: Path) -> Path:
    """The folder of a server's mirrors, beside its indexes."""
    return cache.with_name(f"{cache.name}.mirrors")
