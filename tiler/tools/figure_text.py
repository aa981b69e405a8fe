"""Figures of answers in words: times in the unit that fits, counts with commas, a dash for what is not recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tilescope.tiler.count_text import count_text
from tilescope.tiler.duration_text import duration_text
from tilescope.tiler.percent_text import percent_text
from tilescope.tiler.printable_text import printable
from tilescope.tiler.size_text import si_text, size_text
from tilescope.tiler.tools.answer import Value

if TYPE_CHECKING:
    from tilescope.tiler.query import TrackTree

_MOST_CHARACTERS: Final = 2000  # of a text: a table is laid out character by character


@dataclass(frozen=True, slots=True)
class Shown:
    """Context that makes figures readable: length of a tick, names of tracks, and the tick that times count from."""

    tick_ps: int
    track_name: Callable[[int], str]
    zero: int = 0

    def text(self, kind: str, value: Value) -> str:
        """A figure: times in the unit that fits, a dash for what is not recorded."""
        if value is None or value != value:
            return "–"
        if kind == "time":
            kind, value = "ticks", int(value) - self.zero
        write = self._writers().get(kind)
        if write is None:
            text = str(value)
            return printable(text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…")
        if isinstance(value, int | float) and value < 0 and kind != "id":
            return f"-{write(-value)}"
        return write(value)

    def _writers(self) -> Mapping[str, Callable[[Any], str]]:
        return {
            "count": count_text,
            "ticks": lambda value: duration_text(int(value), self.tick_ps),
            "ps": lambda value: duration_text(int(value), 1),
            "span": self._span_text,
            "bytes": size_text,
            "flops": si_text,
            "rate": si_text,
            "number": si_text,
            "fraction": percent_text,
            "flag": lambda value: "yes" if value else "no",
            "track": lambda value: printable(f"{value} {self.track_name(value)}".rstrip()),
        }

    def _span_text(self, value: str) -> str:
        start, _, end = value.rpartition("-")
        return f"{self.text('time', int(start))} + {self.text('ticks', int(end) - int(start))}"


def track_names(tree: TrackTree) -> dict[int, str]:
    """Names that people know tracks by: the process and the name."""
    groups = {group.id: group.name for group in tree.groups}
    return {track.id: f"{groups.get(track.group, '')} › {track.name}" for track in tree.tracks}
