"""What installed packages of others offer as entry points, and what is said of it when it is broken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from traceback import extract_tb
from typing import Final

_OUR_CODE: Final = Path(__file__).parents[1]
_MESSAGE_CHARS: Final = 300  # of a stranger's exception


@dataclass(frozen=True, slots=True)
class Offered:
    """What one entry point has; or why it cannot be loaded, in a line."""

    source: str  # as in toy_tools:TOOLS
    objects: Sequence[object]
    left_out: str | None = None


def load_plugins(group: str, what: str) -> Iterator[Offered]:
    """The entry points of a group, in the order of their names. `what` they are: "tools"."""
    for entry in sorted(entry_points(group=group), key=lambda entry: (entry.name, entry.value)):
        try:
            loaded = entry.load()
        except (Exception, SystemExit) as error:  # whatever a stranger's module raises must not end the server
            why = f"the {what} of {entry.value} are left out, they cannot be loaded: {fault_text(error)}"
            yield Offered(entry.value, (), why)
            continue
        yield Offered(entry.value, loaded if isinstance(loaded, list | tuple) else [loaded])


def fault_text(error: BaseException) -> str:
    """A stranger's exception in one short line."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:_MESSAGE_CHARS]


def fault_place(error: BaseException) -> str:
    """Where in somebody else's code it was raised, if it was there: " in toy_tools.py, line 7"."""
    theirs = [frame for frame in extract_tb(error.__traceback__) if _OUR_CODE not in Path(frame.filename).parents]
    return f" in {Path(theirs[-1].filename).name}, line {theirs[-1].lineno}" if theirs else ""
