"""The machine of a benchmark: without it a number means nothing."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

PACKAGES = ("tilescope", "numpy", "lmdb", "isal", "aiohttp")
IDLE_LOAD = 0.5  # above this somebody else's work is in the numbers


def machine_lines(module: str, argv: Sequence[str] | None) -> list[str]:
    """Command, time, processor, memory, load, kernel and versions, one fact per line; a warning when it is busy."""
    memory_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    options = " ".join(sys.argv[1:] if argv is None else argv)
    load = load_average()
    lines = [
        f"command   python -m {module} {options}".rstrip(),
        f"date      {datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        f"machine   {_processor()}, {os.cpu_count()} cores, {memory_bytes / 2**30:.0f} GiB, load {load:.1f}",
        f"system    {platform.system()} {platform.release()}, Python {platform.python_version()}",
        f"versions  {versions}",
    ]
    if load > IDLE_LOAD:
        lines.append("warning   the machine is busy: these numbers are no results")
    return lines


def load_average() -> float:
    """Load of the last minute."""
    return os.getloadavg()[0]


def _processor() -> str:
    facts = Path("/proc/cpuinfo")
    if facts.is_file():
        for line in facts.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
