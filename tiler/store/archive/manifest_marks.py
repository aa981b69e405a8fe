"""Members of an archive's manifest beside those of its store: lacking parts, kept answers, shifts of clocks.

A part that was left out is a warning as well, so that whatever shows a manifest shows it to people.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from msgspec import to_builtins

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.schema import ClockShift
from tilescope.tiler.store.archive.left_out import PARTS, reason

_LEFT_OUT: Final = "left_out"
_ANSWERS: Final = "answers"


def marked_manifest(
    manifest: Mapping[str, Any], parts: Collection[str], tools: Collection[str], shifts: Sequence[ClockShift] = ()
) -> dict[str, Any]:
    """The stored manifest of an archive without these parts, which keeps answers of these tools or those it has.

    `shifts`: those of the run; without any it has those that are stored.
    """
    marked = dict(manifest)
    if shifts:
        marked["public"] = {**marked["public"], "shifts": to_builtins(shifts)}
    if tools:
        marked[_ANSWERS] = list(tools)
    if parts:
        public = marked["public"]
        marked |= {_LEFT_OUT: list(parts), "public": {**public, "warnings": [*public["warnings"], reason(parts)]}}
    return marked


def left_out_parts(manifest: Mapping[str, Any], location: str) -> list[str]:
    """Names of the parts that an archive lacks. Raises DamagedStore."""
    parts = manifest.get(_LEFT_OUT, [])
    if not isinstance(parts, list) or any(not isinstance(name, str) or name not in PARTS for name in parts):
        raise DamagedStore(f"{location}: the manifest is damaged: what was left out makes no sense")
    return parts
