"""Output to a terminal or a log: one line at a time, in which nothing but text is left.

Names in traces, names of files and what clients send may hold line breaks, escape sequences that change a terminal,
marks that turn the direction of text, and bytes that are no text at all. All printing goes through here.
"""

from __future__ import annotations

import logging
import sys
import traceback
from contextlib import suppress
from types import TracebackType
from typing import Any, TextIO

from tilescope.tiler.path_names import with_addresses
from tilescope.tiler.printable_text import printable, printable_json

# How parts of a traceback begin that hold several lines and nothing but what Python or its modules say.
_PARTS_OF_CODE = ("Traceback ", "  File ", "\n")


def say(line: str, stream: TextIO | None = None) -> None:
    """Prints one line, whatever is in it, on standard output unless told."""
    print(printable(with_addresses(line)), file=stream, flush=True)


def say_json(value: Any) -> None:
    """Prints a value for scripts and for people."""
    print(printable_json(value))


def complain(line: str) -> None:
    """Prints one line on standard error."""
    say(f"tilescope: {line}", sys.stderr)


def show_traceback(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
    """Replacement of `sys.excepthook`, with messages each on one line, and printable."""
    for part in traceback.format_exception(kind, error, where):
        text = part.removesuffix("\n")
        is_message = not part.startswith(_PARTS_OF_CODE)
        for line in [text] if is_message else text.split("\n"):
            say(line, sys.stderr)


class LogToStderr(logging.Handler):
    """Writes to what standard error is at the moment: while a bar is shown, lines must go above it."""

    def emit(self, record: logging.LogRecord) -> None:
        with suppress(OSError):  # nobody reads it, or its disk is full: the server goes on
            complain(record.getMessage())
            if record.exc_info is not None and record.exc_info[0] is not None:
                show_traceback(*record.exc_info)
