"""What a device could reach at most: as the stats of its plane say, or of a GPU as its generation and clock do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from tilescope.tiler.facts.devices import plane_of
from tilescope.tiler.facts.plane_facts import plane_facts
from tilescope.tiler.query import QueryReader


@dataclass(frozen=True, slots=True)
class Peaks:
    """Of one core, or a GPU; None: not recorded. Bytes per second are decimal."""

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
    """Those of a device, which is a process of the track tree. Raises DamagedStore."""
    plane = plane_of(reader.tree.groups[group])
    of = next((of for of in plane_facts(reader) if of.file == file and of.plane == plane), None)
    return Peaks() if of is None else _peaks(of.values)


def _peaks(stats: Mapping[str, object]) -> Peaks:
    def number(name: str, scale: float) -> float | None:
        value = stats.get(name)
        return value * scale if isinstance(value, int | float) and value > 0 else None

    told = Peaks(
        str(stats.get("device_type_string", "")),
        number("peak_teraflops_per_second", 1e12),
        number("peak_hbm_bw_gigabytes_per_second", 1e9),
        number("peak_cmem_rd_bw_gigabytes_per_second", 1e9),
        number("peak_cmem_wr_bw_gigabytes_per_second", 1e9),
        number("peak_vmem_rd_bw_gigabytes_per_second", 1e9),
        number("peak_vmem_wr_bw_gigabytes_per_second", 1e9),
    )
    return told if "compute_cap_major" not in stats else _of_gpu(told, stats, number)


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


def _of_gpu(told: Peaks, stats: Mapping[str, object], number: _Number) -> Peaks:
    """What the trace says, and what follows from the kind of GPU and its clock. Without a vendor it is NVIDIA's."""
    is_amd = stats.get("device_vendor") == "AMD"
    kind = stats.get("compute_cap_major"), stats.get("compute_cap_minor", 0)
    capability = ".".join(map(str, kind))
    name = f"AMD GPU, gfx{capability.replace('.', '')}x" if is_amd else f"NVIDIA GPU, compute capability {capability}"
    device = str(stats.get("gpu_device_name") or told.device or name)
    clocks, cores = number("clock_rate", 1e3), number("core_count", 1)  # kHz
    per_clock = (_AMD if is_amd else _NVIDIA).get(kind)
    if told.flops is not None or not per_clock or not clocks or not cores:
        return replace(told, device=device, hbm=told.hbm or number("memory_bandwidth", 1))
    shared = _AMD_SHARED_BYTES.get(kind, _SHARED_BYTES) if is_amd else _SHARED_BYTES
    return replace(
        told,
        device=device,
        flops=per_clock * clocks * cores,
        hbm=told.hbm or number("memory_bandwidth", 1),
        shared=shared * clocks * cores,
        flops_by=f"{name}: {cores:,.0f} × {per_clock:,} FLOP a clock with 16-bit numbers, {clocks / 1e9:g} GHz",
    )
