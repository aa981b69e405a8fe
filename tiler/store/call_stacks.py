"""Call stacks of events that say them by the id of a frame: `sf` and `esf` of trace-event JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Final

from tilescope.tiler.details.codec import Arguments
from tilescope.tiler.details.stack_frames import MAX_BYTES, StackFrames
from tilescope.tiler.schema import CallStack
from tilescope.tiler.store.attachments import AttachmentEntry, content, listed

REFER: Final = ("sf", "esf")  # where an event begins, and where it ends
_MEMBER: Final = re.compile(r"json/stackFrames(~\d+)?")


class CallStacks:
    """Those of the events of a store. A file's frames are read when an event first refers to them."""

    def __init__(self, record: Callable[[], bytes | None], chunk: Callable[[int, int], bytes]) -> None:
        """`record` gives the list of attachments, `chunk` a chunk of one by its number."""
        self._record = record
        self._chunk = chunk
        self._kept = lru_cache(4)(self._read)

    def of(self, file: int, arguments: Arguments) -> list[CallStack]:
        """The stacks that arguments of an event refer to, in their order. Raises DamagedStore."""
        stacks = []
        for name, value in arguments:
            if name in REFER and (frames := self._kept(file).stack(value)):
                stacks.append(CallStack(argument=name, frames=frames))
        return stacks

    def _read(self, file: int) -> StackFrames:
        record = self._record()
        entries: Sequence[AttachmentEntry] = () if record is None else listed(record)
        return StackFrames(
            *(
                b"".join(content(entry, partial(self._chunk, entry.id)))
                for entry in entries
                if entry.file == file and _MEMBER.fullmatch(entry.name) and entry.size_bytes <= MAX_BYTES
            )
        )
