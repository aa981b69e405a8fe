"""Texts as sentences, whoever wrote their parts."""

from __future__ import annotations

import re
from typing import Final

# A plain word. Names of a trace mostly have digits, points, dashes or underscores, or are quoted. One that is a plain
# word gets a capital, too: notes do not begin with such names.
_PLAIN: Final = re.compile(r"[a-z][a-z']*[ ,:]")

_ENDS: Final = (".", "!", "?", "…")


def sentence(text: str) -> str:
    """The text with a capital at its begin, unless a name stands there, and a full stop at its end."""
    if _PLAIN.match(text):
        text = text[0].upper() + text[1:]
    return text if not text or text.endswith(_ENDS) else f"{text}."
