"""Launches of kernels, as profilers write them down."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tilescope.tiler.caches import Memo

# `kernel_details` of an XSpace: "regs:38 static_shared:0 dynamic_shared:16 grid:160,1,1 block:1024,1,1 occ_pct:50".
_PART: Final = re.compile(r"(\w+):(\S+)")
_NUMBER: Final = re.compile(r"[0-9]{1,15}")
_SIZES: Final = re.compile(r"[0-9]{1,10}(,[0-9]{1,10}){0,2}")
_REAL: Final = re.compile(r"[0-9]{1,3}(\.[0-9]{1,12})?")
# CUDA has two sorts, or both in one; ROCm calls what a group of threads shares its memory.
_SHARED: Final = ("static_shared", "dynamic_shared", "shm", "group_mem")


@dataclass(frozen=True, slots=True)
class KernelLaunch:
    """Kernels of one name that differ in this are told apart. None or "": not recorded."""

    registers: int | None = None  # of a thread
    shared_bytes: int | None = None  # of a block
    block: str = ""  # threads: "1024,1,1"
    grid: str = ""  # blocks


def _parse_details(details: str) -> tuple[KernelLaunch, float | None]:
    """The launch, and the share of a multiprocessor's threads that it can keep busy."""
    parts = dict(_PART.findall(details))
    shared = [int(parts[name]) for name in _SHARED if _NUMBER.fullmatch(parts.get(name, ""))]
    launch = KernelLaunch(
        int(parts["regs"]) if _NUMBER.fullmatch(parts.get("regs", "")) else None,
        sum(shared) if shared else None,
        *(parts[name] if _SIZES.fullmatch(parts.get(name, "")) else "" for name in ("block", "grid")),
    )
    per_cent = parts.get("occ_pct", "")
    return launch, _share(float(per_cent)) if _REAL.fullmatch(per_cent) else None


def launch_of_values(values: Sequence[object]) -> tuple[KernelLaunch, float | None]:
    """The same of the values of `LAUNCH_ARGUMENTS`."""
    registers, shared, block, grid, per_cent = values
    launch = KernelLaunch(_whole(registers), _whole(shared), _sizes(block), _sizes(grid))
    if not isinstance(per_cent, int | float) or isinstance(per_cent, bool) or not abs(per_cent) <= _MOST:
        return launch, None
    return launch, _share(float(per_cent))


# Of an event of category kernel in a PyTorch trace.
LAUNCH_ARGUMENTS: Final = (
    "registers per thread",
    "shared memory",
    "block",
    "grid",
    "est. achieved occupancy %",
)
_MOST: Final = 1 << 50


def _share(per_cent: float) -> float | None:
    """Kernels that ran kept something busy: with 0 profilers say that they do not know."""
    return per_cent / 100 if 0 < per_cent <= 100 else None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST else None


def _sizes(value: object) -> str:
    if not isinstance(value, list) or not 0 < len(value) <= 3 or any(_whole(size) is None for size in value):
        return ""
    return ",".join(map(str, value))


# Streams and GPUs launch the same kernels alike.
launch_of_details: Final = Memo("launches", "Launches of kernels, by the text that says them", 440).remembered(
    _parse_details, 1 << 16
)
