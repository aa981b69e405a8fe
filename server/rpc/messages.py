"""From the JSON of docs/api.md to messages: their fields have the same names.

64-bit integers are decimal text in JSON and integers in messages, and null is a field that is not set: the JSON mapping
of protobuf has it so, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from google.protobuf import json_format
from google.protobuf.message import Message

M = TypeVar("M", bound=Message)


def to_message(value: Mapping[str, Any], message: M) -> M:
    """Fills a message; members that it does not know (of a later version of the answers) are left out."""
    return json_format.ParseDict(dict(value), message, ignore_unknown_fields=True)
