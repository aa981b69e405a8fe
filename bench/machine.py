"""The machine of a benchmark: without it a number means nothing."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from tilescope.version import version_text

PACKAGES = ("numpy", "lmdb", "isal", "aiohttp")
IDLE_LOAD = 0.5  # above this somebody else's work is in the numbers


def machine_facts(module: str, argv: Sequence[str] | None) -> dict[str, str]:
    """Command, time, processor with memory and load, kernel and versions, by their names."""
    memory_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    options = " ".join(sys.argv[1:] if argv is None else argv)
    return {
        "command": f"python -m {module} {options}".rstrip(),
        "date": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "machine": f"{_processor()}, {os.cpu_count()} cores, {memory_bytes / 2**30:.0f} GiB, load {load_average():.1f}",
        "system": f"{platform.system()} {platform.release()}, Python {platform.python_version()}",
        "versions": ", ".join((f"tilescope {version_text()}", *(f"{name} {version(name)}" for name in PACKAGES))),
    }


def machine_lines(module: str, argv: Sequence[str] | None) -> list[str]:
    """The same, one fact per line; a warning when the machine is busy."""
    lines = [f"{name:<10}{fact}" for name, fact in machine_facts(module, argv).items()]
    if is_busy():
        lines.append("warning   the machine is busy: these numbers are no results")
    return lines


def is_busy() -> bool:
    """True if other work would be in the numbers."""
    return load_average() > IDLE_LOAD


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
