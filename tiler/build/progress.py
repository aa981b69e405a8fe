"""What a build says of itself while it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """A moment of a build."""

    phase: str  # "read", "build" or "publish"
    fraction: float  # of the phase that is done, 0 to 1
    events: int  # read so far


# Called from the building thread. May raise Cancelled to stop the build: nothing is left of it then.
ProgressCallback = Callable[[Progress], None]
