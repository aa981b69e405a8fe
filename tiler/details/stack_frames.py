"""The dictionary `stackFrames` of trace-event JSON: call stacks, which events name by the id of the innermost frame.

A frame is `{"name": "f", "category": "c", "parent": "7"}` under its id. Ids are compared as text, since writers mix
numbers and strings.
"""

from __future__ import annotations

import msgspec
from msgspec import Raw, Struct

# Of a dictionary that is read; events show their ids alone where it is larger.
MAX_BYTES = 16 << 20

# Of a stack: deeper ones, and those that are a circle, end there.
MAX_FRAMES = 1000


class _Frame(Struct, frozen=True):
    name: str | int | float | None = None
    parent: str | int | None = None


class StackFrames:
    """The frames of a file. Each is decoded when it is asked for: there may be hundreds of thousands."""

    def __init__(self, *texts: bytes) -> None:
        """`texts` are values of members `stackFrames`; one that is no JSON object has no frames. The first counts."""
        self._frames: dict[str, Raw] = {}
        for text in texts:
            try:
                decoded = msgspec.json.decode(text.decode("utf-8", "replace"), type=dict[str, Raw])
            except (msgspec.DecodeError, RecursionError):
                continue
            self._frames = {**decoded, **self._frames}

    def stack(self, frame: object) -> list[str]:
        """The names of the frames of a stack, the outermost first, by the id of the innermost; empty: there is none."""
        names: list[str] = []
        seen: set[str] = set()
        frame_id = _id_of(frame)
        while frame_id is not None and frame_id not in seen and frame_id in self._frames and len(names) < MAX_FRAMES:
            seen.add(frame_id)
            try:
                decoded = msgspec.json.decode(self._frames[frame_id], type=_Frame)
            except (msgspec.DecodeError, RecursionError):
                break
            names.append(frame_id if decoded.name is None else str(decoded.name))
            frame_id = _id_of(decoded.parent)
        return names[::-1]


def _id_of(value: object) -> str | None:
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else None
