"""Answers of tools with the places of tracks in stead of their numbers, which differ between runs of the same files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from itertools import islice
from typing import Any

from tests.client.tool_questions import Material, questions
from tilescope.tiler.errors import TilescopeError
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.tools import Scope, ask, from_values, tools, values_of
from tilescope.tiler.tools.answer import Column

Places = Mapping[int, str]

_LANE = re.compile(r"([a-z_]+\.[a-z_]+)-(\d+)")  # of one track
_TRACK_LISTS = ("makers", "tracks")  # columns
_OTHER_TRACKS = ("base_track",)  # columns of tracks of a run beside it, here the same run
# Questions about single tracks name them by numbers, which differ.
_OF_TRACKS = frozenset({"track", "tracks", "ordinal", "lane", "lanes", "event"})
_NUMBERS = ("more",)  # where the next rows begin, with numbers of tracks


def places(reader: QueryReader) -> Places:
    """Host, process, name and kind of each track."""
    tree = reader.tree
    return {
        track.id: " / ".join([*tree.hosts_of(track.id), *tree.processes_of(track.id), track.name, track.kind])
        for track in tree.tracks
    }


def placed(value: Any, places: Places, name: str = "") -> Any:
    """A value of an answer, comparable with that of another run. `name`: of the field or kind that it is of."""
    if isinstance(value, Column):
        kind = "tracks" if value.id in _TRACK_LISTS and value.kind == "text" else value.kind
        kind = "track" if value.id in _OTHER_TRACKS else kind
        return (value.id, value.title, value.unit, [placed(cell, places, kind) for cell in values_of(value)])
    if is_dataclass(value) and not isinstance(value, type):
        own = [field.name for field in fields(value) if not field.name.startswith("_")]
        return {field: placed(getattr(value, field), places, field) for field in own if field not in _NUMBERS}
    if isinstance(value, Mapping):
        return {key: placed(item, places, key) for key, item in value.items()}
    if name == "tracks" and isinstance(value, str):
        return [places[int(track)] for track in value.split(",") if track]
    if isinstance(value, str):
        track, dot, ordinal = value.partition(".")
        if name == "event" and dot and track.isdecimal():
            return f"{places[int(track)]}.{ordinal}"
        lane = _LANE.fullmatch(value)
        return f"{lane[1]}-{places[int(lane[2])]}" if lane else value
    if isinstance(value, (list, tuple)):
        return [placed(item, places, name) for item in value]
    if name in ("track", "tracks") and value is not None and not isinstance(value, str):
        return places[int(value)] if int(value) >= 0 else value
    return value.tolist() if hasattr(value, "tolist") else value


def answered_alike(whole: QueryReader, mounted: QueryReader, most: int | None) -> int:
    """Asks two runs of the same files `most` questions of each tool, or all there are. Returns how many were answered.

    Answers must be the same, or the reason why there is none.
    """
    numbers = places(whole), places(mounted)
    answered = 0
    for tool in tools().values():
        for values in islice(questions(tool, Material(whole, [])), most):
            if _OF_TRACKS & values.keys():
                continue
            try:
                question = from_values(tool.question, values)
            except TilescopeError:
                continue
            answers = [
                repr(placed(_answer(tool, reader, question), by_track))
                for reader, by_track in zip((whole, mounted), numbers, strict=True)
            ]
            assert answers[0] == answers[1], f"{tool.id} {values}"
            answered += 1
    return answered


def _answer(tool: Any, reader: QueryReader, question: Any) -> Any:
    try:
        return finish(ask(tool, Scope(reader), question))
    except TilescopeError as error:
        return f"{type(error).__name__}: {error}"
