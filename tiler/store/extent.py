"""How much a run is, as lists of runs show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class RunExtent:
    """Of a whole index."""

    events: int  # slices, instants and samples
    duration_ps: int  # from the first tick to the last of any event

    @classmethod
    def of(cls, manifest: Mapping[str, Any]) -> RunExtent:
        """From the manifest as docs/api.md has it."""
        counts = manifest["events"]
        events = sum(int(counts[kind]) for kind in ("slices", "instants", "counter_samples", "async_slices"))
        ticks = int(manifest["end"]) - int(manifest["start"])
        return cls(events, ticks * int(manifest["tick_ps"]))
