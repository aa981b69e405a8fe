"""Arguments of trace-event JSON: the raw text of an event's members, as one JSON object.

`{"args": {…}, "id": …}` without the members that are columns (name, cat, ph, ts, dur, pid, tid). For a slice of
a begin and an end, the object of the end follows that of the begin. The text is as tolerantly written as the file was:
Python's decoder is tried first, `tolerant_json` reads what that refuses.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.details.codec import UNREADABLE, ArgsCodec
from tilescope.tiler.details.tolerant_json import NotJson, Pairs, exact_float, exact_int, parse_at
from tilescope.tiler.details.values import ValueKind, Values

_STRICT = json.JSONDecoder(
    strict=False,
    parse_constant=str,
    parse_float=exact_float,
    parse_int=exact_int,
    object_pairs_hook=Pairs,
)


def decode(raw: bytes, tables: bytes = b"") -> list[tuple[str, object]]:
    """One event's arguments as (name, value), in the order and with the repetitions of the file.

    The members of `args` come first, then `id` and all others; of an end, only what the begin does not say, too.
    NaN, infinities and other bare words are text, and so are numbers that a float cannot hold; invalid UTF-8 is
    replaced. What is no JSON comes as one text. `tables` are not needed.
    """
    text = raw.decode("utf-8", "replace")
    first: list[tuple[str, object]] = []
    after: list[tuple[str, object]] = []
    position = 0
    while position < len(text):
        try:
            members, end = _parse_at(text, position)
        except NotJson:
            members, end = None, len(text)
        if not isinstance(members, Pairs):
            after.append((UNREADABLE, text[position:]))
            break
        arguments, others = _sorted_out(members)
        if position > 0:
            arguments, others = _without(first, arguments), _without(after, others)
        first += arguments
        after += others
        position = end
    return first + after


def members(raw: bytes) -> list[Pairs]:
    """The members of one event that no column holds: those of its begin and, if it has one, of its end.

    What is no JSON comes as arguments.
    """
    text = raw.decode("utf-8", "replace")
    events: list[Pairs] = []
    position = 0
    while position < len(text):
        try:
            value, end = _parse_at(text, position)
        except NotJson:
            value, end = None, len(text)
        events.append(value if isinstance(value, Pairs) else Pairs([("args", Pairs([(UNREADABLE, text[position:])]))]))
        position = end
    return events


def _without(seen_pairs: list[tuple[str, object]], pairs: list[tuple[str, object]]) -> list[tuple[str, object]]:
    """The pairs that are not known; lists and objects are not compared."""

    def identity(name: str, value: object) -> tuple[str, type, object]:
        return (name, type(value), value)

    seen = {identity(*pair) for pair in seen_pairs if not isinstance(pair[1], list | dict)}
    return [pair for pair in pairs if isinstance(pair[1], list | dict) or identity(*pair) not in seen]


def _sorted_out(members: Pairs) -> tuple[list[tuple[str, object]], list[tuple[str, object]]]:
    """The members of `args`, and the other members."""
    arguments: list[tuple[str, object]] = []
    others: list[tuple[str, object]] = []
    for name, value in members:
        if name == "args" and isinstance(value, Pairs):
            arguments += [(argument, plain(argument_value)) for argument, argument_value in value]
        elif name != "args" or value is not None:
            others.append((name, plain(value)))
    return arguments, others


def _parse_at(text: str, position: int) -> tuple[object, int]:
    if "\\ud" not in text and "\\uD" not in text:  # lone surrogates would come through, and fit into no UTF-8
        try:
            return _STRICT.raw_decode(text, position)
        except (ValueError, RecursionError):
            pass
    return parse_at(text, position)


def plain(value: object) -> object:
    """Nested objects as dicts, of repeated names the last. Without recursion: depth is up to the writer of the file."""
    pending: list[list[object] | dict[str, object]] = []
    outer = _opened(value, pending)
    while pending:
        container = pending.pop()
        if isinstance(container, dict):
            for name, item in container.items():
                container[name] = _opened(item, pending)
        else:
            container[:] = [_opened(item, pending) for item in container]
    return outer


def _opened(value: object, pending: list[list[object] | dict[str, object]]) -> object:
    """A container as a dict or list whose items are still to be looked at; anything else as it is."""
    if not isinstance(value, list):
        return value
    container: list[object] | dict[str, object] = dict(value) if isinstance(value, Pairs) else list(value)
    pending.append(container)
    return container


def _values(
    args_end: NDArray[np.int64], args: NDArray[np.uint8], rows: NDArray[np.int64], names: Sequence[str], tables: bytes
) -> list[Values]:
    """As `ReadValues` says; what is no plain JSON is unclear."""
    # Names that may stand for something else in the text; none is a quotation mark.
    are_unclear = [name == UNREADABLE or "\ufffd" in name or not _is_utf8(name) for name in names]
    wanted = ['"' if is_unclear else name for name, is_unclear in zip(names, are_unclear, strict=True)]
    columns, texts = _native.json_values(args_end, args, rows, wanted)
    objects: list[object] = [text.decode() for text in texts]
    columns_of_names = [Values(kind, bits, objects) for kind, bits in columns]
    for values, is_unclear in zip(columns_of_names, are_unclear, strict=True):
        if is_unclear:
            values.kind[:] = ValueKind.UNCLEAR
    return columns_of_names


def _is_utf8(text: str) -> bool:
    return not any("\ud800" <= c <= "\udfff" for c in text)


CODEC: Final = ArgsCodec(id="json", decode=decode, values=_values)
