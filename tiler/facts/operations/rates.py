"""Peaks of devices, rates of operations and what bounds them, and the program as a whole below the roofs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from tilescope.tiler.facts.devices import plane_of
from tilescope.tiler.facts.operations.exact_columns import sum_of
from tilescope.tiler.facts.operations.operation import Memory, Operation, OperationMetadata
from tilescope.tiler.facts.operations.operation_table import OpTable
from tilescope.tiler.facts.plane_facts import plane_facts
from tilescope.tiler.query import QueryReader
from tilescope.tiler.records.device.xla_words import is_control, is_exchange, is_feed, is_start, is_wait


@dataclass(frozen=True, slots=True)
class Peaks:
    """Peaks of one core, or a GPU; None: not recorded. Bytes per second are decimal."""

    device: str = ""  # "TPU v6 Lite"
    flops: float | None = None  # per second
    hbm: float | None = None  # bytes per second
    cmem_read: float | None = None
    cmem_write: float | None = None
    vmem_read: float | None = None
    vmem_write: float | None = None
    shared: float | None = None  # memory that threads of a GPU share
    flops_by: str = ""  # what the FLOPs are made of, where the trace does not say them


def peaks_of(reader: QueryReader, group: int, file: int) -> Peaks:
    """Peaks of a device, which is a process of the track tree. Raises DamagedStore."""
    plane = plane_of(reader.tree.groups[group])
    facts = next((fact for fact in plane_facts(reader) if fact.file == file and fact.plane == plane), None)
    return Peaks() if facts is None else _peaks(facts.values)


def _peaks(stats: Mapping[str, object]) -> Peaks:
    def number(name: str, scale: float) -> float | None:
        value = stats.get(name)
        return value * scale if isinstance(value, int | float) and value > 0 else None

    peaks = Peaks(
        str(stats.get("device_type_string", "")),
        number("peak_teraflops_per_second", 1e12),
        number("peak_hbm_bw_gigabytes_per_second", 1e9),
        number("peak_cmem_rd_bw_gigabytes_per_second", 1e9),
        number("peak_cmem_wr_bw_gigabytes_per_second", 1e9),
        number("peak_vmem_rd_bw_gigabytes_per_second", 1e9),
        number("peak_vmem_wr_bw_gigabytes_per_second", 1e9),
    )
    return peaks if "compute_cap_major" not in stats else _of_gpu(peaks, stats, number)


_Table = Mapping[tuple[object, object], int]

# FLOPs of a clock of a multiprocessor with 16-bit numbers, by compute capability, or by what ROCm says in its place.
_NVIDIA: Final[_Table] = {
    (7, 0): 1024,
    (7, 5): 1024,
    (8, 0): 2048,
    (8, 6): 1024,
    (8, 9): 1024,
    (9, 0): 4096,
    (10, 0): 8192,
}

_AMD: Final[_Table] = {(9, 0): 1024, (9, 4): 2048, (9, 5): 4096}  # gfx908 and gfx90a, gfx94x, gfx950

_SHARED_BYTES: Final = 128  # of a clock of a multiprocessor, each way

_AMD_SHARED_BYTES: Final[_Table] = {(9, 5): 256}

_Number = Callable[[str, float], float | None]


def _of_gpu(peaks: Peaks, stats: Mapping[str, object], number: _Number) -> Peaks:
    """Peaks that the trace says, or that follow from the kind of GPU and its clock. Without a vendor it is NVIDIA's."""
    is_amd = stats.get("device_vendor") == "AMD"
    kind = stats.get("compute_cap_major"), stats.get("compute_cap_minor", 0)
    capability = ".".join(map(str, kind))
    name = f"AMD GPU, gfx{capability.replace('.', '')}x" if is_amd else f"NVIDIA GPU, compute capability {capability}"
    device = str(stats.get("gpu_device_name") or peaks.device or name)
    clocks, cores = number("clock_rate", 1e3), number("core_count", 1)  # kHz
    per_clock = (_AMD if is_amd else _NVIDIA).get(kind)
    if peaks.flops is not None or not per_clock or not clocks or not cores:
        return replace(peaks, device=device, hbm=peaks.hbm or number("memory_bandwidth", 1))
    shared = _AMD_SHARED_BYTES.get(kind, _SHARED_BYTES) if is_amd else _SHARED_BYTES
    return replace(
        peaks,
        device=device,
        flops=per_clock * clocks * cores,
        hbm=peaks.hbm or number("memory_bandwidth", 1),
        shared=shared * clocks * cores,
        flops_by=f"{name}: {cores:,.0f} × {per_clock:,} FLOP a clock with 16-bit numbers, {clocks / 1e9:g} GHz",
    )


_PS: Final = 1e12


@dataclass(frozen=True, slots=True)
class Rates:
    """Rates of operations, per second of their total time; None where they take none."""

    flops: float | None
    model_flops: float | None
    bytes: float | None
    hbm: float | None
    intensity: float | None  # FLOPs per byte
    bound_by: str  # the resource with the greatest share of its peak, or the network; "" unknown
    share: float | None  # that share; None: no peak of it is known
    flops_share: float | None = None  # of the peak
    memory_share: float | None = None  # the greatest of all memories
    bound_intensity: float | None = None  # FLOPs per byte of what bounds them

    @property
    def optimal_flops(self) -> float | None:
        """FLOPs per second that could be reached with so many per byte; None: there are none, or no peak is known."""
        return self.flops / self.share if self.flops and self.share else None


