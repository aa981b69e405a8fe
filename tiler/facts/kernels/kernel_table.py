"""Kernels by name and launch, on all GPUs together: how often each runs in any windows, and how long, exactly."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from tilescope.tiler.details.xstat_tables import XStatTables
from tilescope.tiler.device_lines import DEVICE_PREFIX
from tilescope.tiler.errors import NotBuilt
from tilescope.tiler.facts.devices import devices_of, plane_of
from tilescope.tiler.facts.hlo import HloDamage, Program, hlo_module, programs_of
from tilescope.tiler.facts.kernels.launch import launch_of_details
from tilescope.tiler.facts.kernels.pytorch import kernels_of_track, pytorch_kernels
from tilescope.tiler.facts.kernels.sums import Kernel, KernelSums, Key
from tilescope.tiler.facts.metadata_codes import metadata_codes
from tilescope.tiler.facts.operations.kind_sums import kind_sums
from tilescope.tiler.facts.operations.track_records import track_kinds
from tilescope.tiler.facts.operations.xla_instructions import operation_metadata
from tilescope.tiler.facts.tensor_cores import could_use_tensor_cores, uses_tensor_cores
from tilescope.tiler.query import Interruptible, QueryReader, finish
from tilescope.tiler.query.run_caches import RunCache
from tilescope.tiler.records.device.operations import OperationKind, OperationKinds
from tilescope.tiler.windows import Windows, WindowsOf

_DETAILS: Final = "kernel_details"
_PROGRAM: Final = "XlaModule"  # what XLA calls all kernels of a program


@dataclass(slots=True)
class KernelTable:
    """`kernels` in the order in which they are first met."""

    kernels: list[Kernel]
    empty: int  # events of kernels that take no time: none of these
    devices: int  # that run kernels
    tensor_operations: frozenset[str]  # of which a kernel uses tensor cores
    have_stacks: bool  # slices of hosts launch them

    def could_use_tensor_cores(self, kernel: Kernel) -> bool:
        """True if the operation that a kernel is of could."""
        by_name = could_use_tensor_cores(kernel.operation) or uses_tensor_cores(kernel.name)
        return by_name or kernel.operation in self.tensor_operations


@dataclass(frozen=True, slots=True)
class _Stream:
    track: int
    device: int
    is_xspace: bool


def has_kernels(reader: QueryReader) -> bool:
    """True if a run has any kernels, as far as it is built. Raises DamagedStore."""
    return bool(finish(_streams(reader)))


def _streams(reader: QueryReader) -> Interruptible[list[_Stream]]:
    """The tracks that hold kernels."""
    streams = []
    for device in (yield from devices_of(reader)):
        is_plane = plane_of(reader.tree.groups[device.group]).startswith(DEVICE_PREFIX)
        if is_plane:
            tracks = [work.track for work in device.tracks if _has_details(reader, work.track)]
        else:
            is_kernel = yield from pytorch_kernels(reader)
            tracks = [work.track for work in device.tracks] if is_kernel.any() else []
        streams += [_Stream(track, device.group, is_plane) for track in tracks]
    return streams


def _has_details(reader: QueryReader, track: int) -> bool:
    try:
        kinds = track_kinds(reader, track)
    except NotBuilt:
        return False
    return kinds is not None and any(_DETAILS in stats for stats in OperationKinds.of(kinds.kinds).stats.values())


def kernel_table(
    reader: QueryReader, tracks: Sequence[int], windows_of: WindowsOf, within: str | None = None
) -> Interruptible[KernelTable]:
    """The kernels on some tracks, in the windows of each; `within`: those of an operation, or of others in it.

    Raises DamagedStore, NotBuilt.
    """
    wanted = frozenset(tracks)
    sums = KernelSums()
    tensor: set[str] = set()
    streams = [stream for stream in (yield from _streams(reader)) if stream.track in wanted]
    lookup = _Lookup(reader)
    for stream in streams:
        windows = windows_of(stream.track)
        if stream.is_xspace:
            tensor |= yield from _add_stream(lookup, stream.track, windows, sums, within)
        else:
            yield from kernels_of_track(reader, stream.track, windows, sums, within)
        yield
    kernels = [kernel for kernel in sums.by_key.values() if kernel.count or kernel.total]
    devices = len({stream.device for stream in streams})
    have_stacks = any(not stream.is_xspace for stream in streams)
    return KernelTable(kernels, sums.empty, devices, frozenset(tensor - {""}), have_stacks)


def _add_stream(
    lookup: _Lookup, track: int, windows: Windows, sums: KernelSums, within: str | None
) -> Interruptible[set[str]]:
    """Adds the kernels on a stream of an XSpace; the operations of which some kernel uses tensor cores."""
    of_track = yield from kind_sums(lookup.reader, track, windows)
    tensor: set[str] = set()
    if of_track is None:
        return tensor
    kernel_kinds = yield from _kernel_kinds(lookup, track, of_track.kinds.kinds)
    columns = (of_track.empty, of_track.count, of_track.total, of_track.shortest_lasting, of_track.longest)
    rows = zip(kernel_kinds, *(column.tolist() for column in columns), of_track.longest_at.tolist(), strict=True)
    for kind, empty, count, total, shortest, longest, longest_at in rows:
        if kind is not None and (within is None or _is_within(kind.key[2], within)):
            if kind.uses_tensor_cores:
                tensor.add(kind.key[2])
            sums.empty += empty
            sums.add(kind.key, kind.occupancy, count - empty, total, shortest, (longest, track, longest_at))
    return tensor


def _is_within(operation: str, scope: str) -> bool:
    """True for a path of scopes that is this one, or goes on from it: "jit(step)/conv1/add" in "jit(step)/conv1"."""
    return operation == scope or operation.startswith(f"{scope}/")


@dataclass(frozen=True, slots=True)
class _KernelKind:
    """A kind of kernels, as the trace describes it."""

    key: Key
    occupancy: float | None
    uses_tensor_cores: bool


@dataclass(slots=True)
class _KernelCache:
    """Kinds of kernels of a run, by stream, None where they are no kernels; and cached look-ups.

    Streams of a file run the same kernels: what is `alike` has the same metadata and stats.
    """

    kinds: dict[int, Sequence[_KernelKind | None]] = field(default_factory=dict)
    alike: dict[Hashable, _KernelKind] = field(default_factory=dict)
    named: dict[Hashable, tuple[str, str]] = field(default_factory=dict)  # the same but for their launch
    programs: dict[tuple[int, str], Program] | None = None  # by file and id, when they were asked for
    rows: int = 0  # of `kinds`

    def keep_kind(self, key: Hashable, kind: _KernelKind) -> None:
        """Keeps a kind. Drops all others when there are too many: one question may read all of a run."""
        if len(self.alike) >= _MAX_KINDS:
            self.alike.clear()
            self.named.clear()
        self.alike[key] = kind

    def keep_stream(self, track: int, kinds: Sequence[_KernelKind | None]) -> None:
        """Keeps the kinds of a stream, unless there are too many."""
        if self.rows + len(kinds) <= _MAX_KINDS:
            self.kinds[track] = kinds
            self.rows += len(kinds)

    @property
    def size_bytes(self) -> int:
        """About what it takes."""
        return self.rows * _REFERENCE_BYTES + (len(self.alike) + len(self.named)) * _KIND_BYTES


_KERNELS: Final = RunCache[_KernelCache](
    "kernels", "Kernels of GPUs, and how they were launched", lambda value: value.size_bytes, grows=True
)


class _Lookup:
    """Kinds of kernels, looked up for one question, which holds what it needs whatever is evicted."""

    def __init__(self, reader: QueryReader) -> None:
        self.reader = reader
        self.codes = metadata_codes(reader)
        self.cache = _KERNELS.get(reader) or _KERNELS.keep(reader, _KernelCache())


def _kernel_kinds(
    lookup: _Lookup, track: int, kinds: Sequence[OperationKind]
) -> Interruptible[Sequence[_KernelKind | None]]:
    """Kinds of kernels of a stream, read once; metadata once for all that differ in their launch alone."""
    reader, cache = lookup.reader, lookup.cache
    if track in cache.kinds:
        return cache.kinds[track]
    operation_kinds, file = OperationKinds.of(kinds), reader.file_of(track)
    tables = reader.event_metadata(file)
    stream_kinds: list[_KernelKind | None] = [None] * len(operation_kinds)
    if tables is not None:
        is_there = (operation_kinds.metadata >= 0) & (operation_kinds.metadata < len(tables))
        first = np.full(len(operation_kinds), -1)
        first[is_there] = tables.alike[operation_kinds.metadata[is_there]]
        numbers = first.tolist()
        for place, stats in operation_kinds.stats.items():
            if not isinstance(stats.get(_DETAILS), str):
                continue
            key = file, numbers[place], *stats, *stats.values()
            kernel_kind = cache.alike.get(key)
            if kernel_kind is None:
                kernel_kind = yield from _looked_up(lookup, file, tables, operation_kinds[place], numbers[place])
                cache.keep_kind(key, kernel_kind)
                if len(cache.alike) % _AT_ONCE == 0:
                    yield
            stream_kinds[place] = kernel_kind
    cache.keep_stream(track, stream_kinds)
    return stream_kinds


def _looked_up(
    lookup: _Lookup, file: int, tables: XStatTables, kind: OperationKind, number: int
) -> Interruptible[_KernelKind]:
    """The kind of kernels whose metadata is like that of this number."""
    reader, cache = lookup.reader, lookup.cache
    alike = file, number, *((key, value) for key, value in kind.stats.items() if key != _DETAILS)
    if alike not in cache.named:
        metadata = operation_metadata(lookup.codes, file, tables, kind)
        operation = metadata.provenance
        if operation in ("", _PROGRAM):
            if cache.programs is None:
                cache.programs = {(program.file, program.id): program for program in programs_of(reader)}
            operation = yield from _named_by_program(reader, cache.programs.get((file, metadata.program)), kind)
        cache.named[alike] = metadata.name, operation
    name, operation = cache.named[alike]
    launch, occupancy = launch_of_details(str(kind.stats[_DETAILS]))
    return _KernelKind((name, launch, operation, ""), occupancy, uses_tensor_cores(name))


_AT_ONCE: Final = 1000  # kinds, in some milliseconds
_MAX_KINDS: Final = 1 << 17  # of all streams, of some hundred bytes each, however much may be cached
_REFERENCE_BYTES: Final = 8
_KIND_BYTES: Final = 600


def _named_by_program(reader: QueryReader, program: Program | None, kind: OperationKind) -> Interruptible[str]:
    """The framework's name of the instruction that a kernel is of; "" where the program does not say."""
    if program is None:
        return ""
    try:
        module = yield from hlo_module(reader, program)
    except HloDamage:
        return ""
    instruction = module.by_name.get(str(kind.stats.get("hlo_op", "")))
    return "" if instruction is None else instruction.op_name
