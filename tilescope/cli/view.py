"""Shows traces in the browser: serves them at once, and indexes those that are not indexed yet.

PATH is a trace file, a folder with the files of one run, a log directory as TensorBoard, XProf and JAX
write it, a store, a pipe (- for standard input), which is copied to a scratch file first, or an address such as
s3://BUCKET/logs. The newest run is opened; the others are in the menu at its name. Runs are
indexed in the background, the newest first; those that jobs write meanwhile as soon as they are complete.
Indexes are kept in a cache directory, so the next start is immediate. Ctrl-C
or SIGTERM ends the server. If indexing fails for all files that were named, it ends with exit code 1.

Traces on another machine: start this there, and look at them here through a tunnel,

    ssh -t -L 8808:localhost:8808 HOST tilescope view logs/ --no-browser --port 8808

and open http://localhost:8808/. For a name other than localhost see --allow-host.

Files and folders that are dropped on the page are opened, too, in the browser that this command has opened or that was
given the printed URL (--no-open: not).

This command serves HTTP only, which is enough for browsers and for notebooks (tilescope.connect). For gRPC, use
`tilescope serve`.

Examples:

    tilescope view trace.xplane.pb
    tilescope view logs/
    tilescope view host0.trace.json.gz --no-browser --port 9000
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tilescope.cli.access_options import make_settings, warn_of_strangers
from tilescope.cli.addresses import local_paths, mirror_folder, path_or_address
from tilescope.cli.cache_options import cache_directory
from tilescope.cli.command import EXIT_BAD
from tilescope.cli.piped import without_pipes
from tilescope.cli.say import complain, say
from tilescope.cli.server_options import add_server_options, log_to_stderr, make_registry
from tilescope.cli.sql_option import add_sql_option, with_sql
from tilescope.cli.upload_options import add_upload_options, make_shelf, with_uploads
from tilescope.tiler.errors import UsageError

if TYPE_CHECKING:
    from socket import socket

NAME = "view"
HELP = "index a trace, serve it and open the browser"

_SHOWN_NOTES: Final = 3  # of the run that is opened; its page has all


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "paths",
        type=path_or_address,
        nargs="+",
        metavar="PATH",
        help="trace, run folder, log directory or store, or the address of one",
    )
    parser.add_argument("--no-browser", action="store_true", help="only print the URL")
    parser.add_argument(
        "--at",
        metavar="PLACE",
        help="open this place: the part of an address of the viewer behind its #, as v=1&t=0-500",
    )
    add_server_options(parser, has_grpc=False)
    add_upload_options(parser, is_view=True)
    add_sql_option(parser, is_view=True)


def run(args: argparse.Namespace) -> int:
    """Serves until it is told to stop. Files that are no traces, or of which none can be indexed, end it."""
    cache = cache_directory(args).root
    with (
        local_paths(args.paths, mirror_folder(cache), args.scratch, is_server=True) as local,
        without_pipes(local, cache, args.max_inflated) as paths,
    ):
        args.paths = paths
        return _view(args)


def _view(args: argparse.Namespace) -> int:
    import asyncio
    import webbrowser
    from urllib.parse import quote

    from tilescope.cli.failed_indexing import serve_unless_all_failed
    from tilescope.cli.indexing_progress import with_progress
    from tilescope.server.access_log import access_log
    from tilescope.server.app import make_app
    from tilescope.server.guard.start_secret import PARAMETER
    from tilescope.server.serving import run_until_signalled, url_of, with_token

    settings = with_sql(with_uploads(make_settings(args), args, is_view=True), args, is_view=True)
    shelf = make_shelf(settings, args, NAME)
    registry = make_registry(args, index_all=True, shelf=shelf)
    _check_files(args.paths, args.max_inflated)
    listening = _listen(args.host, args.port)
    warn_of_strangers(settings)

    async def show() -> None:
        runs = [run for run in await registry.list_runs() if run.removed_ns is None]  # the others were sent earlier
        if not runs:
            where = ", ".join(str(path) for path in args.paths)
            if not all(path.is_dir() for path in args.paths):
                raise UsageError(f"{where}: there are no traces here (name a trace, a log directory or a store)")
            complain(f"{where}: there are no traces here yet: runs are shown when jobs write them")
        url = url_of(listening, settings) + (f"?run={quote(runs[0].run.id)}" if runs else "")
        url = with_token(url, settings.start, PARAMETER)
        fragment = f"#{args.at.removeprefix('#')}" if args.at and runs else ""
        with_login = with_token(url, settings.access) + fragment
        url += fragment
        say(f"Viewing {with_login if settings.access.is_made_up else url} (Ctrl-C stops)")
        for note in runs[0].run.notes[:_SHOWN_NOTES] if runs else ():
            complain(f"note: {note}")
        if not args.no_browser and not (has_screen() and await asyncio.to_thread(webbrowser.open, with_login)):
            complain("no browser could be started: open the URL by hand")

    app = make_app(registry, settings=settings, shelf=shelf)
    serving = with_progress(registry, run_until_signalled(app, listening, show))
    with log_to_stderr(), access_log(args.access_log):
        if not all(path.is_file() for path in args.paths):  # to folders, runs may be added
            asyncio.run(serving)
        elif asyncio.run(serve_unless_all_failed(registry, serving)):
            return EXIT_BAD
    return 0


def has_screen() -> bool:
    """True if a browser would open a window. Without a screen `webbrowser` starts one in the terminal, and waits."""
    if sys.platform in ("darwin", "win32") or os.environ.get("BROWSER"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _check_files(paths: Sequence[Path], max_inflated: int | None) -> None:
    """Raises `TraceError` for a file whose first bytes are not those of a trace, `StoreError` for a bad store."""
    from tilescope.tiler.mount import is_run, open_run
    from tilescope.tiler.readers.recognise import check_file

    for path in paths:
        if is_run(path):
            open_run(path).close()
        elif path.is_file():
            check_file(path, max_inflated)


def _listen(host: str, port: int | None) -> socket:
    """The port that was asked for; else the usual one, so that bookmarks work, or any if that is taken."""
    from tilescope.server.serving import DEFAULT_PORT, bind

    if port is not None:
        return bind(host, port)
    try:
        return bind(host, DEFAULT_PORT)
    except UsageError:
        return bind(host, 0)
