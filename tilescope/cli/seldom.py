"""Keeps a log from being flooded: the same line is written once in a while."""

from __future__ import annotations

import logging
import time
from typing import Final

SILENCE_S: Final = 10.0
_KEPT: Final = 1000  # lines; of more, the one that was written first is forgotten


class Seldom(logging.Filter):
    """Lets a line through that was not written in the last ten seconds, and says how often it was not since."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: dict[tuple[str, str], tuple[float, int]] = {}  # when it was written, and how often not since

    def filter(self, record: logging.LogRecord) -> bool:
        """True if a record is to be written."""
        line = record.name, record.getMessage()
        now = time.monotonic()
        written_s, withheld = self._lines.get(line, (-SILENCE_S, 0))
        if now - written_s < SILENCE_S:
            self._lines[line] = written_s, withheld + 1
            return False
        self._lines.pop(line, None)
        self._lines[line] = now, 0
        if len(self._lines) > _KEPT:
            del self._lines[next(iter(self._lines))]
        if withheld:
            record.msg, record.args = f"{line[1]} (and {withheld:,} times since {now - written_s:.0f} s)", None
        return True