# Bytes of what starts, or of what waits for a start before, move while others run: over its own time they are no rate.
ASYNC: Final = "async"

# It bounds operations that move values between devices. No trace says its peak; bytes in memories are not those on it.
NETWORK: Final = "Network"

_NO_RATES: Final = Rates(None, None, None, None, None, ASYNC, None)


def rates_of(operation: Operation, peaks: Peaks) -> Rates:
    """The rates of operations on a device. Those that go on after their event ended have none."""
    if is_start(operation.metadata.category):
        return _NO_RATES
    time = operation.total / _PS

    def rate(amount: int) -> float | None:
        return amount / time if time else None

    is_known = bool(operation.flops or operation.bytes) or operation.metadata.flops is not None
    hbm = operation.hbm_bytes
    flops, memories = rate(operation.flops) if is_known else None, _memories(operation, hbm, peaks)
    flops_share = None if flops is None or peaks.flops is None else flops / peaks.flops
    # The first of equal ones counts.
    bound_by, bytes_of, share = ("Compute", operation.bytes, flops_share) if flops_share else ("", 0, 0.0)
    memory_share = 0.0
    for name, moved, peak in memories:
        reached = rate(moved)
        if reached is not None and peak is not None:
            memory_share = max(memory_share, reached / peak)
            if reached / peak > share:
                bound_by, bytes_of, share = name, moved, reached / peak
    if share > 1 and is_wait(operation.metadata.category):
        return _NO_RATES  # it waited for less time than the bytes took
    if is_exchange(operation.metadata.category):
        bound_by, bytes_of, share = NETWORK, 0, 0.0
    return Rates(
        flops,
        rate(operation.model_flops) if is_known else None,
        rate(operation.bytes) if is_known else None,
        rate(hbm) if is_known else None,
        operation.flops / operation.bytes if operation.bytes else None,
        bound_by,
        share or None,
        flops_share,
        memory_share or None,
        operation.flops / bytes_of if bytes_of else None,
    )


def _memories(operation: Operation, hbm: int, peaks: Peaks) -> Sequence[tuple[str, int, float | None]]:
    """Bytes by memory, and its peak."""
    return (
        ("HBM", hbm, peaks.hbm),
        ("CMEM read", operation.memory_bytes(Memory.CMEM, written=False), peaks.cmem_read),
        ("CMEM write", operation.memory_bytes(Memory.CMEM, written=True), peaks.cmem_write),
        ("VMEM read", operation.memory_bytes(Memory.VMEM, written=False), peaks.vmem_read),
        ("VMEM write", operation.memory_bytes(Memory.VMEM, written=True), peaks.vmem_write),
    )


PROGRAM: Final = "Program"


@dataclass(frozen=True, slots=True)
class Roof:
    """The limit that the bandwidth of a memory sets."""

    id: str
    title: str
    bandwidth: float  # bytes per second

    def limit(self, intensity: float, flops: float) -> float:
        """The FLOPs per second at so many for each byte, of a device that reaches `flops` at most."""
        return min(self.bandwidth * intensity, flops)

    def ridge(self, flops: float) -> float:
        """The FLOPs for each byte from which on computing is the limit."""
        return flops / self.bandwidth


def roofs(peaks: Peaks) -> list[Roof]:
    """Roofs of the memories whose bandwidth is known."""
    memories = (
        ("hbm", "HBM", peaks.hbm),
        ("cmem_read", "CMEM read", peaks.cmem_read),
        ("cmem_write", "CMEM write", peaks.cmem_write),
        ("vmem_read", "VMEM read", peaks.vmem_read),
        ("vmem_write", "VMEM write", peaks.vmem_write),
        ("shared", "Shm/L1", peaks.shared),
    )
    return [Roof(name, title, bandwidth) for name, title, bandwidth in memories if bandwidth]


def nothing_of_program(total: int) -> Operation:
    """A program of which nothing is known but its time, ps."""
    return Operation(_ALL, count=1, total=total)


def program(table: OpTable, *, with_feeds: bool = True) -> Operation:
    """All instructions together, in the time of all devices; infeed and outfeed, and their time, left out or not.

    Where the trace tells which memory bytes belong to, those of which it does not are of no memory here: copies from
    and to the host have them. Where it tells of none, all are of the device's memory.
    """
    columns = table.columns
    feeds = columns.are(is_feed) & (not with_feeds)
    counted = np.flatnonzero(~feeds & ~columns.are(is_control))
    whole = nothing_of_program(table.span - sum_of(columns.own[feeds]))
    whole.flops, whole.model_flops = sum_of(columns.flops[counted]), sum_of(columns.model_flops[counted])
    whole.bytes = sum_of(columns.bytes[counted])
    if columns.tells_memory[counted].any():
        whole.by_memory = {key: sum_of(moved[counted]) for key, moved in columns.by_memory.items()}
    return whole


_ALL: Final = OperationMetadata(
    program="",
    symbol=0,
    name=PROGRAM,
    expression=PROGRAM,
    category=PROGRAM,
    framework="",
    flops=None,
    model_flops=None,
    bytes=None,
    traffic=(),
    source="",
    source_stack="",
    shape="",
    duplicate_of="",
)
