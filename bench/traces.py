"""Synthetic traces to measure with: what to write, and what was written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tilescope.tiler.count_text import count_text, plural
from tilescope.tiler.size_text import size_text
from tilescope.tiler.synth import totals_path, write_synthetic_trace

SEED = 7
TRACKS = 120
FILE_NAMES = {"xspace": "host.xplane.pb", "chrome": "bench.trace.json"}


@dataclass(frozen=True, slots=True)
class TraceSpec:
    """A trace that can be written at any time."""

    format: str  # of tilescope.tiler.synth.FORMATS
    events: int
    tracks: int = TRACKS
    gzip: bool = False
    realistic: bool = False  # as large programs are recorded: `tilescope synth --realistic`

    def write(self, folder: Path) -> Trace:
        """Writes it into the folder, which is made. The same spec gives the same bytes."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / (FILE_NAMES[self.format] + (".gz" if self.gzip else ""))
        uncompressed_bytes = 0

        def count(events: int, size_bytes: int) -> None:
            nonlocal uncompressed_bytes
            uncompressed_bytes = size_bytes

        result = write_synthetic_trace(
            path,
            format=self.format,
            events=self.events,
            tracks=self.tracks,
            seed=SEED,
            realistic=self.realistic,
            progress=count,
        )
        return Trace(self, path, result.events, result.size_bytes, uncompressed_bytes)


@dataclass(frozen=True, slots=True)
class Trace:
    """A trace on disk."""

    spec: TraceSpec
    path: Path
    events: int
    size_bytes: int
    uncompressed_bytes: int

    def facts(self) -> str:
        """Facts about the input for a reader of a result."""
        kind = ("realistic " if self.spec.realistic else "") + self.spec.format + (", gzip" if self.spec.gzip else "")
        tracks = plural(self.spec.tracks, "track", "tracks")
        return f"{kind}, {count_text(self.events)} events on {tracks}, seed {SEED}, {size_text(self.size_bytes)}"

    def remove(self) -> None:
        """Makes room for the next."""
        self.path.unlink()
        totals_path(self.path).unlink()
