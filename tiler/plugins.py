"""Entry points that installed packages of others offer, and messages about those that are broken."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import PathFinder
from pathlib import Path
from traceback import extract_tb
from typing import Final

from msgspec import Struct

_OUR_CODE: Final = Path(__file__).parents[1]
_MESSAGE_CHARS: Final = 300  # of a stranger's exception


class Offered(Struct, frozen=True):
    """Objects of one entry point; or the reason why it cannot be loaded, in a line."""

    source: str  # as in toy_tools:TOOLS
    objects: Sequence[object]
    left_out: str | None = None


def load_plugins(group: str, what: str) -> Iterator[Offered]:
    """The entry points of a group, in the order of their names. `what` they are: "tools"."""
    if not _may_be_offered(group):
        return
    from importlib.metadata import entry_points  # it brings the parser of e-mails: see below

    for entry in sorted(entry_points(group=group), key=lambda entry: (entry.name, entry.value)):
        try:
            loaded = entry.load()
        except (Exception, SystemExit) as error:  # whatever a stranger's module raises must not end the server
            why = f"the {what} of {entry.value} are left out, they cannot be loaded: {fault_text(error)}"
            yield Offered(entry.value, (), why)
            continue
        yield Offered(entry.value, loaded if isinstance(loaded, list | tuple) else [loaded])


def _may_be_offered(group: str) -> bool:
    """False if plainly no installed package has entry points of that group; True in all other cases.

    A look at the files takes 2 ms of processor time, to import what reads them and to ask it 50.
    """
    finders = [finder for finder in sys.meta_path if finder is not PathFinder]
    if any(hasattr(finder, "find_distributions") for finder in finders):
        return True
    for folder in sys.path:
        try:
            names = [entry.name for entry in os.scandir(folder or ".")]
        except FileNotFoundError:
            continue
        except OSError:
            return True
        if folder.endswith(".egg"):
            return True
        for name in names:
            if name.endswith((".dist-info", ".egg-info")) and _names(Path(folder, name, "entry_points.txt"), group):
                return True
    return False


def _names(entry_points: Path, group: str) -> bool:
    try:
        return group.encode() in entry_points.read_bytes()
    except FileNotFoundError:
        return False
    except OSError:
        return not entry_points.parent.is_file()  # a package of one file has none


def fault_text(error: BaseException) -> str:
    """A stranger's exception in one short line."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:_MESSAGE_CHARS]


def fault_place(error: BaseException) -> str:
    """Place in somebody else's code where an error was raised, if it was there: " in toy_tools.py, line 7"."""
    theirs = [frame for frame in extract_tb(error.__traceback__) if _OUR_CODE not in Path(frame.filename).parents]
    return f" in {Path(theirs[-1].filename).name}, line {theirs[-1].lineno}" if theirs else ""
