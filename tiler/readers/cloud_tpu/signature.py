"""Tells JSON of the Cloud TPU profiler's pages by what it begins with, and which page it is by all of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from tilescope.tiler.readers.format import Likeness
from tilescope.tiler.readers.text import BYTE_ORDER_MARK, WHITE_SPACE
from tilescope.tiler.readers.trace_event.signature import has_event_mark

# One of these keys of the outermost object tells a page.
PAGE_OF_KEY: Final[Mapping[str, str]] = {
    "podStatsSequence": "pod_viewer",
    "hloInfoMap": "pod_viewer",
    "byCategory": "op_profile",
    "byProgram": "op_profile",
    "byProgramExcludeIdle": "op_profile",
    "bufferAssignment": "memory_viewer",
    "hloModule": "memory_viewer",
    "heapSizes": "memory_viewer",
    "maxHeap": "memory_viewer",
}

_TYPES: Final = {key: list if key in ("heapSizes", "maxHeap") else dict for key in PAGE_OF_KEY}

# A list of tables is told by a column that only one page has.
PAGE_OF_COLUMN: Final[Mapping[str, str]] = {"selfTimePercent": "overview_page", "stepnum": "input_pipeline"}

_OBJECT: Final = re.compile(rb'\{\s*"(' + "|".join(PAGE_OF_KEY).encode() + rb')"\s*:')
_TABLES: Final = re.compile(
    rb'\[\s*\{\s*"cols"\s*:\s*\[.*?"id"\s*:\s*"(' + "|".join(PAGE_OF_COLUMN).encode() + rb')"', re.DOTALL
)


def looks_like_page(head: bytes) -> Likeness:
    """Pages have no events, which is what makes JSON a trace."""
    text = head.removeprefix(BYTE_ORDER_MARK).lstrip(WHITE_SPACE)
    if not (_OBJECT.match(text) or _TABLES.match(text)) or has_event_mark(text):
        return Likeness.NONE
    return Likeness.CERTAIN


def page_of(content: Any) -> str | None:
    """Name of the page that the content of a file is; None for an unknown one."""
    if isinstance(content, dict):
        return next((page for key, page in PAGE_OF_KEY.items() if isinstance(content.get(key), _TYPES[key])), None)
    tables = content if isinstance(content, list) else []
    columns = [table.get("cols") for table in tables if isinstance(table, dict)]
    named = (
        column.get("id")
        for column_list in columns
        if isinstance(column_list, list)
        for column in column_list
        if isinstance(column, dict)
    )
    ids = {name for name in named if isinstance(name, str)}
    return next((page for column, page in PAGE_OF_COLUMN.items() if column in ids), None)
