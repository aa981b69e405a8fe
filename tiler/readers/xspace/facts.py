"""Facts about the planes of an XSpace, and the start of their lines' clocks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from tilescope.tiler import _native
from tilescope.tiler.details import xstat
from tilescope.tiler.details.wire import WireDamage
from tilescope.tiler.readers.compression import ENDINGS

ENVIRONMENT_PLANE = "Task Environment"

INT64_MAX = (1 << 63) - 1

_MAX_DETAIL_CHARS = 300
_MAX_WORDS = 20  # of a profiler's errors, and of its warnings


def plane_stats(plane: _native.XSpacePlane) -> list[xstat.XStat]:
    """The plane's own stats; those that cannot be decoded are left out, they describe nothing that is counted."""
    decoded = []
    for raw in plane.stats:
        try:
            decoded.append(xstat.stat(raw, plane.stat_names))
        except WireDamage:
            continue
    return decoded


def plane_detail(plane: _native.XSpacePlane) -> str:
    """`name value, …` of the plane's stats, without binary ones."""
    parts = [f"{stat.name} {stat.value}" for stat in plane_stats(plane) if isinstance(stat.value, int | float | str)]
    return _shortened(one_line(", ".join(parts)))


def profile_start_ns(planes: Sequence[_native.XSpacePlane]) -> int:
    """Start of the capture, in nanoseconds since the epoch, as the file has it; 0 where it does not."""
    for plane in planes:
        if plane.name == ENVIRONMENT_PLANE:
            for stat in plane_stats(plane):
                if stat.name == "profile_start_time" and isinstance(stat.value, int):
                    return stat.value
    return 0


def line_start_ns(timestamp_ns: int, start_ns: int) -> int:
    """Absolute time of a line's offset 0, in nanoseconds.

    Profilers subtract the capture's start from their lines' timestamps before they write, so that hosts can only be
    aligned by adding it again. A line that kept its absolute timestamp is recognised by being nowhere near 0. A line
    whose time would not fit in 64 bits then stays where it is.
    """
    is_relative = timestamp_ns < start_ns // 2 and timestamp_ns + start_ns <= INT64_MAX
    return timestamp_ns + (start_ns if is_relative else 0)


def hostname_of(path: Path) -> str:
    """`<host>` of `<host>.xplane.pb` or `<host>.xplane.pb.gz`, `.zst` …."""
    compressed = "|".join(map(re.escape, ENDINGS))
    return re.sub(rf"(\.xplane)?(\.pb)?({compressed})?$", "", path.name, flags=re.IGNORECASE)


def profiler_words(verb: str, texts: Sequence[str]) -> list[str]:
    """A line for each of the first texts that a profiler has left in its file, and one that counts the others."""
    lines = [f"the profiler {verb}: {_shortened(one_line(text))}" for text in texts[:_MAX_WORDS]]
    more = len(texts) - len(lines)
    return [*lines, f"the profiler {verb} {more:,} more times"] if more else lines


def _shortened(text: str) -> str:
    return text if len(text) <= _MAX_DETAIL_CHARS else text[: _MAX_DETAIL_CHARS - 1] + "…"


def one_line(text: str) -> str:
    """The text with all white space runs as single blanks."""
    return " ".join(text.split())
