"""Times of the written file: decimal microseconds since what the file counts from."""

from __future__ import annotations

from tilescope.tiler.export.event_text import microseconds
from tilescope.tiler.records.origins import Origins
from tilescope.tiler.schema import RunManifest


class Times:
    """Times of events. If all files of the run count from one time, so does the written one: its times are theirs."""

    def __init__(self, manifest: RunManifest, origins: Origins) -> None:
        origin_ns = manifest.origin_ns
        bases = {None if file is None else file.base_ns for file in origins.files}
        base = bases.pop() if len(bases) == 1 else None
        self.base_ns = origin_ns if base is None else base
        self._shift_ps = (origin_ns - self.base_ns) * 1000
        self._tick_ps = manifest.tick_ps

    def ts_member(self, tick: int) -> str:
        """Member `ts`, with a comma in front."""
        return f',"ts":{microseconds(tick * self._tick_ps + self._shift_ps)}'

    def lasting(self, ticks: int) -> str:
        """Member `dur`, with a comma in front."""
        return f',"dur":{microseconds(ticks * self._tick_ps)}'
