"""Events of trace-event files as they were written there: with their phases, ids and members."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterator
from hashlib import blake2b
from typing import Any, Final

from tilescope.tiler.columns import Identity, TrackOrigin
from tilescope.tiler.export.cursor import Cursor
from tilescope.tiler.export.event_row import EventRow
from tilescope.tiler.export.event_text import quoted, value_text
from tilescope.tiler.export.flow_text import with_flows
from tilescope.tiler.export.ids import Ids
from tilescope.tiler.export.members_text import NOTHING, EventMembers, read_members
from tilescope.tiler.export.times import Times
from tilescope.tiler.pages import SliceFlag
from tilescope.tiler.records.origins import Origins

# They make flows of slices, which are written as flow ends where some of the slices are left out.
_BINDING: Final = frozenset({"bind_id", "flow_in", "flow_out"})

_IDENTIFIED: Final = frozenset("bnestfSTpF")  # phases whose ids are those of the whole trace
_IDENTIFYING: Final = ("id", "id2", "scope", "tid")

_Counter = tuple[int, Identity, str, str]  # file, pid, name, id


class SourceEvents:
    """Events of all tracks (`is_whole`) or of some. A begin and an end that have members each are two events."""

    def __init__(
        self,
        ids: Ids,
        origins: Origins,
        files: list[int],
        times: Times,
        tracks: Collection[int],
        *,
        is_whole: bool,
    ) -> None:
        """`files`: of each track."""
        self._ids = ids
        self._origins = origins
        self._files = files
        self._times = times
        self._is_whole = is_whole
        self._first_file = min((k for k, file in enumerate(origins.files) if file is not None), default=0)
        self._cut = _cut_counters(origins, files, frozenset(tracks))

    def text(self, track: int, row: EventRow, cursor: Cursor) -> Iterator[str]:
        """An event of a track, and what belongs to it."""
        origin = self._origins.tracks[track]
        assert origin is not None
        file = self._files[track]
        members = [self._written(event_members, file, origin) for event_members in read_members(row.raw)]
        if origin.phase == "C":
            yield from self._sample(file, origin, row, members, self._ids.of_track(track))
        elif origin.phase == "X":
            cursor.lanes.stay(row.start)
            yield from self._slice(row, members, self._ids.of_track(track), is_first=cursor.lanes.is_first)
        elif origin.phase == "b":
            yield from self._async(row, members, self._ids.of_track(track))
        else:
            own = members[0] if members else NOTHING
            ids = self._ids.of_track(track)
            yield _event(origin.phase, own, f"{row.what}{ids}{self._times.ts_member(row.start)}{own.text}")

    def flow_end(self, carrier: int, phase: str, what: str, tick: int, raw: bytes) -> str:
        """A flow end of a carrier. `what`: members `name` and `cat` as text, each with a comma in front."""
        source = self._origins.carriers[carrier]
        members = [
            self._written(event_members, source.file, source.origin, phase) for event_members in read_members(raw)
        ] or [NOTHING]
        ids = self._ids.of_thread(source.file, source.origin.pid, source.origin.tid)
        return f'{{"ph":"{phase}"{what}{ids}{self._times.ts_member(tick)}{members[0].text}}}'

    def _slice(self, row: EventRow, members: list[EventMembers], ids: str, *, is_first: bool) -> Iterator[str]:
        own = members[0] if members else NOTHING
        begin = f"{row.what}{ids}{self._times.ts_member(row.start)}"
        if row.flags & SliceFlag.OPEN and self._is_whole:
            yield f'{{"ph":"B"{begin}{own.text}}}'
        elif len(members) > 1:
            yield from with_flows(f'{{"ph":"B"{begin}{own.text}}}', row, ids, self._times, is_first=is_first)
            end = self._times.ts_member(row.start + row.duration)
            yield f'{{"ph":"E"{row.what}{ids}{end}{members[1].text}}}'
        else:
            lasting = "" if row.flags & SliceFlag.NO_DURATION else self._times.lasting(row.duration)
            yield from with_flows(f'{{"ph":"X"{begin}{lasting}{own.text}}}', row, ids, self._times, is_first=is_first)

    def _async(self, row: EventRow, members: list[EventMembers], ids: str) -> Iterator[str]:
        own = members[0] if members else NOTHING
        yield _event("b", own, f"{row.what}{ids}{self._times.ts_member(row.start)}{own.text}")
        if row.flags & SliceFlag.OPEN and self._is_whole:
            return
        end = f"{row.what}{ids}{self._times.ts_member(row.start + row.duration)}"
        if len(members) > 1:
            yield _event("e", members[1], f"{end}{members[1].text}")
            return
        identity = (f",{quoted(name)}:{value_text(own.get(name))}" for name in _IDENTIFYING if name in own)
        yield _event("F" if own.get("ph") == "S" else "e", NOTHING, f"{end}{''.join(identity)}")

    def _sample(
        self, file: int, origin: TrackOrigin, row: EventRow, members: list[EventMembers], ids: str
    ) -> Iterator[str]:
        """The whole event with its first sample; where some of its series are left out, each sample for itself."""
        event = f'{{"ph":"C","name":{quoted(origin.counter)}{ids}{self._times.ts_member(row.start)}'
        if _counter(file, origin) not in self._cut:
            for own in members:
                yield f"{event}{own.text}}}"
            return
        number = f',"id":{quoted(origin.counter_id)}' if origin.counter_id else ""
        args = f'"args":{{{quoted(origin.series)}:{value_text(row.value)}}}'
        yield f"{event}{number},{args}}}"

    def _written(self, members: EventMembers, file: int, origin: TrackOrigin, phase: str = "") -> EventMembers:
        """As they are written here: two files of a run may have the same ids, which mean different things."""
        if not self._is_whole:
            members = members.with_arguments(_BINDING)
        if file == self._first_file:
            return members
        is_identified = (phase or str(members.get("ph") or origin.phase)) in _IDENTIFIED

        def change(name: str, value: Any) -> Any:
            if name == "pid":
                return self._ids.pid(file, value)
            if name == "bind_id" or (name in ("id", "id2") and is_identified):
                return _of_file(file, value)
            return value

        return members.changed(change)


def _event(phase: str, members: EventMembers, rest: str) -> str:
    """An event of that phase, unless it says another itself, as those do whose track does not tell it."""
    return f"{{{rest.removeprefix(',')}}}" if "ph" in members else f'{{"ph":"{phase}"{rest}}}'


def _of_file(file: int, value: Any) -> Any:
    """An id that no other file has."""
    if isinstance(value, dict):
        return {name: _of_file(file, inner) for name, inner in value.items()}
    digest = blake2b(f"{file} {json.dumps(value)}".encode(), digest_size=8)
    return f"0x{digest.hexdigest()}"


def _counter(file: int, origin: TrackOrigin) -> _Counter:
    return file, origin.pid, origin.counter, origin.counter_id


def _cut_counters(origins: Origins, files: list[int], tracks: frozenset[int]) -> frozenset[_Counter]:
    """Counters that some series of are among the tracks, and some are not."""
    there: defaultdict[_Counter, set[bool]] = defaultdict(set)
    for track, origin in enumerate(origins.tracks):
        if origin is not None and origin.phase == "C":
            there[_counter(files[track], origin)].add(track in tracks)
    return frozenset(counter for counter, series in there.items() if len(series) > 1)
