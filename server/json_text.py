"""JSON as the server writes it."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import msgspec


def json_body(value: Any) -> bytes:
    """Compact JSON of a struct, or of what JSON knows.

    NaN and infinity have no JSON form: whoever puts them here has made a mistake. Half surrogates, as in file names
    that are not UTF-8, become question marks.
    """
    if isinstance(value, msgspec.Struct):
        with suppress(UnicodeEncodeError):
            return msgspec.json.encode(value)
        value = msgspec.to_builtins(value)
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode(errors="replace")
