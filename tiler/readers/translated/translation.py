"""The contract of a translation: another format as the text of trace-event JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol


class Translation(Protocol):
    """One file. `pieces` is called once, and goes on in whatever thread; the rest is complete when it is exhausted."""

    ignored: dict[str, int]  # reason → how many; beside what the reader of trace events ignores
    warnings: list[str]  # one line each

    def pieces(self) -> Iterator[bytes]:
        """Text of a JSON object with `traceEvents`, in pieces of at most a few MiB. Its times are whole nanoseconds.

        Raises TraceError with path and advice.
        """

    def bytes_read(self) -> int:
        """Progress in bytes of the file as it lies on disk."""

    def close(self) -> None:
        """Closes the file."""
