"""First questions of the viewer's pages, where they are not the usual ones of their tools.

An archive that keeps the answer of a tool keeps these, too: or its page would find none (tests/browser/
test_archive_pages.py opens each).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tilescope.tiler.query import QueryReader

_QUESTIONS: Final = {
    "call_tree": "limit=10000",
    "memory_viewer": "limit=5000",
    "op_profile": "by=category&limit=10",
}


def page_questions(tool: str, reader: QueryReader) -> Sequence[str]:
    """The questions of a tool's page, with the tool before them: `op_profile?by=category&limit=10`."""
    if tool == "heat_map":
        return (f"heat_map?level={_coarsest_level(reader)}&rows=2048&columns=1024",)
    return (f"{tool}?{_QUESTIONS[tool]}",) if tool in _QUESTIONS else ()


def _coarsest_level(reader: QueryReader) -> str:
    counts = Counter(group.kind for group in reader.tree.groups)
    return "host" if counts["host"] > 1 else "process" if counts["process"] > 1 else "track"
