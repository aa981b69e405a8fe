"""Members of a trace-event file's event beside its columns, as text: as it stood there, where that is sound JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from tilescope.tiler.details import json_args
from tilescope.tiler.details.tolerant_json import Pairs
from tilescope.tiler.export.event_text import args_text, distinct, quoted, value_text


class EventMembers:
    """Members of one event, or of the begin or the end of one. `text` has a comma in front, or is empty."""

    def __init__(self, text: str, pairs: Mapping[str, Any]) -> None:
        self.text = text
        self._pairs = pairs

    def __contains__(self, name: str) -> bool:
        return name in self._pairs

    def get(self, name: str) -> Any:
        """The value of a member, None where there is none."""
        return self._pairs.get(name)

    def changed(self, change: Callable[[str, Any], Any]) -> EventMembers:
        """The same with other values: `change` has name and value of each member. Itself, where none is another."""
        pairs = {name: change(name, value) for name, value in self._pairs.items()}
        return self if pairs == self._pairs else _of_pairs(Pairs(pairs.items()))

    def with_arguments(self, names: frozenset[str]) -> EventMembers:
        """The same, in which some members are arguments."""
        if names.isdisjoint(self._pairs):
            return self
        args = self._pairs.get("args")
        moved = [(name, value) for name, value in self._pairs.items() if name in names]
        arguments = Pairs([*(args.items() if isinstance(args, dict) else args or ()), *moved])
        others = [(name, value) for name, value in self._pairs.items() if name not in names and name != "args"]
        return _of_pairs(Pairs([("args", arguments), *others]))


NOTHING: Final = EventMembers("", {})


def read_members(raw: bytes) -> list[EventMembers]:
    """Members of an event, or of its begin and its end, from the bytes that the store has."""
    try:
        return list(_as_written(raw.decode()))
    except (ValueError, RecursionError):
        return [_of_pairs(pairs) for pairs in json_args.members(raw)]


def _as_written(text: str) -> Iterator[EventMembers]:
    position = 0
    while position < len(text):
        pairs, end = _STRICT.raw_decode(text, position)
        inner = text[position + 1 : end - 1].strip()
        yield EventMembers(f",{inner}" if inner else "", pairs)
        position = end


def _of_pairs(pairs: Pairs) -> EventMembers:
    names = distinct([name for name, _ in pairs])
    texts = [f",{quoted(name)}:{_text(value)}" for name, (_, value) in zip(names, pairs, strict=True)]
    return EventMembers("".join(texts), dict(zip(names, (value for _, value in pairs), strict=True)))


def _text(value: object) -> str:
    """Text of a member; of its own members all are kept, though several have one name."""
    if isinstance(value, Pairs):
        return args_text([(name, json_args.plain(inner)) for name, inner in value])
    return value_text(json_args.plain(value))


class _RepeatedName(ValueError):
    pass


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) < len(pairs):
        raise _RepeatedName
    return unique


def _refuse(word: str) -> None:
    raise ValueError(word)


_STRICT: Final = json.JSONDecoder(parse_constant=_refuse, object_pairs_hook=_unique)
