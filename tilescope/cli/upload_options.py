"""Traces that browsers send: who may, and how much; and where they are kept."""

from __future__ import annotations

import argparse
import secrets
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tilescope.cli.cache_options import cache_directory
from tilescope.cli.sizes import parse_size
from tilescope.tiler.errors import UsageError

if TYPE_CHECKING:
    from tilescope.server.runs.opened_addresses import OpenedAddresses
    from tilescope.server.settings import Settings
    from tilescope.server.uploads.shelf import Shelf

# As in tilescope.server.guard.upload_rules, which is slow to import; a test compares them.
_PER_CLIENT_BYTES = 20 * 10**9
_ALL_BYTES = 50 * 10**9
_SECRET_BYTES = 16  # 128 bits, in an URL that is printed


def add_upload_options(parser: argparse.ArgumentParser, *, is_view: bool) -> None:
    """Declares --no-open or --allow-open, and the room for what is sent."""
    group = parser.add_argument_group("files opened in the browser")
    if is_view:
        group.add_argument(
            "--no-open",
            action="store_true",
            help="open no files that are dropped on the page; otherwise the browser that this command has opened, or "
            "that was given the printed URL, may send some",
        )
    else:
        group.add_argument(
            "--allow-open",
            action="store_true",
            help="whoever has the token may open files in the browser, which everybody with the token can then see",
        )
        group.add_argument(
            "--allow-open-url",
            action="append",
            default=[],
            metavar="PREFIX",
            help="whoever reaches the server may open addresses below this one, such as https://HOST/traces/ or "
            "s3://BUCKET/; https:// alone: of all public hosts; repeatable",
        )
    group.add_argument(
        "--open-per-client",
        type=parse_size,
        metavar="SIZE",
        default=_PER_CLIENT_BYTES,
        help="room in the cache directory for the files that one address has sent; default: 20GB",
    )
    group.add_argument(
        "--open-size",
        type=parse_size,
        metavar="SIZE",
        default=_ALL_BYTES,
        help="the same for all addresses; what nobody opened for the longest time is removed first; default: 50GB",
    )


def with_uploads(settings: Settings, args: argparse.Namespace, *, is_view: bool) -> Settings:
    """The settings with the rules of uploads. Raises `UsageError`."""
    from tilescope.server.guard.access import Access
    from tilescope.server.guard.upload_rules import UploadRules

    sizes = {"per_client_bytes": args.open_per_client, "all_bytes": args.open_size}
    if is_view:  # the browser that is opened has the secret of this start
        settings = replace(settings, start=Access(secrets.token_hex(_SECRET_BYTES)))
    if is_view and args.no_open:
        return replace(settings, uploads=UploadRules(reason="this server opens no files: start it without --no-open"))
    if is_view:
        return replace(settings, uploads=UploadRules(is_allowed=True, **sizes))
    if args.allow_open and settings.access.is_open:
        raise UsageError("--allow-open needs a token (--token-file): else whoever reaches the server could send files")
    return replace(settings, uploads=UploadRules(is_allowed=args.allow_open, **sizes))


def make_addresses(args: argparse.Namespace, mirrors: Path, shelf: Shelf | None) -> OpenedAddresses | None:
    """The addresses that can be opened; None where none can be. Raises `UsageError`."""
    from tilescope.remote.mirrors import MirrorPlan
    from tilescope.server.runs.arrivals import NOTHING_ARRIVES
    from tilescope.server.runs.opened_addresses import OpenedAddresses

    if not args.allow_open_url:
        return None
    root = str(mirrors.absolute())
    plan = MirrorPlan("", root, root, args.scratch, tuple(args.allow_open_url))
    return OpenedAddresses(plan, NOTHING_ARRIVES if shelf is None else shelf)


def make_shelf(settings: Settings, args: argparse.Namespace, command: str) -> Shelf | None:
    """Place of the uploads; None where nobody may send any."""
    from tilescope.server.uploads.shelf import Shelf

    if not settings.uploads.is_allowed:
        return None
    return Shelf.of_server(cache_directory(args).root, command, args.paths)
