"""Note about chains that are cut, for they are deeper than was asked for."""

from __future__ import annotations

from collections.abc import Sequence

from tilescope.tiler.count_text import plural
from tilescope.tiler.tools.answer import Note


def depth_note(levels: int, depth: int) -> Sequence[Note]:
    """Number of levels that are listed, where these are not all."""
    if levels <= depth:
        return []
    text = f"chains have up to {levels:,} levels, of which {plural(depth, 'is', 'are')} listed"
    return [Note("info", f"{text}: a greater depth lists more")]
