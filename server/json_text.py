"""JSON as the server writes it."""

from __future__ import annotations

import json
from typing import Any


def json_body(value: Any) -> bytes:
    """Compact JSON. NaN and infinity have no JSON form: whoever puts them here has made a mistake.

    Half surrogates, as in file names that are not UTF-8, become question marks.
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode(errors="replace")
