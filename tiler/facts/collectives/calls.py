"""Calls of collectives by rank: kernels of GPUs whose arguments say which collective they are, and those of hosts.

Kernels of NCCL have `Collective name`, `Process Group Name`, sizes and, in newer versions, `Seq`. Collectives of hosts
(gloo, MPI, UCC) are annotations of their threads, which have the shapes of their input alone; annotations that a
device repeats (`gpu_user_annotation`) are none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details.values import ValueKind, Values
from tilescope.tiler.distinct import distinct
from tilescope.tiler.facts.collectives.coinciding_ends import together
from tilescope.tiler.facts.devices import devices_of
from tilescope.tiler.facts.stacks.frame_kinds import OPERATORS, StackFrameKind, frame_names, frame_threads
from tilescope.tiler.facts.work import Work, works_of
from tilescope.tiler.query import EVERYTHING, ArgumentReader, Interruptible, QueryReader, Reading
from tilescope.tiler.query.run_caches import RunCache

Ints = NDArray[np.int64]

NOT_RECORDED: Final = -1
BY_END: Final = -2  # the sequence of the first instance that ends tell, that of the next -3
SENT: Final = "send and recv"
_MOST_ELEMENTS: Final = 1 << 50
_CUT: Final = "..."  # in a list of ranks that PyTorch cuts

_RANK: Final = re.compile(r"rank [0-9]{1,9}\b")  # as hosts are called that are ranks: "rank 3 · GPU 0"

_ANNOTATION: Final = "user_annotation"
_KERNEL: Final = "kernel"
_HOST_CALL: Final = re.compile(r"(?:gloo|mpi|ucc):(\w+)")
_ON_HOSTS: Final = StackFrameKind(
    "host_collectives", lambda name: name.category == _ANNOTATION and bool(_HOST_CALL.match(name.text))
)

# Bytes of an element, by the names that NCCL's kernels and operators have for types.
_TYPE_BYTES: Final = {
    **dict.fromkeys(("double", "long", "long int", "complexfloat", "c10::complex<float>"), 8),
    **dict.fromkeys(("float", "int"), 4),
    **dict.fromkeys(("half", "bfloat16", "short", "c10::half", "c10::bfloat16"), 2),
    **dict.fromkeys(("byte", "char", "bool", "unsigned char", "signed char", "float8_e4m3fn", "float8_e5m2"), 1),
}
_GATHERING: Final = ("allgather", "all_gather", "_allgather_base", "gather")  # whose bytes are those of the output
_PASSED: Final = ("send", "recv")

_ARGUMENTS: Final = (
    "Collective name",
    "Process Group Name",
    "Process Group Ranks",
    "Group size",
    "dtype",
    "In msg nelems",
    "Out msg nelems",
    "Src Rank",
    "Dst Rank",
)
_SEQUENCE: Final = "Seq"
_HOST_ARGUMENTS: Final = ("Input Dims", "Input type")


@dataclass(frozen=True, slots=True)
class CollectiveKind:
    """A collective as all ranks call it, whenever they do."""

    name: str
    group: str  # name of the process group; empty: not recorded
    members: str  # its ranks, as the trace writes them, or those that send and receive
    ranks: int | None  # that take part; None: not recorded
    size_bytes: int | None  # None: not recorded, or not the same on all ranks
    category: str = ""  # of events that are called by its name; empty: their arguments say it


@dataclass(frozen=True, slots=True)
class CollectiveCalls:
    """Calls of collectives, columns of shape (n,). Times in ticks."""

    kinds: Sequence[CollectiveKind]
    kind: Ints  # place among them
    sequence: Ints  # NOT_RECORDED: the trace does not say it; BY_END and below: ends do
    size: Ints  # bytes, or NOT_RECORDED
    rank: Ints  # group of the tree that is the rank, in the first of its files
    start: Ints
    duration: Ints
    track: Ints
    ordinal: Ints
    unnamed: int = 0  # kernels of communication that do not say which collective they are
    cut: int = 0  # calls whose list of ranks is cut

    def __len__(self) -> int:
        return len(self.start)


@dataclass(slots=True)
class _Calls:
    """Calls while they are read."""

    kinds: dict[CollectiveKind, int] = field(default_factory=dict)
    parts: list[Ints] = field(default_factory=list)  # shape (8, n)
    by_stream: dict[tuple[str, str], list[Ints]] = field(default_factory=dict)  # by names of kernel and stream: unnamed
    unnamed: int = 0
    cut: int = 0

    def add(self, kind: Ints, sequence: Ints, size: Ints, rank: int, track: int, times: Ints) -> Ints:
        """Adds calls of one track, and returns those that do not say which they are; `times`: start, duration, ordinal.

        Shapes (3, n) and (8, m).
        """
        named = kind >= 0
        self.unnamed += int(np.count_nonzero(~named))
        whole = np.full(len(kind), rank), *times[:2], np.full(len(kind), track), times[2]
        columns = np.stack([kind, sequence, size, *whole])
        self.parts.append(columns[:, named])
        return columns[:, ~named]

    def add_by_ends(self, tick_ps: int) -> Interruptible[None]:
        """Adds kernels of one name and stream that end together on several ranks."""
        for (name, stream), parts in self.by_stream.items():
            columns = np.concatenate(parts, axis=1)
            kind = CollectiveKind(name, "", stream, None, None, _KERNEL)
            columns[0] = self.kinds.setdefault(kind, len(self.kinds))
            columns[1] = BY_END - together(columns[4] + columns[5], columns[3], tick_ps)
            self.parts.append(columns)
            yield

    def calls(self) -> CollectiveCalls:
        """All of them."""
        columns = np.concatenate([np.zeros((8, 0), np.int64), *self.parts], axis=1)
        return replace(CollectiveCalls(list(self.kinds), *columns[:8]), unnamed=self.unnamed, cut=self.cut)


_CALLS: Final = RunCache[CollectiveCalls]("collective_calls", "Calls of collectives by rank")


def may_have_calls(reader: QueryReader) -> Interruptible[bool]:
    """True for a run of PyTorch on several ranks with names of collectives. Raises DamagedStore."""
    if sum(group.kind == "host" for group in reader.tree.groups) < 2:
        return False
    if (yield from frame_names(reader, _ON_HOSTS)).any():
        return True
    if not (yield from frame_names(reader, OPERATORS)).any():
        return False
    devices = yield from devices_of(reader)
    return any((works_of(track.kinds) == Work.COMMUNICATION).any() for device in devices for track in device.tracks)


def collective_calls(reader: QueryReader) -> Interruptible[CollectiveCalls]:
    """The calls of all ranks. Raises DamagedStore, NotBuilt."""
    calls = _CALLS.get(reader)
    if calls is not None:
        return calls
    read, ranks = _Calls(), _ranks(reader)
    for device in (yield from devices_of(reader)):
        for work_track in device.tracks:
            is_call = works_of(work_track.kinds) == Work.COMMUNICATION
            yield from _of_track(reader, read, ranks, work_track.track, is_call, _ARGUMENTS)
    is_call = yield from frame_names(reader, _ON_HOSTS)
    for track in (yield from frame_threads(reader, _ON_HOSTS)):
        yield from _of_track(reader, read, ranks, track, is_call, _HOST_ARGUMENTS)
    yield from read.add_by_ends(reader.tick_ps)
    return _CALLS.keep(reader, read.calls())


def _ranks(reader: QueryReader) -> dict[int, int]:
    """The rank of each host: a rank has a file for each cycle of the profiler, which are hosts by themselves."""
    first: dict[str, int] = {}
    ranks = {}
    for group in reader.tree.groups:
        if group.kind == "host":
            match = _RANK.match(group.name)
            ranks[group.id] = group.id if match is None else first.setdefault(match.group(), group.id)
    return ranks


def _of_track(
    reader: QueryReader,
    calls: _Calls,
    ranks: Mapping[int, int],
    track: int,
    is_call: NDArray[np.bool_],
    names: Sequence[str],
) -> Interruptible[None]:
    tree, arguments = reader.tree, ArgumentReader(reader.store)
    parent = tree.groups[tree.tracks[track].group].parent
    rank = -1 if parent is None else ranks.get(parent, parent)
    plan = reader.plan(track, EVERYTHING)
    for every in Reading(reader).events(plan, plan.leaf_runs):
        events = every.take(is_call[every.name + 1])
        for part in arguments.values(track, events.ordinal, (*names, _SEQUENCE)) if len(events) else ():
            part_events = events.take(part.which)
            kind, size = _kinds(reader, calls, part_events.name, part.values[:-1], part.values[-1])
            times = np.stack([part_events.start, part_events.duration, part_events.ordinal])
            unnamed = calls.add(kind, _integers(part.values[-1]), size, rank, track, times)
            _by_name(reader, calls, track, part_events.name[kind < 0], unnamed)
        yield


def _by_name(reader: QueryReader, calls: _Calls, track: int, names: Ints, columns: Ints) -> None:
    """Keeps kernels that do not say which collective they are by their name and stream."""
    used, code = distinct(names)
    texts = reader.names.by_id(used[used >= 0].tolist())
    for place, name in enumerate(used.tolist()):
        if name in texts:
            key = texts[name].text, reader.tree.tracks[track].name
            calls.by_stream.setdefault(key, []).append(columns[:, code == place])


def _integers(values: Values) -> Ints:
    return np.where(values.kind == ValueKind.INTEGER, values.bits, NOT_RECORDED)


def _kinds(
    reader: QueryReader, calls: _Calls, names: Ints, columns: Sequence[Values], sequence: Values
) -> tuple[Ints, Ints]:
    """Kind and bytes of each call; rows with the same arguments are looked at once. -1: no collective is named."""
    has_sequence = sequence.kind == ValueKind.INTEGER
    code = distinct(names)[1] * 2 + has_sequence
    for values in columns:
        for column in (values.kind.astype(np.int64), values.bits):
            used, codes = distinct(column)
            code = distinct(code)[1] * len(used) + codes
    _, code = distinct(code)
    _, first = np.unique(code, return_index=True)
    counts = np.bincount(code).tolist()
    texts = reader.names.by_id(np.unique(names[names >= 0]).tolist())
    kind, size = [], []
    for row, count in zip(first.tolist(), counts, strict=True):
        cells = [values.value(row) for values in columns]
        if len(columns) == len(_HOST_ARGUMENTS):
            collective: CollectiveKind | None = _host_kind(texts[int(names[row])].text, cells)
        else:
            collective = _kernel_kind(cells)
        size.append(NOT_RECORDED if collective is None or collective.size_bytes is None else collective.size_bytes)
        if collective is None:
            kind.append(-1)
            continue
        calls.cut += count if _CUT in collective.members else 0
        if has_sequence[row]:  # sizes may differ between ranks
            collective = replace(collective, size_bytes=None)
        kind.append(calls.kinds.setdefault(collective, len(calls.kinds)))
    return np.array(kind, np.int64)[code], np.array(size, np.int64)[code]


def _kernel_kind(cells: Sequence[object]) -> CollectiveKind | None:
    name, group, members, ranks, dtype, taken, given, source, destination = cells
    if not isinstance(name, str) or not name:
        return None
    members = members if isinstance(members, str) else ""
    if name in _PASSED:
        name, members, ranks = SENT, f"{source} to {destination}", 2
    elements = given if name in _GATHERING else taken
    return CollectiveKind(
        name,
        str(group) if isinstance(group, str | int) else "",
        members,
        ranks if isinstance(ranks, int) and ranks > 0 else None,
        _bytes(elements, dtype),
    )


def _host_kind(text: str, cells: Sequence[object]) -> CollectiveKind:
    shapes, types = cells
    elements: int | None = None
    first = shapes[0] if isinstance(shapes, list) and shapes else None
    if isinstance(first, list) and all(isinstance(length, int) and length >= 0 for length in first):
        elements = prod(first)
    dtype = types[0] if isinstance(types, list) and types else None
    return CollectiveKind(text, "", "", None, _bytes(elements, dtype), _ANNOTATION)


def _bytes(elements: object, dtype: object) -> int | None:
    """Bytes of so many elements; None for a type that is not known."""
    of_type = _TYPE_BYTES.get(dtype.casefold()) if isinstance(dtype, str) else None
    if of_type is None or not isinstance(elements, int) or not 0 <= elements <= _MOST_ELEMENTS:
        return None
    return elements * of_type
