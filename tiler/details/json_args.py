"""Arguments of trace-event JSON: the raw text of an event's members, as one JSON object.

`{"args": {…}, "cat": "…", "id": …}` without the members that are columns (name, ph, ts, dur, pid, tid). The text is as
tolerantly written as the file was: Python's decoder is tried first, `tolerant_json` reads what that refuses.
"""

from __future__ import annotations

import json

from tilescope.tiler.details.tolerant_json import NotJson, Pairs, exact_float, exact_int, parse

UNREADABLE = "[unreadable]"


def decode(raw: bytes, tables: bytes = b"") -> list[tuple[str, object]]:
    """One event's arguments as (name, value), in the order and with the repetitions of the file.

    The members of `args` come first, then `cat`, `id` and all others. NaN and infinities are None, invalid UTF-8 is
    replaced, numbers that a float cannot hold stay text. What is no JSON comes as one text. `tables` are not needed.
    """
    if not raw:
        return []
    text = raw.decode("utf-8", "replace")
    try:
        members = _parse(text)
    except NotJson:
        return [(UNREADABLE, text)]
    if not isinstance(members, Pairs):
        return [(UNREADABLE, text)]
    first: list[tuple[str, object]] = []
    after: list[tuple[str, object]] = []
    for name, value in members:
        if name == "args" and isinstance(value, Pairs):
            first += value
        elif name != "args" or value is not None:
            after.append((name, value))
    return [(name, _plain(value)) for name, value in first + after]


def _parse(text: str) -> object:
    if "\\ud" not in text and "\\uD" not in text:  # lone surrogates would come through, and fit into no UTF-8
        try:
            return json.loads(
                text,
                strict=False,
                parse_constant=lambda _: None,
                parse_float=exact_float,
                parse_int=exact_int,
                object_pairs_hook=Pairs,
            )
        except (ValueError, RecursionError):
            pass
    return parse(text)


def _plain(value: object) -> object:
    """Nested objects as dicts, of repeated names the last. Without recursion: depth is up to the writer of the file."""
    pending: list[list[object] | dict[str, object]] = []
    plain = _opened(value, pending)
    while pending:
        container = pending.pop()
        if isinstance(container, dict):
            for name, item in container.items():
                container[name] = _opened(item, pending)
        else:
            container[:] = [_opened(item, pending) for item in container]
    return plain


def _opened(value: object, pending: list[list[object] | dict[str, object]]) -> object:
    """A container as a dict or list whose items are still to be looked at; anything else as it is."""
    if not isinstance(value, list):
        return value
    container: list[object] | dict[str, object] = dict(value) if isinstance(value, Pairs) else list(value)
    pending.append(container)
    return container
