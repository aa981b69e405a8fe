"""A view: which ticks are on the screen, and how wide one is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from tilescope.tiler.errors import UsageError

# Half of the view's width, on both sides, is fetched ahead unless somebody says otherwise.
_MARGIN = 0.5


class TickRange(NamedTuple):
    """The ticks [start, stop)."""

    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class View:
    """Part of the time axis that a screen shows.

    The left edge lies `start_fraction` (in [0, 1)) of a tick right of `start_ticks`, so that views can be narrower than
    a tick. Raises UsageError for numbers that make no view.
    """

    start_ticks: int
    ticks_per_px: float
    width_px: float
    start_fraction: float = 0.0
    margin_px: float | None = None  # None: half of the width

    def __post_init__(self) -> None:
        if not (self.ticks_per_px > 0 and math.isfinite(self.ticks_per_px)):
            raise UsageError(f"a view has a finite number of ticks per pixel above 0, not {self.ticks_per_px}")
        if not (self.width_px >= 0 and math.isfinite(self.width_px * self.ticks_per_px)):
            raise UsageError(f"the width of a view must be finite, not {self.width_px} pixels")
        if not 0 <= self.start_fraction < 1:
            raise UsageError(f"the fraction of a tick lies in [0, 1): {self.start_fraction} does not")
        if self.margin_px is not None and not (
            self.margin_px >= 0 and math.isfinite(self.margin_px * self.ticks_per_px)
        ):
            raise UsageError(f"a margin of {self.margin_px} pixels has no end")

    @classmethod
    def of_span(cls, start: int, stop: int, width_px: int) -> View:
        """The ticks [start, stop) on so many pixels. Raises UsageError."""
        if stop <= start or width_px <= 0:
            raise UsageError(f"ticks {start} to {stop} on {width_px} pixels are not a view")
        return cls(start, (stop - start) / width_px, width_px)

    @property
    def visible(self) -> TickRange:
        """Every tick of which a part is on the screen."""
        width = math.ceil(self.start_fraction + self.width_px * self.ticks_per_px)
        return TickRange(self.start_ticks, self.start_ticks + width)

    @property
    def wide(self) -> TickRange:
        """The same with the margins."""
        margin_px = self.width_px * _MARGIN if self.margin_px is None else self.margin_px
        margin = math.ceil(margin_px * self.ticks_per_px)
        visible = self.visible
        return TickRange(visible.start - margin, visible.stop + margin)
