"""Answers of tools about a whole run, which an archive may keep: they are shown where no server works them out."""

from __future__ import annotations

from typing import Final

from tilescope.tiler.records.record import Available, Record

ANSWERS: Final = Record(
    "z",
    "answer",
    "answer {answer}",
    Available.AT_END,
    doc="JSON of the answer of a tool about the whole run; of archives alone, whose manifest names the tools",
    proof="that there are as many as the manifest names, and that each is JSON",
)
