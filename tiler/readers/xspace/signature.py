"""Tells an XSpace by its first bytes."""

from __future__ import annotations

from typing import Final

from tilescope.tiler.details.wire import WireDamage
from tilescope.tiler.readers.format import Likeness
from tilescope.tiler.readers.perfetto.signature import is_perfetto
from tilescope.tiler.readers.text import is_text
from tilescope.tiler.readers.text_damage import find_text_damage
from tilescope.tiler.readers.wire_head import head_fields

_XSPACE_FIELDS: Final = (1, 2, 3, 4)
_FIRST_BYTES: Final = b"\x0a\x12\x1a\x22"  # tags of these
_PLANE_FIELDS: Final = {1: 0, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2}  # number → wire type


def looks_like_xspace(head: bytes) -> Likeness:
    """Certain, or none: also of a file that a text conversion has destroyed, which the reader names."""
    if is_text(head) or is_perfetto(head):
        return Likeness.NONE
    is_mangled = head[0] in _FIRST_BYTES and find_text_damage(head) is not None
    return Likeness.CERTAIN if is_mangled or _has_planes_or_texts(head) else Likeness.NONE


def _has_planes_or_texts(head: bytes) -> bool:
    """By its planes; where there is none in sight, its texts must be text."""
    seen = planes = 0
    texts = True
    try:
        for field in head_fields(head):
            if seen == 0 and (field.number not in _XSPACE_FIELDS or field.wire_type != 2):
                return False
            if field.number == 1 and not _is_plane(field.payload):
                return False
            planes += field.number == 1
            texts = texts and (field.number not in _XSPACE_FIELDS[1:] or field.is_utf8)
            seen += 1
    except WireDamage:
        return seen > 1 and (texts or planes > 0)  # begins well: damaged further on
    return seen > 0 and (texts or planes > 0)


def _is_plane(payload: bytes) -> bool:
    """True if the known fields of the first part of a plane are of the right wire type and its name is text.

    A name that is no text is made up for by two more fields.
    """
    known_fields = 0
    is_named = True
    try:
        for field in head_fields(payload):
            expected = _PLANE_FIELDS.get(field.number)
            known_fields += expected is not None
            if known_fields == 0 or expected not in (None, field.wire_type):
                return False
            is_named = is_named and (field.number != 2 or field.is_utf8)
    except WireDamage:
        return False
    return is_named or known_fields > 2
