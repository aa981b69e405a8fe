"""Where a benchmark ran: without it a number means nothing."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

PACKAGES = ("tilescope", "numpy", "lmdb", "isal")


def machine_lines() -> list[str]:
    """Processor, memory, load, kernel and versions, one fact per line."""
    memory_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return [
        f"machine   {_processor()}, {os.cpu_count()} cores, {memory_bytes / 2**30:.0f} GiB, "
        f"load {os.getloadavg()[0]:.1f} at the start",  # a number from a busy machine is no number
        f"system    {platform.system()} {platform.release()}, Python {platform.python_version()}",
        f"versions  {versions}",
    ]


def _processor() -> str:
    facts = Path("/proc/cpuinfo")
    if facts.is_file():
        for line in facts.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
