"""The number of ranks of the job that a run is of, as its files say it, whether or not all of them were recorded."""

from __future__ import annotations

import json
from typing import Final

from tilescope.tiler.query import QueryReader
from tilescope.tiler.store.attachments import attachments_of, content

# The name under which the store keeps that member of trace-event files.
_INFO: Final = "json/distributedInfo"

# Bytes of that member: it has a few entries for each group of ranks. What is larger is not read.
_MOST_BYTES: Final = 4 << 20


def world_size(reader: QueryReader) -> int:
    """The number of ranks of the job; 0 where no file says it. Raises DamagedStore."""
    entries = [entry for entry in attachments_of(reader.store) if entry.name == _INFO]
    if not entries or entries[0].size_bytes > _MOST_BYTES:
        return 0
    try:
        info = json.loads(b"".join(content(reader.store, entries[0])))
    except (ValueError, RecursionError):
        return 0
    size = info.get("world_size") if isinstance(info, dict) else None
    return size if isinstance(size, int) else 0
