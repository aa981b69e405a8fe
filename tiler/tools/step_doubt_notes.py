"""The note on steps of MindSpore that may be divided wrongly."""

from __future__ import annotations

from tilescope.tiler.facts.ascend.step_doubts import step_doubts
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.tools.answer import Note


def step_doubt_notes(reader: QueryReader) -> Interruptible[list[Note]]:
    """A warning that names what the run has that MindSpore divides no steps for; nothing where it has none of it."""
    doubts = yield from step_doubts(reader)
    if not doubts or not reader.steps.series:
        return []
    first, last = doubts[:-1], doubts[-1]
    has = f"{', '.join(first)} and {last}" if first else last
    divided = "MindSpore divides those of one graph of fixed shapes, on one kind of device"
    return [Note("warning", f"steps may be divided wrongly: this run has {has}, and {divided}")]
