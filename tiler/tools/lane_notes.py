"""Sentences on what derived lanes leave out."""

from __future__ import annotations

from tilescope.tiler.facts.lanes.framework_paths import MAX_SCOPES


def deeper_scopes(paths: int) -> str:
    """The sentence on so many paths with more scopes than a lane has rows; empty for none."""
    if not paths:
        return ""
    paths_text = "one operation has" if paths == 1 else f"{paths:,} operations have"
    return f"{paths_text} more than {MAX_SCOPES} name scopes: those further in are not drawn"
