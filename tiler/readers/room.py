"""The name of `memory_budget.py` in version 0.2.0: format packages that were written for it import `Room` from here."""

from __future__ import annotations

from tilescope.tiler.readers.memory_budget import (
    ATTACHMENT_BYTES,
    COMPARED_SLICE_BYTES,
    FLOW_END_BYTES,
    ID_BYTES,
    ID_COPIES,
    MAX_ATTACHMENTS,
    NAME_BYTES,
    NAME_COPIES,
    OPEN_SLICE_BYTES,
    PROCESS_BYTES,
    SHARED_ASYNC_BYTES,
    THREAD_BYTES,
    TRACK_BYTES,
    Room,
)

__all__ = [
    "ATTACHMENT_BYTES",
    "COMPARED_SLICE_BYTES",
    "FLOW_END_BYTES",
    "ID_BYTES",
    "ID_COPIES",
    "MAX_ATTACHMENTS",
    "NAME_BYTES",
    "NAME_COPIES",
    "OPEN_SLICE_BYTES",
    "PROCESS_BYTES",
    "SHARED_ASYNC_BYTES",
    "THREAD_BYTES",
    "TRACK_BYTES",
    "Room",
]
