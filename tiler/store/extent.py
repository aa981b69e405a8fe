"""The size of a run, as lists of runs show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tilescope.tiler.readers.left_out import tells_of_left_out


@dataclass(frozen=True, slots=True)
class RunExtent:
    """The size of a whole index."""

    events: int  # slices, instants and samples
    duration_ps: int  # from the first tick to the last of any event
    left_out: tuple[str, ...] = ()  # files that could not be read, and what of others: a line each

    @classmethod
    def from_manifest(cls, manifest: Mapping[str, Any]) -> RunExtent:
        """From the manifest as docs/api.md has it."""
        counts = manifest["events"]
        events = sum(int(counts[kind]) for kind in ("slices", "instants", "counter_samples", "async_slices"))
        ticks = int(manifest["end"]) - int(manifest["start"])
        left_out = tuple(line for line in manifest["warnings"] if tells_of_left_out(line))
        return cls(events, ticks * int(manifest["tick_ps"]), left_out)
