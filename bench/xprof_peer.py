"""xprof beside us: its streaming tables of the same trace, made in a process and an environment of its own."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

from bench.measure import measure
from tilescope.cli.text import seconds_text
from tilescope.tiler.size_text import size_text

SCRIPT = Path(__file__).with_name("xprof_convert.py")


@dataclass(frozen=True, slots=True)
class PeerResult:
    """Cost of the conversion: time of the call alone, memory of the process."""

    version: str
    seconds: float
    cpu_seconds: float
    peak_rss_bytes: int
    index_bytes: int

    def facts(self) -> str:
        """One line."""
        return (
            f"xprof {self.version}: {seconds_text(self.seconds)} wall, {seconds_text(self.cpu_seconds)} CPU, "
            f"{size_text(self.peak_rss_bytes)} resident at the peak, tables of {size_text(self.index_bytes)}"
        )


def why_not(python: Path | None) -> str | None:
    """Reason why xprof cannot be run by this interpreter; None when it can."""
    if python is None:
        return "no interpreter with xprof was named (--xprof)"
    command = [str(python), "-c", "import xprof.convert.raw_to_tool_data"]
    try:
        tried = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        return f"{python}: {error.strerror}"
    lines = tried.stderr.strip().splitlines()
    return None if tried.returncode == 0 else f"{python}: {lines[-1] if lines else 'it failed'}"


def convert(python: Path, path: Path) -> PeerResult:
    """Converts the XSpace at `LOGDIR/plugins/profile/RUN/HOST.xplane.pb` and removes the tables."""
    done = measure([python, SCRIPT, path])
    answer = json.loads(next(line for line in done.output.splitlines() if line.startswith('{"version"')))
    tables = list(path.parent.glob("*.SSTABLE"))
    index_bytes = sum(table.stat().st_size for table in tables)
    for table in tables:
        table.unlink()
    return PeerResult(answer["version"], answer["seconds"], answer["cpu_seconds"], done.peak_rss_bytes, index_bytes)
