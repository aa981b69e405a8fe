"""GPU of a rank: streams, each of which runs what was launched into it one by one."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Final

COMPUTE: Final = 7
COMMUNICATION: Final = 20


@dataclass(slots=True)
class Gpu:
    """Streams of one GPU, by the true time at which they have done all that they have."""

    device: int
    free: dict[int, int] = field(default_factory=lambda: defaultdict(int))

    def begin(self, stream: int, launched: int) -> int:
        """Start of work that reaches the stream at a time."""
        return max(launched, self.free[stream])

    def wait(self, stream: int, other: int) -> None:
        """The stream goes on once another has done what it has now."""
        self.free[stream] = max(self.free[stream], self.free[other])

    @property
    def done(self) -> int:
        """Time at which all streams have done their work."""
        return max(self.free.values(), default=0)
