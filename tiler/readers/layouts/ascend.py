"""Captures of Ascend devices: folders `PROF_*`, `*_ascend_pt`, `*_ascend_ms` and `profiler` of MindSpore.

All traces in such a folder are one run, and so are folders beside each other whose captures began at most 60 s apart,
if they are of different devices or processes: ranks of a job. In a folder of a framework, `trace_view.json` has all
that the traces in its folders `PROF_*` have.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from msgspec import Struct

from tilescope.tiler.natural_order import natural_key
from tilescope.tiler.readers.ascend.families import stem_of
from tilescope.tiler.readers.ascend.json_tables import json_family
from tilescope.tiler.readers.compression import without_ending
from tilescope.tiler.readers.layouts.ascend_names import (
    capture_position,
    device_label,
    device_place,
    framework_folder,
    is_table_name,
)
from tilescope.tiler.readers.layouts.ascend_ranks import NO_RANK, CaptureRank, is_rank_file
from tilescope.tiler.readers.layouts.layout import RUN_MARK, FileLabel
from tilescope.tiler.readers.layouts.rank_names import missing_ranks

_FARTHEST_S: Final = 60  # from the first capture to the last
_TIME: Final = re.compile(r"(?:^|_)(20\d{12})(?:\d{3})?(?=_|$)")
_TIME_CHARS: Final = 13  # ten seconds of the first capture: a capture that comes later seldom changes it
_JOINED: Final = re.compile(r"(?:(?:PROF|ascend)_20\d{11}|PROF_\d+_\d+_\w+|.+_ascend_(?:pt|ms))\*")
_WHOLE: Final = "trace_view.json"
_OUTPUT: Final = "ASCEND_PROFILER_OUTPUT"

RAW_DATA: Final = (
    "has raw data alone: profiler.analyse() of its framework, or msprof --export=on --output=FOLDER, makes files of it"
)
_DATABASES: Final = (
    "not read: record, or analyse, with an export of text (export_type), or msprof --export=on --type=text"
)
_RAW_BESIDE: Final = (
    "raw data of the profiler, of which profiler.analyse() of its framework, or msprof --export=on --output=FOLDER, "
    "makes files that are read"
)
_SUMMARIES: Final = "checkpoints and summaries have nothing of a profile; mindinsight shows summaries of MindSpore"
_UNREAD_ENDINGS: Final = (".csv", ".db", ".txt", ".json", ".xlsx")
_MOST_LISTED: Final = 10_000  # entries of a capture that are looked at for its tables
_DEEPEST: Final = 4
_NAMED: Final = 4
_RANK: Final = "rank "


class AscendCapture(Struct, frozen=True):
    """The traces of a capture, and what is left aside."""

    path: Path  # its folder
    files: Sequence[Path]  # by name
    copies: Sequence[Path]  # left out: what `trace_view.json` has, and tables of a name that another folder has, too
    time_s: int | None
    members: frozenset[str]  # devices, or the process and its rank: no two captures of a run have one in common
    rank: CaptureRank = NO_RANK


class AscendTwin(Struct, frozen=True):
    """Another run beside one, whose capture began at most a minute from it: they would be one, but share members."""

    name: str
    shared: str  # with its verb


class AscendRun(Struct, frozen=True):
    """Captures that are shown together."""

    path: Path  # of a single one its folder; else a name with a `*` beside them
    captures: Sequence[AscendCapture]
    twins: Sequence[AscendTwin] = ()

    @property
    def files(self) -> list[Path]:
        """All traces, by name: the order does not depend on where the folders lie."""
        files = (file for capture in self.captures for file in capture.files)
        return sorted(files, key=file_order)

    @property
    def notes(self) -> Iterator[str]:
        """Groups of folders that are one run, and traces that are left out."""
        if len(self.captures) > 1:
            names = _listed([capture.path.name for capture in self.captures])
            yield f"{len(self.captures)} captures seconds apart are one run: {names} (--separate shows each file)"
        for twin in self.twins:
            yield f"{twin.shared} also in {twin.name}, recorded within a minute of it: each is a run of its own"
        yield from notes_of(self.captures)


def notes_of(captures: Sequence[AscendCapture]) -> Iterator[str]:
    """Lines about traces that are left out, and ranks that are missing."""
    copies = [copy for capture in captures for copy in capture.copies]
    for names, reason in (
        ([copy.name for copy in copies if not _is_table(copy)], f"{_WHOLE} of the same capture has all"),
        ([f"{copy.parent.name}/{copy.name}" for copy in copies if _is_table(copy)], "the same capture has another"),
    ):
        if names:
            yield f"{_listed(names)} {'is' if len(names) == 1 else 'are'} left out: {reason}"
    numbers = {capture.rank.number for capture in captures} - {None}
    sizes = {capture.rank.world_size for capture in captures} - {None}
    if len(numbers) > 1 and len(sizes) < 2:
        missing = missing_ranks({number for number in numbers if number is not None}, sizes.pop() if sizes else None)
        if missing is not None:
            yield missing


def unread_notes(side_files: Sequence[Path]) -> Iterator[str]:
    """Lines about files of captures that nothing here reads, with what to do."""
    names = list(dict.fromkeys(file.name for file in side_files if file.suffix == ".db"))
    if names:
        yield f"{_listed(names)} {'is a database' if len(names) == 1 else 'are databases'}, {_DATABASES}"
    others = [f"{file.parent.name}/{file.name}" for file in side_files if file.suffix != ".db"]
    if others:
        yield f"not read, as no table and no timeline: {_listed(others)}"


def raw_data_notes(folders: Sequence[str]) -> Iterator[str]:
    """A line about raw data beside what is read."""
    if folders:
        yield f"{_listed(folders)} {'is' if len(folders) == 1 else 'are'} not read: {_RAW_BESIDE}"


def summary_notes(names: Sequence[str]) -> Iterator[str]:
    """A line about checkpoints, and summaries of MindSpore, beside a profile."""
    if names:
        yield f"{_listed(names)} beside the profile {'is' if len(names) == 1 else 'are'} not read: {_SUMMARIES}"


def labels_of(captures: Sequence[AscendCapture]) -> dict[Path, FileLabel]:
    """The label of each file: its rank where there are several, or else its device or capture."""
    are_ranks = sum(capture.rank.number is not None for capture in captures) > 1
    return {
        file: FileLabel(capture.rank.number) if are_ranks and capture.rank.number is not None else device_label(file)
        for capture in captures
        for file in capture.files
    }


def file_order(file: Path) -> tuple[object, object]:
    """The key by which files of a run are sorted."""
    return natural_key(file.name), natural_key(file.as_posix())


def time_of_capture(name: str) -> datetime | None:
    """The time at which a capture began, by the name of its folder."""
    match = _TIME.search(name)
    try:
        return None if match is None else datetime.strptime(match[1], "%Y%m%d%H%M%S")
    except ValueError:
        return None


def is_joined_name(name: str) -> bool:
    """True for a name that captures may have together."""
    return _JOINED.fullmatch(name) is not None


def ascend_runs(traces: Iterable[Path], rank_of: Callable[[Path], CaptureRank]) -> list[AscendRun]:
    """The runs of those of the traces that lie in folders of captures. `rank_of(folder)`: of a framework's capture."""
    by_folder: dict[Path, list[Path]] = {}
    for trace in traces:
        position = capture_position(trace)
        if position is not None:
            by_folder.setdefault(Path(*trace.parts[: position + 1]), []).append(trace)
    beside: dict[Path, list[AscendCapture]] = {}
    for folder, files in by_folder.items():
        beside.setdefault(folder.parent, []).append(_capture(folder, files, rank_of))
    return [run for parent, captures in beside.items() for run in _runs(parent, captures)]


