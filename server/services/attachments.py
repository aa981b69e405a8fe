"""Lookup of the attachment that a client asks for."""

from __future__ import annotations

from tilescope.server.errors import NotFound
from tilescope.server.runs.store import ServedStore
from tilescope.tiler.errors import NotBuilt
from tilescope.tiler.store.attachments import AttachmentEntry, entry_of


def attachment_of(store: ServedStore, number: int) -> AttachmentEntry:
    """The entry of that id. Raises `NotFound`, and `NotBuilt` while the run is indexed."""
    record = store.attachments()
    if record is None:
        raise NotBuilt(f"there are no attachments in build {store.build} yet")
    entry = entry_of(record, number)
    if entry is None:
        raise NotFound(f"there is no attachment {number} in build {store.build}")
    return entry
