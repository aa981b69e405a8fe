"""Call stacks of events that say them by the id of a frame: `sf` and `esf` of trace-event JSON."""

from __future__ import annotations

import re
from typing import Final

from tilescope.tiler.details.codec import Arguments
from tilescope.tiler.details.stack_frames import MAX_BYTES, StackFrames
from tilescope.tiler.lookup.kept import kept_with_store
from tilescope.tiler.records.attachments import ATTACHMENTS
from tilescope.tiler.schema import CallStack
from tilescope.tiler.store.attachments import content, listed
from tilescope.tiler.store.store import Store

REFER: Final = ("sf", "esf")  # where an event begins, and where it ends
_MEMBER: Final = re.compile(r"json/stackFrames(~\d+)?")


def call_stacks(store: Store, file: int, arguments: Arguments) -> list[CallStack]:
    """The stacks that arguments of an event of a file refer to, in their order. Raises DamagedStore."""
    return [
        CallStack(argument=name, frames=frames)
        for name, value in arguments
        if name in REFER and (frames := _stack_frames(store, file).stack(value))
    ]


@kept_with_store(4)
def _stack_frames(store: Store, file: int) -> StackFrames:
    record = store.get(ATTACHMENTS)
    return StackFrames(
        *(
            b"".join(content(store, entry))
            for entry in (() if record is None else listed(record))
            if entry.file == file and _MEMBER.fullmatch(entry.name) and entry.size_bytes <= MAX_BYTES
        )
    )