def _capture(folder: Path, files: Sequence[Path], rank_of: Callable[[Path], CaptureRank]) -> AscendCapture:
    below = len(folder.parts)
    of_msprof = {file for file in files if file.parts[below].startswith("PROF_")}
    has_whole = any(without_ending(file.name) == _WHOLE for file in files if file not in of_msprof)
    copies = {file for file in of_msprof if not _is_table(file)} if has_whole else set()
    if framework_folder(files[0]) == folder:
        copies |= _twins(file for file in files if _is_table(file))
    kept = [file for file in files if file not in copies]
    time_s, start = _time(folder.name)
    devices = frozenset(device for file in kept if (device := device_place(file).device))
    is_framework = not folder.name.startswith("PROF_")
    rank = rank_of(folder) if framework_folder(files[0]) == folder else NO_RANK
    members = frozenset((folder.name[:start],)) if is_framework or not devices else devices
    if rank.number is not None:
        members |= {f"{_RANK}{rank.number}"}
    return AscendCapture(folder, sorted(kept, key=file_order), sorted(copies, key=file_order), time_s, members, rank)


def _is_table(file: Path) -> bool:
    return is_table_name(file) or bool(json_family(stem_of(file)))


def _twins(tables: Iterable[Path]) -> set[Path]:
    """Tables of one rank whose name another has, in the output folder or less deep: they would count twice."""
    first_of: dict[str, Path] = {}
    ordered = sorted(tables, key=lambda file: (file.parent.name != _OUTPUT, len(file.parts), file_order(file)))
    return {file for file in ordered if first_of.setdefault(without_ending(file.name), file) is not file}


