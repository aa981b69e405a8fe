"""A JSON parser for text that profilers really write.

Accepts what Python's refuses: bad escapes (kept as written), doubled and trailing commas, Python's True, False and
None, decimals without a digit before or behind their point, and other words (NaN, 0xdeadbeef, +100, ncclFloat32), which
are text. Lone surrogates become U+FFFD. Without recursion: depth cannot break it.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal

_SPACE = re.compile(r"[ \t\r\n]*")
_SEPARATORS = re.compile(r"[ \t\r\n,]*")
_STRING = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"', re.DOTALL)
_TOKEN = re.compile(r"[0-9A-Za-z+\-._]+")
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)\Z")
_FLOAT = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\Z")
_ESCAPE = re.compile(
    r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\(.)", re.DOTALL
)
_SHORT_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
# As C and Python allow it, and JSON does not.
_SHORT_FLOAT = re.compile(r"-?(?:\.[0-9]+|[0-9]+\.)(?:[eE][+-]?[0-9]+)?\Z")
_WORDS: dict[str, object] = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_MAX_EXACT_EXPONENT = 400  # beyond, a float is zero or infinite, and a Decimal need not be asked


class NotJson(ValueError):
    """Not even in the tolerated dialects."""


class Pairs(list[tuple[str, object]]):
    """The members of an object in order, with repetitions."""


def parse(text: str) -> object:
    """The one value in `text`: None, bool, int, float, str, list or `Pairs`. Raises `NotJson`."""
    value, end = parse_at(text, 0)
    if _skip(_SPACE, text, end) != len(text):
        raise NotJson(f"more text at {end}")
    return value


def parse_at(text: str, position: int) -> tuple[object, int]:
    """The value that begins at `position`, and where it ends. Raises `NotJson`."""
    stack: list[list[object] | Pairs] = []
    names: list[str] = []  # of the members that the containers above the outermost one are
    position = _skip(_SPACE, text, position)
    while True:
        name = None
        if stack:
            position = _skip(_SEPARATORS, text, position)
            if text[position : position + 1] == ("}" if isinstance(stack[-1], Pairs) else "]"):
                position += 1
                value: object = stack.pop()
                if not stack:
                    break
                _add(stack[-1], names.pop(), value)
                continue
            if isinstance(stack[-1], Pairs):
                name, position = _name(text, position)
        if text[position : position + 1] in ("{", "["):
            if stack:
                names.append(name or "")
            stack.append(Pairs() if text[position] == "{" else [])
            position += 1
            continue
        value, position = _scalar(text, position)
        if not stack:
            break
        _add(stack[-1], name or "", value)
    return value, position


def exact_float(text: str) -> object:
    """A float; the text itself where a float would be another number, or infinite."""
    number = float(text)
    if not math.isfinite(number):
        return text
    mantissa, _, exponent = text.lower().partition("e")
    if len(mantissa) < 16 or (exponent and abs(int(exponent[:6])) > _MAX_EXACT_EXPONENT):
        return number  # a double holds 15 digits
    return number if Decimal(repr(number)) == Decimal(text) else text


def exact_int(text: str) -> object:
    """An int; the text where it has more digits than Python converts."""
    try:
        return int(text)
    except ValueError:
        return text


def _skip(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return position if match is None else match.end()


def _add(container: list[object] | Pairs, name: str, value: object) -> None:
    if isinstance(container, Pairs):
        container.append((name, value))
    else:
        container.append(value)


def _name(text: str, position: int) -> tuple[str, int]:
    match = _STRING.match(text, position)
    if match is None:
        raise NotJson(f"no name at {position}")
    position = _skip(_SPACE, text, match.end())
    if text[position : position + 1] != ":":
        raise NotJson(f"no colon at {position}")
    return _unescaped(match[1]), _skip(_SPACE, text, position + 1)


def _scalar(text: str, position: int) -> tuple[object, int]:
    if match := _STRING.match(text, position):
        return _unescaped(match[1]), match.end()
    match = _TOKEN.match(text, position)
    if match is None:
        raise NotJson(f"no value at {position}")
    token = match[0]
    if _INTEGER.match(token):
        return exact_int(token), match.end()
    if _FLOAT.match(token):
        return exact_float(token), match.end()
    if _SHORT_FLOAT.match(token):
        return exact_float(token), match.end()
    return _WORDS.get(token, token), match.end()


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(_unescape, text) if "\\" in text else text


def _unescape(match: re.Match[str]) -> str:
    high, low, code, short = match.groups()
    if high is not None:
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
    if code is not None:
        number = int(code, 16)
        return "\ufffd" if 0xD800 <= number < 0xE000 else chr(number)
    return _SHORT_ESCAPES.get(short, match[0])
