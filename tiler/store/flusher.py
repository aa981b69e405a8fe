"""Brings what is written to the disk while more is written: publishing has to wait for the rest alone.

Without it, the last step of a build waits for the whole store, with all cores idle: 75 ms instead of 32 ms for 180 MB
on a disk that takes 3 GB/s, and as long as the disk takes on a slow one.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path


class Flusher:
    """Flushes one file, in a thread that is there only while there is something to do."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Brings to the disk what the file holds now, unless that is being done. Does not wait for it."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._flush, name="flush", daemon=True)
            with suppress(RuntimeError):  # no thread is to be had: publishing does all of it
                self._thread.start()

    def close(self) -> None:
        """Waits until nothing is being done any more."""
        if self._thread is not None and self._thread.ident is not None:
            self._thread.join()
        self._thread = None

    def _flush(self) -> None:
        # What goes wrong with the disk is told when the build is published: the system keeps it for each open file.
        with suppress(OSError):
            descriptor = os.open(self._path, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
