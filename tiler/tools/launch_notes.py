"""Notes on work of devices whose launch is not told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilescope.tiler.facts.launches import launched_steps
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.tools.answer import Note

_NO_ROOM: Final = "launches are not joined to the work of devices for want of room; index again with more --memory"


def launch_notes(reader: QueryReader) -> Interruptible[Sequence[Note]]:
    """None of a run that is still being indexed, and of one whose work has all its launches. Raises DamagedStore."""
    if not reader.is_whole:
        return []
    flows = reader.manifest.flows
    if flows.work_without_launch is None:
        return [Note("info", _NO_ROOM)]
    if not flows.work_without_launch:
        return []
    steps = (yield from launched_steps(reader, reader.steps)).times
    if not (flows.edges or flows.derived or flows.ambiguous or flows.calls_without_work or steps):
        return [Note("info", "No launches were recorded.")]
    return [Note("info", text) for text in _texts(flows.work_without_launch, flows.ambiguous, bool(steps))]


def _texts(without_launch: int, ambiguous: int, has_steps: bool) -> Sequence[str]:
    """Sentences on work with a correlation."""
    alone = without_launch - ambiguous
    end = ": the step of such work is the one in which it starts." if has_steps else "."
    texts = []
    if alone:
        texts.append(f"Of {_slices(alone)} with a correlation the run has no launch{end}")
    if ambiguous:
        verb = "has" if ambiguous == 1 else "have"
        texts.append(f"{_slices(ambiguous)} {verb} a correlation that several launches have{end}")
    return texts


def _slices(count: int) -> str:
    return "1 slice of a device" if count == 1 else f"{count:,} slices of devices"
