"""Progress of a build, and the time that it will take: what becomes `BuildProgress`."""

from __future__ import annotations

import time

from tilescope.tiler.indexing.progress import BuildProgress, ProgressCallback

# Where the phases end, as parts of the whole, measured on synthetic traces: a trace that is read track by track is only
# looked into first, another is read from end to end.
READ_TRACKWISE = 0.1
READ_WHOLE = 0.4
_BUILD_ENDS = 0.98

_REPORT_SECONDS = 0.05
_ESTIMATE_AFTER_SECONDS = 0.5


class Meter:
    """Counts what the build does and reports it, seldom enough to cost nothing. Used by the building thread alone.

    What is told of the part that is done, and of events that were read, never falls.
    """

    def __init__(self, report: ProgressCallback, build: str = "") -> None:
        self._report = report
        self._begin = time.monotonic()
        self._reported = 0.0
        self._built: list[int] = []
        self.build = build
        self.phase = "read"
        self.read_ends = READ_WHOLE
        self.bytes_read = 0
        self.bytes_total = 0
        self.events = 0
        self.tracks = 0
        self.blocks_done = 0
        self.blocks = 0
        self.rows_done = 0
        self.rows = 0  # that are to be built, rollups included
        self.revision = 0
        self.finished = False
        self._events_told = 0
        self._fraction_told = 0.0

    def block_built(self, number: int) -> None:
        """A block is done."""
        self._built.append(number)
        self.blocks_done += 1

    def tell(self, *, now: bool = False) -> None:
        """Reports, unless the last report is fresh and there is nothing that must be told. May raise Cancelled."""
        moment = time.monotonic()
        if not now and not self._built and moment - self._reported < _REPORT_SECONDS:
            return
        self._reported = moment
        built, self._built = tuple(self._built), []
        # A file that turns out to be damaged takes its events along, and what a file is says how long reading takes.
        self._events_told = max(self._events_told, self.events)
        self._fraction_told = max(self._fraction_told, self.fraction)
        self._report(
            BuildProgress(
                self.phase,
                self._fraction_told,
                self._events_told,
                self.bytes_read,
                self.bytes_total,
                self.tracks,
                self.blocks_done,
                self.blocks,
                self._seconds_left(moment),
                self.build,
                self.revision,
                built,
            )
        )

    @property
    def fraction(self) -> float:
        """Fraction of the whole build that is done."""
        if self.phase == "publish":
            return 1.0 if self.finished else _BUILD_ENDS
        if self.phase == "build":
            return self.read_ends + (_BUILD_ENDS - self.read_ends) * self.rows_done / max(1, self.rows)
        return self.read_ends * min(1.0, self.bytes_read / max(1, self.bytes_total))

    def _seconds_left(self, moment: float) -> float | None:
        seconds, fraction = moment - self._begin, self.fraction
        if seconds < _ESTIMATE_AFTER_SECONDS or fraction < 0.01:
            return None
        return seconds * (1 - fraction) / fraction