def _time(name: str) -> tuple[int | None, int]:
    """Begin of a capture by its name, in seconds, and where the name says that."""
    match, moment = _TIME.search(name), time_of_capture(name)
    if match is None or moment is None:
        return None, len(name)
    return int((moment - moment.min).total_seconds()), match.start()


def _runs(parent: Path, captures: Iterable[AscendCapture]) -> Iterator[AscendRun]:
    """Captures of a folder, by time: each joins the run before it if it fits."""
    runs: list[list[AscendCapture]] = []
    members: set[str] = set()  # of the last run
    for capture in sorted(captures, key=lambda capture: (capture.time_s or 0, capture.path.name)):
        if runs and _is_near(runs[-1][0], capture) and members.isdisjoint(capture.members):
            runs[-1].append(capture)
            members |= capture.members
        else:
            runs.append([capture])
            members = set(capture.members)
    paths = list(_paths(parent, runs))
    for place, run in enumerate(runs):
        twins = []
        for other in (place - 1, place + 1):
            if 0 <= other < len(runs):
                first, second = sorted((place, other))
                shared = _members(run) & _members(runs[other])
                if shared and _is_near(runs[first][0], runs[second][0]):
                    twins.append(AscendTwin(paths[other].name, _shared_words(shared)))
        yield AscendRun(paths[place], run, twins)


def _members(run: Iterable[AscendCapture]) -> frozenset[str]:
    return frozenset[str]().union(*(capture.members for capture in run))


def _shared_words(members: Iterable[str]) -> str:
    """Ranks by their numbers, else what processes and devices have instead: names of folders, or numbers."""
    ranks = sorted((member for member in members if member.startswith(_RANK)), key=natural_key)
    if not ranks:
        return "the same devices or processes are"
    return f"{_listed(ranks)} {'is' if len(ranks) == 1 else 'are'}"


def _paths(parent: Path, runs: Iterable[Sequence[AscendCapture]]) -> Iterator[Path]:
    """The path of each run of a folder, by time."""
    taken: set[str] = set()
    for run in runs:
        path = run[0].path
        if len(run) > 1:
            name = _joined_name(run[0].path.name)
            path = parent / (name if name not in taken else f"{path.name}{RUN_MARK}")  # two runs in ten seconds
            taken.add(name)
        yield path


def _is_near(first: AscendCapture, capture: AscendCapture) -> bool:
    """True if a capture may be of the run that begins with another: of one kind, and at most a minute later."""
    if first.time_s is None or capture.time_s is None or capture.time_s - first.time_s > _FARTHEST_S:
        return False
    return first.path.name.startswith("PROF_") == capture.path.name.startswith("PROF_")


def _joined_name(name: str) -> str:
    match = _TIME.search(name)
    assert match is not None
    return f"{'PROF' if name.startswith('PROF_') else 'ascend'}_{match[1][:_TIME_CHARS]}{RUN_MARK}"


def find_tables(folder: Path, traces: Container[Path]) -> list[Path]:
    """Files below the folder of a capture that may be tables, without its traces and raw data, and not behind links."""
    tables: list[Path] = []
    waiting = [(folder, 0)]
    room = _MOST_LISTED
    while waiting and room > 0:
        place, depth = waiting.pop()
        try:
            with os.scandir(place) as entries:
                for entry in entries:
                    room -= 1
                    if room <= 0:
                        break
                    if entry.is_dir(follow_symlinks=False):
                        if depth < _DEEPEST:
                            waiting.append((Path(entry.path), depth + 1))
                    elif (
                        entry.name.endswith(_UNREAD_ENDINGS)
                        and not is_rank_file(entry.name)
                        and entry.is_file(follow_symlinks=False)
                    ):
                        tables.append(Path(entry.path))
        except OSError:  # removed meanwhile, or not ours to read
            continue
    return sorted((table for table in tables if table not in traces), key=file_order)


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    parts = [*names[:_NAMED], f"{more:,} more"] if more > 1 else list(names)
    return " and ".join((", ".join(parts[:-1]), parts[-1])) if len(parts) > 1 else parts[0]
