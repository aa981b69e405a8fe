"""Traces that the ranks of a PyTorch job write: those of the same cycle of the profiler are one run.

Two files are of one job if both say a world size, the same one, and the same default group, and none of their groups
contradict each other; or, where neither says a world size, if their names differ only in the number of the rank. They
are of one cycle if their first events are near each other. Whether they overlap in time is known once they are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from tilescope.tiler.readers.compression import without_ending
from tilescope.tiler.readers.layouts.layout import Candidate, FileLabel, Folder, Layout, PlannedRun, RunFile
from tilescope.tiler.readers.layouts.pytorch_head import Distributed, ProcessGroup, PyTorchHead, read_head
from tilescope.tiler.readers.layouts.rank_names import RankName, host_in_name, missing_ranks, rank_name, starred

ID: Final = "pytorch"

_FARTHEST_NS: Final = 600 * 10**9  # between first events of one cycle: the profiler records seconds, seldom minutes
_SHORTEST_CYCLE_NS: Final = 10**6  # nearer to each other, two files of a rank are no two cycles


class _RankFile(Struct, frozen=True):
    """The trace of a rank."""

    path: Path
    head: PyTorchHead
    name: RankName
    rank: int

    @property
    def label(self) -> FileLabel:
        """Its label in the list; the device is known once it is read."""
        return FileLabel(self.rank, self.head.host or host_in_name(self.path.name))


class _Job(Struct):
    """Files that say the same of their job. Groups of one name that share ranks are the same group."""

    files: list[_RankFile] = field(default_factory=list)
    _groups: set[ProcessGroup] = field(default_factory=set)
    _group_of: dict[tuple[str, int], ProcessGroup] = field(default_factory=dict)  # by its name and a rank

    def fits(self, distributed: Distributed) -> bool:
        """True if none of the groups contradicts those of the files."""
        return all(
            group in self._groups or not any((group.name, rank) in self._group_of for rank in group.ranks)
            for group in distributed.groups
        )

    def add(self, file: _RankFile) -> None:
        """Takes a file that fits."""
        self.files.append(file)
        for group in file.head.distributed.groups:
            if group not in self._groups:
                self._groups.add(group)
                self._group_of |= {(group.name, rank): group for rank in group.ranks}


class _Cycle(Struct):
    """Files of one cycle of the profiler, by rank."""

    time_ns: int
    files: dict[int, _RankFile] = field(default_factory=dict)
    copies: list[tuple[Path, str]] = field(default_factory=list)  # with the name of the original


def runs_of_ranks(folder: Folder) -> Sequence[PlannedRun]:
    """The runs of several ranks. A trace that belongs to no other is left to itself."""
    kinds: dict[object, list[_Job]] = {}
    for trace in folder.traces:
        file = _rank_file(trace)
        if file is None:
            continue
        jobs = kinds.setdefault(_kind(file), [])
        job = next((job for job in jobs if job.fits(file.head.distributed)), None)
        if job is None:
            job = _Job()
            jobs.append(job)
        job.add(file)
    runs: list[PlannedRun] = []
    names: set[str] = set()
    for jobs in kinds.values():
        for job in jobs:
            for cycle in _cycles(job.files) if len(job.files) > 1 else ():
                if len(cycle.files) > 1:
                    runs.append(_planned(cycle, names))
    return runs


def _rank_file(trace: Candidate) -> _RankFile | None:
    head = trace.looks.get(ID)
    if not isinstance(head, PyTorchHead):
        return None
    name = rank_name(trace.path.name)
    rank = name.rank if head.distributed.world_size is None else head.distributed.rank
    return None if rank is None else _RankFile(trace.path, head, name, rank)


def _kind(file: _RankFile) -> object:
    """What files of one job have in common."""
    distributed = file.head.distributed
    if distributed.world_size is None:
        return file.name.template
    return distributed.world_size, distributed.default_group


def _cycles(files: Sequence[_RankFile]) -> list[_Cycle]:
    """The cycles, with a file of each rank at most. A file is of the first one that is near and has none of its rank."""
    time_of = _clock(files)
    timed = sorted(((time_of(file), file.rank, file.path.name, file) for file in files), key=lambda entry: entry[:3])
    farthest = _farthest(timed)
    cycles: list[_Cycle] = []
    next_of: dict[int, int] = {}  # by rank, the first cycle that has no file of it yet
    near = 0  # the first cycle that is not too far away
    for time_ns, rank, _, file in timed:
        while near < len(cycles) and time_ns - cycles[near].time_ns > farthest:
            near += 1
        number = next_of.get(rank, 0)
        if near < number and _takes_copy(cycles[number - 1], file):
            continue
        number = max(number, near)
        if number == len(cycles):
            cycles.append(_Cycle(time_ns))
        cycles[number].files[rank] = file
        next_of[rank] = number + 1
    return cycles


def _farthest(timed: Iterable[tuple[int, int, str, _RankFile]]) -> int:
    """The time between files that may be of one cycle: half of that between two cycles of a rank, or the usual one."""
    last: dict[int, int] = {}
    farthest = _FARTHEST_NS
    for time_ns, rank, _, _ in timed:
        if rank in last and time_ns - last[rank] >= _SHORTEST_CYCLE_NS:
            farthest = min(farthest, (time_ns - last[rank]) // 2)
        last[rank] = time_ns
    return farthest


def _takes_copy(cycle: _Cycle, file: _RankFile) -> bool:
    """Keeps the file as a copy, where it is one of that which the cycle has of its rank."""
    twin = cycle.files[file.rank]
    if file.path.name == twin.path.name or without_ending(file.path.name) != without_ending(twin.path.name):
        return False
    plain, packed = sorted((file, twin), key=lambda entry: len(entry.path.name))
    cycle.files[file.rank] = plain
    cycle.copies.append((packed.path, plain.path.name))
    return True


def _clock(files: Sequence[_RankFile]) -> Callable[[_RankFile], int]:
    """When the first event of a file is, or else when it was written: what all of them say. 0 where none is."""
    if all(file.head.time_ns is not None for file in files):
        return lambda file: file.head.time_ns or 0
    if all(file.name.written_ns is not None for file in files):
        return lambda file: file.name.written_ns or 0
    return lambda _file: 0


def _planned(cycle: _Cycle, names: set[str]) -> PlannedRun:
    files = [cycle.files[rank] for rank in sorted(cycle.files)]
    notes = [f"{copy.name} is left out: it is a copy of {original}" for copy, original in cycle.copies]
    world_size = files[0].head.distributed.world_size
    missing = None if world_size is None else missing_ranks(cycle.files, world_size)
    if missing is not None:
        notes.append(missing)
    return PlannedRun(
        _name(files, names),
        [RunFile(file.path, file.label) for file in files],
        copies=[copy for copy, _ in cycle.copies],
        notes=notes,
    )


def _name(files: Sequence[_RankFile], names: set[str]) -> str:
    """A name of the folder's own: that of the first file, with `*` for the rank where names differ in nothing else."""
    first = files[0]
    name = first.path.name
    if first.name.rank is not None and all(file.name.template == first.name.template for file in files):
        name = starred(name)
    else:
        name = f"{name} *"
    number, unique = 1, name
    while unique in names:
        number += 1
        unique = f"{name} ({number})"
    names.add(unique)
    return unique


PYTORCH: Final = Layout(ID, "traces of the ranks of PyTorch", runs_of_ranks, look=read_head, separates=True)
