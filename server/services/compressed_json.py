"""Answers to questions as HTTP sends them: JSON, compressed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from msgspec import Struct

from tilescope.server.json_text import json_body
from tilescope.server.services.tasks import EventPart
from tilescope.tiler.pages import SliceFlag, compress
from tilescope.tiler.query import Name
from tilescope.tiler.schema import EventColumns, Events


def json_member(answer: Struct) -> bytes:
    """Any answer."""
    return compress(json_body(answer))


def events_member(parts: Sequence[EventPart], has_more: bool) -> bytes:
    """Events as columns."""
    events = [part.events for part in parts if len(part.events)]
    names: dict[int, Name] = dict(chain.from_iterable(part.names.items() for part in parts))
    used = sorted(set(chain.from_iterable(e.name.tolist() for e in events)))
    last = None
    if has_more and events:
        last = f"{events[-1].start[-1]},{events[-1].track},{events[-1].ordinal[-1]}"

    def column(name: str) -> list[int]:
        return list(chain.from_iterable(getattr(e, name).tolist() for e in events))

    columns = EventColumns(
        track=list(chain.from_iterable([e.track] * len(e) for e in events)),
        ordinal=[str(value) for value in column("ordinal")],
        name_id=column("name"),
        start=[str(value) for value in column("start")],
        duration=[str(value) for value in column("duration")],
        row=column("row"),
        open=[bool(flags & SliceFlag.OPEN) for flags in column("flags")],
        flags=column("flags"),
        value=[value if value - value == 0 else None for value in column("value")],
    )
    name_table = {str(name): (names[name].text, names[name].category) for name in used}
    return json_member(Events(columns=columns, names=name_table, after=last))
