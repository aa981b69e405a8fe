"""Notes on which of several files about the same work an answer is of."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tilescope.tiler.tools.answer import Note


def source_notes(used: Collection[str], there: Sequence[str], subject: str) -> list[Note]:
    """A note where the run has other sources than those that are used, which a question may name."""
    others = ", ".join(source for source in there if source not in used)
    if not others:
        return []
    if not used:
        return [Note("warning", f"no file is of this source: there are {others}")]
    names = ", ".join(source for source in there if source in used)
    return [
        Note(
            "info",
            f"{subject} are of {names}, the most exact files of the same work; for others, name a source: {others}",
        )
    ]
