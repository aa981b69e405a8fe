"""Tells trace-event JSON by its first bytes.

An XSpace begins with 0A, which is white space in JSON, and its second byte, a length, may well be an opening brace.
What decides is that protobuf tags are control characters, which JSON does not have outside of strings.
"""

from __future__ import annotations

import re
from typing import Final

from tilescope.tiler.readers.format import Likeness
from tilescope.tiler.readers.text import BYTE_ORDER_MARK, WHITE_SPACE, is_text

# Names of members, of which one is in every trace that is not empty; as values they may be in any JSON.
_EVENT_MARK: Final = re.compile(rb'"(?:ph|traceEvents)"\s*(?::|\Z)')

_AFTER_BRACE: Final = b"\"'}/,{"
_AFTER_BRACKET: Final = b"{]\"'/,[n-0123456789"
_PEEKED_TEXT_BYTES: Final = 8
_WITHOUT_EVENTS: Final = (b"", b"[]")


def looks_like_trace_event(head: bytes) -> Likeness:
    """JSON is many things: only events, or the name of their list, make a trace of it."""
    text = head.removeprefix(BYTE_ORDER_MARK).lstrip(WHITE_SPACE)
    if not _begins_as_json(text):
        return Likeness.NONE
    if has_event_mark(text):
        return Likeness.CERTAIN
    return Likeness.EMPTY if text.rstrip() in _WITHOUT_EVENTS else Likeness.BEGINS


def has_event_mark(text: bytes) -> bool:
    """True if the first bytes of a file name a member that trace events have."""
    return _EVENT_MARK.search(text) is not None


def _begins_as_json(text: bytes) -> bool:
    """True if it begins as JSON, or as what the reader refuses with line and column: strings and comments."""
    if not text:
        return True
    if text[:1] in (b"{", b"["):
        after = text[1:].lstrip(WHITE_SPACE)
        expected = _AFTER_BRACE if text[:1] == b"{" else _AFTER_BRACKET
        return not after or (after[0] in expected and is_text(text[:_PEEKED_TEXT_BYTES]))
    return text.startswith((b'"', b"'", b"//", b"/*")) and is_text(text)
