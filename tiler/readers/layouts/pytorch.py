"""Traces that the ranks of a PyTorch job write: those of the same cycle of the profiler are one run.

Two files are of one job if both say a world size, the same one, and the same default group, and none of their groups
contradict each other; or, where neither says a world size, if their names differ only in the number of the rank. They
are of one cycle if their first events are near each other. Whether they overlap in time is known once they are read.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from msgspec import Struct, field

from tilescope.tiler.readers.compression import without_ending
from tilescope.tiler.readers.layouts.cycle_names import NamedFile, cycle_names
from tilescope.tiler.readers.layouts.layout import Candidate, FileLabel, FileLayout, Folder, PlannedRun, RunFile
from tilescope.tiler.readers.layouts.pytorch_head import ProcessGroup, PyTorchHead, read_head
from tilescope.tiler.readers.layouts.rank_names import RankName, host_in_name, missing_ranks, rank_name

ID: Final = "pytorch"

_FARTHEST_NS: Final = 60 * 10**9  # between first events of one cycle: collectives keep ranks within seconds
_MOST_JOBS: Final = 100  # that say the same of themselves and contradict each other: what more there are stay alone
_MOST_COMPARED: Final = 1 << 22  # ranks of groups in a folder: 1 to 2 s of work; what more there are fit any job
_MOST_KEPT: Final = 1 << 20
_MOST_ROUNDS: Final = 100  # of finding cycles: with each, a rank has no files left
_SHORTEST_CYCLE_NS: Final = 10**6  # nearer to each other, two files of a rank are no two cycles


class _RankFile(Struct, frozen=True):
    """The trace of a rank."""

    path: Path
    head: PyTorchHead
    name: RankName
    rank: int
    is_link: bool

    @property
    def naming(self) -> NamedFile:
        """The parts of it that names of runs are made of."""
        return NamedFile(self.path.name, self.name, self.head.distributed, self.head.time_ns)

    @property
    def label(self) -> FileLabel:
        """Its label in the list; the device is known once it is read."""
        return FileLabel(self.rank, self.head.host or host_in_name(self.path.name))


class _Timed(NamedTuple):
    """A file, and a time by which cycles are told apart."""

    time_ns: int
    file: _RankFile


class _Room(Struct):
    """Ranks of groups that may still be compared in a folder, and kept: what is hostile must not take minutes."""

    compared: int
    kept: int


class _Jobs(Struct):
    """Jobs that say the same of themselves. Groups of one name that share ranks are the same group.

    Sets of jobs are integers, a bit for each, so that a file is compared with all of them at once.
    """

    room: _Room
    files: list[list[_RankFile]] = field(default_factory=list)  # by job
    _owners: dict[ProcessGroup, int] = field(default_factory=dict)  # jobs that have the group
    _members: dict[tuple[str, int], int] = field(default_factory=dict)  # by a group's name and a rank, as well

    def add(self, file: _RankFile) -> None:
        """Adds a file to the first job that none of its groups contradicts, or to a new one."""
        groups = file.head.distributed.groups
        contradicted = 0
        for group in groups:
            contradicted |= self._contradicted(group)
        fitting = ~contradicted & (contradicted + 1)  # the lowest bit that is not set
        job = fitting.bit_length() - 1
        if job >= _MOST_JOBS:
            return
        if job == len(self.files):
            self.files.append([])
        self.files[job].append(file)
        for group in groups:
            self._take(group, fitting)

    def _contradicted(self, group: ProcessGroup) -> int:
        """The jobs that have another group of that name with one of its ranks."""
        owners = self._owners.get(group, 0)
        if owners + 1 == 1 << len(self.files) or self.room.compared < len(group.ranks):
            return 0
        self.room.compared -= len(group.ranks)
        members = 0
        for rank in group.ranks:
            members |= self._members.get((group.name, rank), 0)
        return members & ~owners

    def _take(self, group: ProcessGroup, job: int) -> None:
        owners = self._owners.get(group, 0)
        if owners & job or self.room.kept < len(group.ranks):
            return
        self.room.kept -= len(group.ranks)
        self._owners[group] = owners | job
        for rank in group.ranks:
            self._members[group.name, rank] = self._members.get((group.name, rank), 0) | job


class _Cycle(Struct):
    """Files of one cycle of the profiler, by rank."""

    time_ns: int
    files: dict[int, _RankFile]

    def in_order(self) -> list[_RankFile]:
        """The files in the order of ranks."""
        return [self.files[rank] for rank in sorted(self.files)]


def runs_of_ranks(folder: Folder) -> Sequence[PlannedRun]:
    """The runs of several ranks. A trace that belongs to no other is left to itself."""
    looked_at = (trace for trace in folder.traces if trace.looks)  # of 80,000 tables nothing is known but their names
    files = [file for file in map(_rank_file, looked_at) if file is not None]
    files.sort(key=lambda file: file.is_link)  # a link never takes the place of the file that it leads to
    if len(files) < 2:
        return ()
    copies_of = _copies(files)
    copies = {copy for own in copies_of.values() for copy in own}
    kinds: dict[object, _Jobs] = {}
    room = _Room(_MOST_COMPARED, _MOST_KEPT)
    for file in files:
        if file.path not in copies:
            kinds.setdefault(_kind(file), _Jobs(room)).add(file)
    cycles = [cycle for jobs in kinds.values() for job in jobs.files for cycle in _cycles(job) if len(cycle.files) > 1]
    names = cycle_names([[file.naming for file in cycle.in_order()] for cycle in cycles], folder.names)
    return [_planned(cycle, name, copies_of) for cycle, name in zip(cycles, names, strict=True)]


def _copies(files: Sequence[_RankFile]) -> dict[Path, list[Path]]:
    """Files that are others of the same rank, compressed."""
    originals: dict[tuple[str, int], Path] = {}
    copies: dict[Path, list[Path]] = {}
    for file in sorted(files, key=lambda file: (file.is_link, len(file.path.name), file.path.name)):
        original = originals.setdefault((without_ending(file.path.name), file.rank), file.path)
        if original != file.path:
            copies.setdefault(original, []).append(file.path)
    return copies


def _rank_file(trace: Candidate) -> _RankFile | None:
    head = trace.looks.get(ID)
    if not isinstance(head, PyTorchHead):
        return None
    name = rank_name(trace.path.name)
    rank = name.rank if head.distributed.world_size is None else head.distributed.rank
    return None if rank is None else _RankFile(trace.path, head, name, rank, trace.is_link)


def _kind(file: _RankFile) -> object:
    """A key that files of one job have in common."""
    distributed = file.head.distributed
    if distributed.world_size is None:
        return file.name.template
    return distributed.world_size, distributed.default_group


def _cycles(files: Sequence[_RankFile]) -> list[_Cycle]:
    """The cycles. The rank with the most files has one in each: the nearest file of each other rank belongs to it.

    What belongs to none of them is sorted in the same way.
    """
    waiting = _by_time(files)
    farthest = _farthest(waiting)
    cycles: list[_Cycle] = []
    for _ in range(_MOST_ROUNDS):
        if not waiting:
            return cycles
        most = max(waiting, key=lambda rank: (len(waiting[rank]), -rank))
        begun = [_Cycle(time_ns, {most: file}) for time_ns, file in waiting.pop(most)]
        starts = [cycle.time_ns for cycle in begun]
        left: dict[int, list[_Timed]] = {}
        for rank, timed in waiting.items():
            nearest: dict[int, tuple[int, int]] = {}  # by cycle, how far its file is, and which
            for number, (time_ns, _) in enumerate(timed):
                cycle = _nearest(starts, time_ns)
                entry = (abs(time_ns - starts[cycle]), number)
                if entry[0] <= farthest:
                    nearest[cycle] = min(entry, nearest.get(cycle, entry))
            taken = {number for _, number in nearest.values()}
            for cycle, (_, number) in nearest.items():
                begun[cycle].files[rank] = timed[number].file
            if len(taken) < len(timed):
                left[rank] = [entry for number, entry in enumerate(timed) if number not in taken]
        waiting = left
        cycles += begun
    return cycles


def _by_time(files: Sequence[_RankFile]) -> dict[int, list[_Timed]]:
    """The files of each rank: by their first events, else by when they were written, else by their names."""
    times = [file.head.time_ns for file in files]
    if None in times:
        times = [file.name.written_ns for file in files]
    is_timed = None not in times
    timed: dict[int, list[_Timed]] = {}
    for file, time_ns in zip(files, times, strict=True):
        own = timed.setdefault(file.rank, [])
        own.append(_Timed(time_ns if is_timed and time_ns is not None else len(own) * 10**9, file))
    return {
        rank: sorted(own, key=lambda entry: (entry.time_ns, entry.file.is_link, entry.file.path.name))
        for rank, own in timed.items()
    }


def _farthest(timed_by_rank: Mapping[int, Sequence[_Timed]]) -> int:
    """The longest time between files of one cycle: half of the usual one between two cycles of a rank."""
    periods = sorted(
        after.time_ns - before.time_ns
        for timed in timed_by_rank.values()
        for before, after in pairwise(timed)
        if after.time_ns - before.time_ns >= _SHORTEST_CYCLE_NS
    )
    return min(_FARTHEST_NS, periods[len(periods) // 2] // 2) if periods else _FARTHEST_NS


def _nearest(starts: Sequence[int], time_ns: int) -> int:
    """The number of the nearest start, the first one of several."""
    after = bisect_left(starts, time_ns)
    if after == len(starts) or (after > 0 and time_ns - starts[after - 1] <= starts[after] - time_ns):
        return bisect_left(starts, starts[after - 1])
    return after


def _planned(cycle: _Cycle, name: str, copies_of: Mapping[Path, Sequence[Path]]) -> PlannedRun:
    files = cycle.in_order()
    copies = [(copy, file.path.name) for file in files for copy in copies_of.get(file.path, ())]
    notes = [f"{copy.name} is left out: it is a copy of {original}" for copy, original in copies]
    world_size = files[0].head.distributed.world_size
    missing = None if world_size is None else missing_ranks(cycle.files, world_size)
    if missing is not None:
        notes.append(missing)
    return PlannedRun(
        name,
        [RunFile(file.path, file.label) for file in files],
        copies=[copy for copy, _ in copies],
        notes=notes,
        is_unconfirmed=True,
    )


PYTORCH: Final = FileLayout(ID, "traces of the ranks of PyTorch", runs_of_ranks, look=read_head, separates=True)
