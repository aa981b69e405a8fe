"""From when to when the events of a file or a track last."""

from __future__ import annotations

from msgspec import Struct


class Span(Struct):
    """Bounds of the times of a file's events. The last one ends at `last_ns` and `last_ps` beyond it."""

    first_ns: int | None = None
    last_ns: int = 0
    last_ps: int = 0
    any_ps: bool = False  # whether some time is not a whole nanosecond

    def join(self, other: Span) -> None:
        """Widens the span by another."""
        if other.first_ns is None:
            return
        if self.first_ns is None:
            self.first_ns, self.last_ns, self.last_ps = other.first_ns, other.last_ns, other.last_ps
        else:
            self.first_ns = min(self.first_ns, other.first_ns)
            self.last_ns, self.last_ps = max((self.last_ns, self.last_ps), (other.last_ns, other.last_ps))
        self.any_ps = self.any_ps or other.any_ps
