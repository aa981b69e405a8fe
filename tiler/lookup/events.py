"""One event with all that a store has of it."""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details import UNREADABLE, Arguments
from tilescope.tiler.errors import DamagedStore, NotAvailable, NotBuilt, StoredLast
from tilescope.tiler.lookup.arguments import argument_chunk, argument_decoder
from tilescope.tiler.lookup.call_stacks import REFER, call_stacks
from tilescope.tiler.lookup.event_flows import event_flows
from tilescope.tiler.lookup.flow_ends import first_ends_at
from tilescope.tiler.lookup.kept import kept_with_store
from tilescope.tiler.lookup.tiles import block_shape, tiles_on_page
from tilescope.tiler.lookup.tracks import file_of, track_record
from tilescope.tiler.pages import TRACKS_PER_BLOCK, SliceFlag, Tile, decompress
from tilescope.tiler.records.arguments import ARGUMENT_TABLES
from tilescope.tiler.records.names import NAMES
from tilescope.tiler.records.tiles import SHAPE
from tilescope.tiler.schema import FLOWS_AT_MOST, Argument, EventDetails
from tilescope.tiler.store.store import Store, need
from tilescope.tiler.store.validation import must_make_sense

_KEPT_NAMES: Final = 8  # pages
_EXACT: Final = (1 << 53) - 1  # integers up to here are numbers in every client


def event_details(store: Store, track: int, ordinal: int) -> dict[str, Any] | None:
    """One event with all its arguments, as docs/api.md has it; None where there is none.

    While the run is indexed it has no flows. Raises DamagedStore, NotBuilt.
    """
    with must_make_sense(store.location):
        details = _event_so_far(store, track, ordinal) if store.is_growing else _event(store, track, ordinal)
        return None if details is None else msgspec.to_builtins(details)


def _event_so_far(store: Store, track: int, ordinal: int) -> EventDetails | None:
    if store.get(SHAPE, track // TRACKS_PER_BLOCK) is None:
        raise NotBuilt(f"track {track} is not built yet")
    written = store.ungated()
    shape = block_shape(written, track // TRACKS_PER_BLOCK)
    if ordinal >= int(shape.events[shape.leaves(track % TRACKS_PER_BLOCK)].sum()):  # the manifest may have an estimate
        return None
    file = file_of(written, track)
    if file >= 0 and written.get(ARGUMENT_TABLES, file) is None:
        raise NotBuilt(f"the tables that decode the arguments of track {track} are not stored yet")
    return _event(written, track, ordinal, is_growing=True)


def _event(store: Store, track: int, ordinal: int, *, is_growing: bool = False) -> EventDetails | None:
    record = track_record(store, track)
    if record is None or record.kind == "rollup" or not 0 <= ordinal < record.events:
        return None
    tile = _leaf(store, track, ordinal)
    is_sample = record.kind == "counter"
    if is_sample:
        row = _position(tile.samples.ordinal, ordinal, track)
        name, category = record.name, ""
    else:
        row = _position(tile.slices.ordinal, ordinal, track)
        name, category = _name(store, int(tile.slices.name[row]))
    args = _arguments(store, track, ordinal)
    if is_growing and any(argument in REFER for argument, _ in args):
        raise StoredLast("the run is still being indexed: call stacks can be read when that is done")
    flows = None
    if not is_growing:
        ends = first_ends_at(store, track, ordinal, FLOWS_AT_MOST)
        flows = event_flows(ends, lambda name: _name(store, name)[0])
    return EventDetails(
        track=track,
        ordinal=str(ordinal),
        kind=record.kind,
        name=name,
        category=category,
        start=str(int(tile.samples.time[row] if is_sample else tile.slices.start[row])),
        duration="0" if is_sample else str(int(tile.slices.duration[row])),
        row=0 if is_sample else int(tile.slices.row[row]),
        flags=[] if is_sample else SliceFlag(int(tile.slices.flags[row])).words,
        value=float(tile.samples.value[row]) if is_sample else None,
        flows=flows,
        args=[Argument(name=name, value=_to_json(value)) for name, value in args],
        stacks=call_stacks(store, file_of(store, track), args),
    )


def _leaf(store: Store, track: int, ordinal: int) -> Tile:
    block, slot = divmod(track, TRACKS_PER_BLOCK)
    shape = block_shape(store, block)
    leaves = shape.leaves(slot)
    ends = np.cumsum(shape.events[leaves])
    leaf = int(np.searchsorted(ends, ordinal, side="right"))
    if leaf == len(leaves):
        raise DamagedStore(f"{store.location}: track {track} has no leaf with event {ordinal}")
    position = int(leaves[leaf])
    for tile in tiles_on_page(store, shape.page_of(position)):
        if tile.slot == slot and tile.index == shape.index[position]:
            return tile
    where = f"track {track}, level {shape.level[position]}, tile {shape.index[position]}"
    raise DamagedStore(f"{store.location}: {where}: it is not on its page")


def _arguments(store: Store, track: int, ordinal: int) -> Arguments:
    try:
        chunk = argument_chunk(store, track, ordinal)
        return [] if chunk is None else argument_decoder(store, file_of(store, track))(chunk.arguments(ordinal))
    except NotAvailable as error:  # of an archive without arguments: the event itself is known
        return [(UNREADABLE, str(error))]


def _name(store: Store, name: int) -> tuple[str, str]:
    if name < 0:
        return "[no name]", ""
    page_size = store.internals()["public"]["names"]["page_size"]
    text, category = _names_on_page(store, name // page_size)[name % page_size]
    return text, category


@kept_with_store(_KEPT_NAMES)
def _names_on_page(store: Store, page: int) -> list[tuple[str, str]]:
    record = need(store, NAMES, page)
    try:
        return [(text, category) for text, category in json.loads(decompress(record))]
    except (ValueError, RecursionError, DamagedStore) as error:
        raise DamagedStore(f"{store.location}: page {page} of the names is damaged (index the trace again)") from error


def _position(ordinals: NDArray[np.int64], ordinal: int, track: int) -> int:
    positions = np.flatnonzero(ordinals == ordinal)
    if len(positions) != 1:
        raise DamagedStore(f"track {track}: event {ordinal} is not in its leaf")
    return int(positions[0])


def _to_json(value: object) -> object:
    """As JSON that every client reads as it is written: integers that a double does not hold become text."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value if -_EXACT <= value <= _EXACT else str(value)
    if isinstance(value, float):
        return value if value - value == 0 else None  # JSON has no NaN and no infinity
    if isinstance(value, dict):
        return {str(k): _to_json(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_to_json(v) for v in value]
    return str(value)
