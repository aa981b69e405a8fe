"""Events of formats other than trace-event JSON, as events of that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from tilescope.tiler.export.cursor import Cursor
from tilescope.tiler.export.event_row import EventRow
from tilescope.tiler.export.event_text import args_text, quoted, value_text
from tilescope.tiler.export.flow_text import with_flows
from tilescope.tiler.export.ids import Ids
from tilescope.tiler.export.labels import Labels
from tilescope.tiler.export.times import Times
from tilescope.tiler.lookup.arguments import argument_decoder
from tilescope.tiler.query import QueryReader
from tilescope.tiler.schema import TreeTrack


class MadeEvents:
    """Slices that overlap only in part are on lanes, which are threads: viewers nest what is on one thread."""

    def __init__(self, reader: QueryReader, ids: Ids, labels: Labels, times: Times) -> None:
        self._reader = reader
        self._ids = ids
        self._labels = labels
        self._times = times
        tracks = reader.tree.tracks
        self._decoder = lru_cache(1)(lambda track: argument_decoder(reader.store, reader.file_of(track)))
        self._alike = Counter(_place(track) for track in tracks if track.kind == "counter")

    def text(self, track: int, row: EventRow, cursor: Cursor) -> Iterator[str]:
        """An event of a track, and what belongs to it."""
        kind = self._reader.tree.tracks[track].kind
        start_member = self._times.ts_member(row.start)
        if kind == "counter":
            tree_track = self._reader.tree.tracks[track]
            # Its number tells it from others that have its name.
            ids = self._ids.of_track(track) + (f',"id":{track}' if self._alike[_place(tree_track)] > 1 else "")
            value = value_text(row.value)
            yield f'{{"ph":"C","name":{quoted(tree_track.name)}{ids}{start_member},"args":{{"value":{value}}}}}'
            return
        what = row.what
        args = self._decoder(track)(row.raw)
        args_member = f',"args":{args_text(args)}' if args else ""
        if kind == "slice":
            yield from self._slice(track, row, f"{what}{args_member}", cursor)
        elif kind == "async":
            # Begin and end are told from others by the category, too.
            what += "" if '"cat":' in what else ',"cat":"async"'
            ids = f',"id":"{track + 1:#x}{row.ordinal:010x}"{self._ids.of_track(track)}'
            yield f'{{"ph":"b"{what}{args_member}{ids}{start_member}}}'
            yield f'{{"ph":"e"{what}{ids}{self._times.ts_member(row.start + row.duration)}}}'
        else:
            yield f'{{"ph":"i","s":"t"{what}{args_member}{self._ids.of_track(track)}{start_member}}}'

    def _slice(self, track: int, row: EventRow, what: str, cursor: Cursor) -> Iterator[str]:
        lanes = len(cursor.lanes)
        lane = cursor.lanes.place(row.start, row.start + row.duration)
        if lane and lane >= lanes:
            yield from self._labels.of_lane(track, lane)
        ids = self._ids.of_track(track, lane)
        event = f'{{"ph":"X"{what}{ids}{self._times.ts_member(row.start)}{self._times.lasting(row.duration)}}}'
        yield from with_flows(event, row, ids, self._times, is_first=cursor.lanes.is_first)


def _place(track: TreeTrack) -> tuple[int, str]:
    return track.group, track.name
