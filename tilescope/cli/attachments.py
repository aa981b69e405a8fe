"""Lists the attachments of the store at STORE, or writes out one of them.

Attachments are what a trace contains besides events: the HLO protos of an XSpace (`hlo/…`, by program
id), the stats of its planes (`plane/…/stats`, as XPlane messages), and the other members of a JSON trace
(`json/…`). Without NAME, the command prints a list. With NAME, or an id from the list, it writes the bytes to
the file after -o, or to standard output if that is a pipe or a file. If several hosts have an attachment of
this name, choose one with --host.

Examples:

    tilescope attachments run.store
    tilescope attachments run.store json/deviceProperties | jq .
    tilescope attachments run.store hlo/12190760917235803885 -o step.hlo.pb
    tilescope attachments run.store --json | jq -r '.attachments[].name'
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from tilescope.cli.option_rules import not_with, only_with
from tilescope.cli.say import say, say_json
from tilescope.cli.stores import add_store_argument, local_store
from tilescope.cli.text import shortened
from tilescope.tiler.count_text import plural
from tilescope.tiler.printable_text import printable
from tilescope.tiler.size_text import size_text

if TYPE_CHECKING:
    from tilescope.tiler.store.attachments import AttachmentEntry
    from tilescope.tiler.store.store import Store

NAME = "attachments"
HELP = "list or extract the metadata kept with a trace"

SHOWN = 500  # lines; --json has all
SHOWN_CHARACTERS = 100  # of a name


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    add_store_argument(parser)
    parser.add_argument("name", nargs="?", metavar="NAME", help="name or id of the attachment to write out")
    parser.add_argument("--host", metavar="HOST", help="only those of this host")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="where to write it; must not exist yet")
    parser.add_argument("--json", action="store_true", help="the list as one JSON object")
    only_with(parser, "NAME", "--output")
    not_with(parser, "NAME", "--json")


def run(args: argparse.Namespace) -> int:
    """Prints the list, or writes one."""
    with local_store(args.store) as store:
        return _attachments(store, args)


def _attachments(path: Path, args: argparse.Namespace) -> int:
    from tilescope.tiler.mount import open_run
    from tilescope.tiler.store.attachments import content
    from tilescope.tiler.store.validation import must_make_sense

    store = open_run(path)
    try:
        with must_make_sense(path):
            entries = listed_in(store)
            if args.name is None:
                shown = [entry for entry in entries if args.host in (None, entry.host)]
                _print(shown, as_json=args.json)
            else:
                _write(content(store, _find(entries, args.name, args.host)), args.output)
    finally:
        store.close()
    return 0


def listed_in(store: Store) -> Sequence[AttachmentEntry]:
    """The list. Raises DamagedStore."""
    from tilescope.tiler.records.attachments import ATTACHMENTS
    from tilescope.tiler.store.attachments import listed
    from tilescope.tiler.store.store import need

    return listed(need(store, ATTACHMENTS))


def _find(entries: Sequence[AttachmentEntry], name: str, host: str | None) -> AttachmentEntry:
    from tilescope.tiler.errors import UsageError
    from tilescope.tiler.store.attachments import find

    if name.isascii() and name.isdigit() and len(name) < 10 and int(name) < len(entries):
        entry = entries[int(name)]
        if host not in (None, entry.host):
            raise UsageError(f"attachment {name} is of host {entry.host!r}, not of {host!r}")
        return entry
    return find(entries, name, host)


def _print(entries: Sequence[AttachmentEntry], *, as_json: bool) -> None:
    if as_json:
        say_json({"attachments": [entry.to_json() for entry in entries]})
        return
    for line in lines_of(entries, SHOWN):
        say(line)


def lines_of(entries: Sequence[AttachmentEntry], at_most: int) -> Iterator[str]:
    """A line for each of the first, and one that counts the others."""
    hosts = {entry.host for entry in entries}
    for entry in entries[:at_most]:
        host_text = f"  {entry.host}" if len(hosts) > 1 else ""
        label = "" if entry.name.endswith((f"/{entry.label}", f"/{entry.label}/stats")) else f"  {entry.label}"
        text = f"{entry.id:>6}  {size_text(entry.size_bytes):>8}  {entry.name}{label}{host_text}"
        yield printable(shortened(text, SHOWN_CHARACTERS + 20))
    if len(entries) > at_most:
        yield f"and {plural(len(entries) - at_most, 'more attachment', 'more attachments')} (--json lists all)"


def _write(pieces: Iterator[bytes], output: Path | None) -> None:
    from tilescope.cli.whole_file import written_to
    from tilescope.tiler.errors import UsageError

    if output is None:
        if sys.stdout.isatty():
            raise UsageError("it may not be text: name a file with -o FILE, or redirect the output")
        _copy(pieces, sys.stdout.buffer)
        return
    try:
        file = output.open("xb")
    except OSError as error:
        raise UsageError(f"{output}: cannot be written: {os.strerror(error.errno or 0)}") from error
    try:
        with written_to(output), file:
            _copy(pieces, file)
    except BaseException:
        output.unlink(missing_ok=True)  # nothing half-written is left
        raise


def _copy(pieces: Iterator[bytes], to: BinaryIO) -> None:
    for piece in pieces:
        to.write(piece)
    to.flush()
