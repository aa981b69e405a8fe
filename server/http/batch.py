"""Many pages as one body: the frames of `POST …/batch`, see docs/api.md, "Batches".

A frame is a header of fixed size and a payload. The last frame says that nothing is missing: a body without it has been
cut off on its way.
"""

from __future__ import annotations

import json
import struct
from enum import IntEnum
from typing import Final

from tilescope.server.errors import BadRequest, answer_to, message_of
from tilescope.server.json_text import json_body
from tilescope.server.page_keys import parse_page_keys
from tilescope.tiler.pages import PageKey
from tilescope.tiler.schema import ErrorAnswer

CONTENT_TYPE: Final = "application/vnd.tilescope.batch"

# kind, 3 bytes of 0, payload length, block, level, slot, part, 0, index
_HEADER: Final = struct.Struct("<B3xIIBBBxQ")


class FrameKind(IntEnum):
    """Kind of a frame's content."""

    PAGE = 0  # a page or a residual as it is stored, one gzip member
    MISSING = 1  # there is no such one
    END = 2  # all has been sent
    ERROR = 3  # nothing follows; the JSON of an error


def parse_batch(body: bytes) -> tuple[PageKey, ...]:
    """The pages that are asked for, each once, in order. Raises `BadRequest`."""
    try:
        message = json.loads(body, parse_float=_number)
        if not isinstance(message, dict) or message.keys() != {"pages"}:
            raise ValueError('the body is {"pages": [[block, level, index, slot], …]}')
        return tuple(dict.fromkeys(parse_page_keys(message["pages"])))
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"a batch is a JSON list of pages: {error}") from None


def page_frame(key: PageKey, page: bytes | None) -> bytes:
    """The frame of a page, or of one that does not exist."""
    return _frame(FrameKind.MISSING, key) if page is None else _frame(FrameKind.PAGE, key, page)


def end_frame() -> bytes:
    """The last frame of a body that is complete."""
    return _frame(FrameKind.END)


def error_frame(error: Exception) -> bytes:
    """The last frame of a body that cannot be completed: what `answer_failures` would have said."""
    return _frame(FrameKind.ERROR, payload=json_body(ErrorAnswer.from_code(answer_to(error).code, message_of(error))))


def _number(text: str) -> int | float:
    """To JSON, 23.0 is an integer."""
    value = float(text)
    return int(value) if value.is_integer() else value


def _frame(kind: FrameKind, key: PageKey = PageKey(0, 0, 0, 0), payload: bytes = b"") -> bytes:  # noqa: B008 (a tuple)
    return _HEADER.pack(kind, len(payload), key.block, key.level, key.slot, key.part, key.index) + payload
