"""Events as text of trace-event JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

_PS_PER_US: Final = 10**6

# One for all: to make one takes longer than most values do.
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def microseconds(ps: int) -> str:
    """The time as a decimal number of microseconds, exactly: 1234567 → "1.234567"."""
    whole, part = divmod(abs(ps), _PS_PER_US)
    text = f"{whole}.{part:06d}".rstrip("0").rstrip(".") if part else str(whole)
    return f"-{text}" if ps < 0 else text


def args_text(args: Sequence[tuple[str, object]]) -> str:
    """Arguments as a JSON object, in their order. Of those that share a name all but the first get another one.

    Readers of JSON keep one of several: `tts`, which a begin and its end both have, becomes `tts` and `tts_2`.
    """
    names = [name for name, _ in args]
    if len(set(names)) < len(names):
        names = distinct(names)
    return (
        f"{{{','.join(f'{quoted(name)}:{value_text(value)}' for name, (_, value) in zip(names, args, strict=True))}}}"
    )


def distinct(names: Sequence[str]) -> list[str]:
    """The names, of which all but the first of several that are the same have a number behind them."""
    taken = set(names)
    written: dict[str, int] = {}  # how often a name has come
    distinct_names = []
    for name in names:
        number = written.get(name, 0) + 1
        shown = name
        while number > 1 and (shown := f"{name}_{number}") in taken:
            number += 1
        written[name] = number
        taken.add(shown)
        distinct_names.append(shown)
    return distinct_names


def value_text(value: object) -> str:
    """Any JSON value. Numbers that are not finite, which JSON does not have, become text."""
    try:
        return _ENCODER.encode(value)
    except ValueError:
        return _ENCODER.encode(_finite(value))


@lru_cache(4096)
def quoted(text: str) -> str:
    """The text as JSON has it."""
    return _ENCODER.encode(text)


def joined(events: Iterable[str]) -> bytes:
    """One event per line, each with the comma that parts it from the one before."""
    return "".join(f",\n{event}" for event in events).encode("utf-8", "replace")


def _finite(value: object) -> object:
    if isinstance(value, float) and value - value != 0:
        return str(value)
    if isinstance(value, dict):
        return {str(name): _finite(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return value
