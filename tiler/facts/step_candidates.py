"""Names that could be steps, where a trace marks none: what recurs on lines of modules and annotations of devices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tilescope.tiler.device_lines import MODULE_LINES, is_device_process, is_one_of
from tilescope.tiler.query import SLICE_KINDS, Interruptible, QueryReader, Reading
from tilescope.tiler.step_names import MAX_STEP_NAME
from tilescope.tiler.ticks import TICK_LIMIT, nearest_mean
from tilescope.tiler.windows import Windows, everywhere

MAX_CANDIDATES: Final = 100

# A plain candidate has most of the time of its lines: what comes beside it is the start of a program, or its end.
_PLAIN_SHARE: Final = 0.9
_FEWEST: Final = 3  # slices of a device: fewer are no series of steps


@dataclass(frozen=True, slots=True)
class StepCandidate:
    """Slices of a name. `counts`: how many each device has of them; `ticks`: their durations together."""

    name: str
    counts: Sequence[int]
    ticks: int

    @property
    def count(self) -> int:
        """The slices of all devices."""
        return sum(self.counts)

    @property
    def mean(self) -> int:
        """Mean duration, ticks."""
        return nearest_mean(self.ticks, self.count)


@dataclass(frozen=True, slots=True)
class StepCandidates:
    """Candidates, those that take longest first; `devices`: how many have such lines; `ticks`: all that lies there."""

    rows: Sequence[StepCandidate] = ()
    devices: int = 0
    ticks: int = 0

    @property
    def plain(self) -> StepCandidate | None:
        """The candidate that can hardly be anything but the steps; None: there are several that may be.

        It comes as often on each device, and takes nearly all of the time of these lines.
        """
        if not self.rows:
            return None
        longest = self.rows[0]
        is_even = len(longest.counts) == self.devices and len(set(longest.counts)) == 1
        return longest if is_even and longest.ticks >= _PLAIN_SHARE * self.ticks else None


def step_candidates(reader: QueryReader, tracks: Sequence[int]) -> Interruptible[StepCandidates]:
    """The names that recur on a line of some tracks. Raises DamagedStore."""
    counts: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))  # by name and process
    ticks: dict[int, int] = defaultdict(int)
    lines = [track for track in tracks if _is_line(reader, track)]
    for track in lines:
        group = reader.tree.tracks[track].group
        for part in Reading(reader).histogram_parts([track], everywhere(Windows.single(0, TICK_LIMIT))):
            columns = (part.name.tolist(), part.count.tolist(), part.busy.tolist())
            for name, count, busy in zip(*columns, strict=True):
                if name >= 0:
                    counts[name][group] += count
                    ticks[name] += busy
            yield
    texts = reader.names.by_id(counts)
    rows = [
        StepCandidate(texts[name].text, tuple(by_group.values()), ticks[name])
        for name, by_group in counts.items()
        if max(by_group.values()) >= _FEWEST and 0 < len(texts[name].text) <= MAX_STEP_NAME
    ]
    rows.sort(key=lambda row: (-row.ticks, row.name))
    devices = len({reader.tree.tracks[track].group for track in lines})
    return StepCandidates(rows[:MAX_CANDIDATES], devices, sum(ticks.values()))


def _is_line(reader: QueryReader, track: int) -> bool:
    """True of a device's line of modules or annotations."""
    tree_track = reader.tree.tracks[track]
    group = reader.tree.groups[tree_track.group]
    if tree_track.kind not in SLICE_KINDS or not is_device_process(group.name, group.detail):
        return False
    return is_one_of(tree_track.name, MODULE_LINES) or "annotation" in tree_track.name.lower()
