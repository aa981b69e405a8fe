"""The axis of a run whose files are indexed apart from each other: times and names, the same for all of them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, structs

from tilescope.tiler.errors import TraceError
from tilescope.tiler.indexing.reading.file_events import TraceFile
from tilescope.tiler.indexing.reading.names import RunNames
from tilescope.tiler.indexing.reading.timeline import FileTimes, Timeline

_ADVICE = "index the run again with --force"


class RunAxis(Struct, frozen=True):
    """An axis that is given to a build, not chosen by it: tiles and name ids are those of the whole run.

    Indexes of one axis have one `id`. Names are added behind the others, so that those that are there keep their ids.
    """

    id: str
    origin_ns: int
    tick_ps: int  # 1 or 1000
    end: int  # tick at which the last event of the run ends
    rounds: bool  # whether picoseconds are dropped
    names: Sequence[tuple[str, str]]  # text and category, by name id
    is_own: bool = False  # of one shard: its ticks and tiles are those of the run, its origin and end are its own
    is_windowed: bool = False  # the files have wild times, which are left out as they are where the files stand alone

    @property
    def timeline(self) -> Timeline:
        """The time axis, on which everything is shown."""
        return Timeline(self.origin_ns, self.tick_ps, self.end, self.rounds)

    def timeline_of(self, files: Sequence[TraceFile]) -> Timeline:
        """The time axis with what it shows of these files."""
        window = Timeline.from_files(map(file_times, files)).window if self.is_windowed else None
        return structs.replace(self.timeline, window=window)

    def run_names(self) -> RunNames:
        """The table of names, to which those of files can be added."""
        names = RunNames()
        names.add([text for text, _ in self.names], [category for _, category in self.names])
        return names

    def check(self, files: Sequence[TraceFile], names: RunNames) -> None:
        """Raises TraceError for the first file that has a time beyond the axis, or if a name was added to its own."""
        for file in files:
            if not self.is_windowed and not self.holds(file):
                raise TraceError(file.path, "has events beyond the time axis of its run", advice=_ADVICE)
        if len(names) > len(self.names):
            what = f"has a name that its run does not have: {names[len(self.names)]!r:.200}"
            raise TraceError(files[0].path, what, advice=_ADVICE)

    def holds(self, file: TraceFile) -> bool:
        """True if all events of a file lie on the axis."""
        own = Timeline.from_files([file_times(file)])
        end_ps = own.end * own.tick_ps + (own.origin_ns - self.origin_ns) * 1000
        is_within = own.window is None and own.origin_ns >= self.origin_ns and end_ps // self.tick_ps <= self.end
        return is_within or file.events.span.first_ns is None


def file_times(file: TraceFile) -> FileTimes:
    """The times of a file's events, for the choice of an axis."""
    return FileTimes(file.events.span, file.summary.base_time_ns, file.events.crowds, file.events.flow_span)
