"""Names that could be steps, where a trace marks none: what recurs on lines of modules and annotations of devices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tilescope.tiler.device_lines import MODULE_LINES, is_device_process, is_one_of
from tilescope.tiler.query import SLICE_KINDS, Interruptible, Name, QueryReader, Reading
from tilescope.tiler.step_names import MAX_STEP_NAME, numbered_stem
from tilescope.tiler.ticks import TICK_LIMIT, nearest_mean
from tilescope.tiler.windows import Windows, everywhere

MAX_CANDIDATES: Final = 100

# A plain candidate has most of the time of its lines: what comes beside it is the start of a program, or its end.
_PLAIN_SHARE: Final = 0.9
_FEWEST: Final = 3  # slices of a device: fewer are no series of steps


@dataclass(frozen=True, slots=True)
class StepCandidate:
    """Slices of a name on lines of one kind. `counts`: how many each device has; `ticks`: their durations together."""

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
    """Candidates, those that take longest first, but for `plain`: the one that can hardly be anything but the steps."""

    rows: Sequence[StepCandidate] = ()
    plain: StepCandidate | None = None  # None: there are several that may be


class _Lines:
    """All lines of modules, or all of annotations: what one kind tells is in the other once more."""

    def __init__(self) -> None:
        self.devices: set[int] = set()  # processes
        self.counts: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))  # by name and process
        self.ticks: dict[int, int] = defaultdict(int)  # by name

    def candidates(self, texts: Mapping[int, Name], *, have_ids: bool) -> list[StepCandidate]:
        """Names that recur, longest first. `have_ids`: numbers behind names are those of programs, not of steps."""
        counts: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        ticks: dict[str, int] = defaultdict(int)
        stems = {} if have_ids else _shared_stems(texts[name].text for name in self.counts)
        unnumbered = set(stems.values()) - stems.keys()  # of a name with numbers, slices without one are no steps
        for name, by_device in self.counts.items():
            text = texts[name].text
            if text in unnumbered:
                continue
            stem = stems.get(text, text)
            ticks[stem] += self.ticks[name]
            for device, count in by_device.items():
                counts[stem][device] += count
        rows = [
            StepCandidate(stem, tuple(by_device.values()), ticks[stem])
            for stem, by_device in counts.items()
            if max(by_device.values()) >= _FEWEST and 0 < len(stem) <= MAX_STEP_NAME
        ]
        return sorted(rows, key=_rank)

    def plain(self, candidates: Sequence[StepCandidate]) -> StepCandidate | None:
        """The candidate that comes as often on each device, and takes nearly all of the time of these lines."""
        if not candidates:
            return None
        longest = candidates[0]
        is_even = len(longest.counts) == len(self.devices) and len(set(longest.counts)) == 1
        return longest if is_even and longest.ticks >= _PLAIN_SHARE * sum(self.ticks.values()) else None


def step_candidates(reader: QueryReader, tracks: Sequence[int]) -> Interruptible[StepCandidates]:
    """The names that recur on a line of some tracks. Raises DamagedStore."""
    modules, annotations = _Lines(), _Lines()
    for track in tracks:
        if not _is_line(reader, track):
            continue
        lines = modules if is_one_of(reader.tree.tracks[track].name, MODULE_LINES) else annotations
        group = reader.tree.tracks[track].group
        lines.devices.add(group)
        for part in Reading(reader).histogram_parts([track], everywhere(Windows.single(0, TICK_LIMIT))):
            columns = (part.name.tolist(), part.count.tolist(), part.busy.tolist())
            for name, count, busy in zip(*columns, strict=True):
                if name >= 0:
                    lines.counts[name][group] += count
                    lines.ticks[name] += busy
            yield
    texts = reader.names.by_id(modules.counts.keys() | annotations.counts.keys())
    of_modules = modules.candidates(texts, have_ids=True)
    of_annotations = annotations.candidates(texts, have_ids=False)
    plain = modules.plain(of_modules) or annotations.plain(of_annotations)
    names = {row.name for row in of_modules}
    others = [*of_modules, *(row for row in of_annotations if row.name not in names)]
    others = [row for row in others if plain is None or row.name != plain.name]
    rows = [*([] if plain is None else [plain]), *sorted(others, key=_rank)]
    return StepCandidates(rows[:MAX_CANDIDATES], plain)


def _rank(row: StepCandidate) -> tuple[int, str]:
    return -row.ticks, row.name


def _shared_stems(names: Iterable[str]) -> dict[str, str]:
    """Stems of the names that differ in their numbers alone; a number that is always the same belongs to its name."""
    by_stem: dict[str, list[str]] = defaultdict(list)
    for name in names:
        if (stem := numbered_stem(name)) is not None:
            by_stem[stem].append(name)
    return {name: stem for stem, numbered in by_stem.items() if len(numbered) > 1 for name in numbered}


def _is_line(reader: QueryReader, track: int) -> bool:
    """True of a device's line of modules or annotations."""
    tree_track = reader.tree.tracks[track]
    group = reader.tree.groups[tree_track.group]
    if tree_track.kind not in SLICE_KINDS or not is_device_process(group.name, group.detail):
        return False
    return is_one_of(tree_track.name, MODULE_LINES) or "annotation" in tree_track.name.lower()
