"""Number of events and duration of a run, as lists of runs show them."""

from __future__ import annotations

from dataclasses import dataclass

from tilescope.tiler.readers.left_out import tells_of_left_out
from tilescope.tiler.schema import RunManifest


@dataclass(frozen=True, slots=True)
class RunExtent:
    """Number of events and duration of a whole index."""

    events: int  # slices, instants and samples
    duration_ps: int  # from the first tick to the last of any event
    steps: int | None = None  # different numbers; None: it marks none
    left_out: tuple[str, ...] = ()  # files that could not be read, and what of others: a line each

    @classmethod
    def from_manifest(cls, manifest: RunManifest) -> RunExtent:
        """From the manifest."""
        counts = manifest.events
        events = counts.slices + counts.instants + counts.counter_samples + counts.async_slices
        left_out = tuple(line for line in manifest.warnings if tells_of_left_out(line))
        steps = None if manifest.steps is None else int(manifest.steps.count)
        return cls(events, (manifest.end - manifest.start) * manifest.tick_ps, steps, left_out)
