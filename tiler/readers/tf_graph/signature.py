"""Tells graphs of TensorFlow models by their first bytes, and which form they have."""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Final

from tilescope.tiler.details.wire import WireDamage
from tilescope.tiler.readers.format import Likeness
from tilescope.tiler.readers.text import BYTE_ORDER_MARK, is_text
from tilescope.tiler.readers.wire_head import HeadField, head_fields


class Form(Enum):
    """Form in which a graph lies in a file."""

    GRAPH = auto()  # GraphDef
    SAVED_MODEL = auto()
    EVENTS = auto()  # records of TensorBoard
    TEXT = auto()


_TEXT: Final = re.compile(rb"(\s|#[^\n]{0,1000}\n)*(node|versions|library)\s*:?\s*[{<]\s*[a-z_]+\s*[:{<]")
_VERSION: Final = b"brain.Event:"
_VERSION_PLACE: Final = 12 + 9 + 2  # behind the head of a record, a time, and the tag and length of the version
_OP: Final = re.compile(rb"[A-Za-z_>][A-Za-z0-9_>]*$")
_LENGTH: Final = 2  # wire type


def form_of(head: bytes) -> Form | None:
    """The form of a file that begins so; None: it is no graph."""
    if head[_VERSION_PLACE:].startswith(_VERSION):
        return Form.EVENTS
    text = head.removeprefix(BYTE_ORDER_MARK)
    if is_text(text[:64]) and _TEXT.match(text):
        return Form.TEXT
    try:
        first = next(head_fields(head), None)
        if first is None:
            return None
        if first.number == 1 and first.wire_type == _LENGTH and _is_node(first):
            return Form.GRAPH
        # A SavedModel has its version first, and its graphs in the second field.
        if first.number == 1 and first.wire_type == 0:
            second = next((field for place, field in enumerate(head_fields(head)) if place == 1), None)
            if second is not None and second.number == _LENGTH and second.wire_type == _LENGTH and _holds_graph(second):
                return Form.SAVED_MODEL
    except WireDamage:
        pass
    return None


def looks_like_graph(head: bytes) -> Likeness:
    """Certain or not at all."""
    return Likeness.NONE if form_of(head) is None else Likeness.CERTAIN


def _is_node(field: HeadField) -> bool:
    """True if it has a name and an operation, in this order: a plane of an XSpace begins with a number, or has none."""
    fields = head_fields(field.payload)
    name, op = next(fields, None), next(fields, None)
    return (
        name is not None
        and op is not None
        and (name.number, name.wire_type, op.number, op.wire_type) == (1, _LENGTH, 2, _LENGTH)
        and name.is_utf8
        and 0 < len(op.payload) <= 200
        and _OP.match(op.payload) is not None
        and b"/device:" not in name.payload
    )


def _holds_graph(field: HeadField) -> bool:
    """True if it begins as a graph with its description does."""
    first = next(head_fields(field.payload), None)
    return first is not None and first.number in (1, 2) and first.wire_type == _LENGTH
