"""A published run, read-only: what every transport serves."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details import UNREADABLE, ArgsCodec, Arguments
from tilescope.tiler.details.chunk import Chunk
from tilescope.tiler.details.values import ValueKind, Values
from tilescope.tiler.details.xstat_tables import XStatTables
from tilescope.tiler.errors import DamagedStore, FormatFailed, NoStore, StoreVersion
from tilescope.tiler.pages import (
    TRACKS_PER_BLOCK,
    Page,
    PageKey,
    Shape,
    SliceFlag,
    Tile,
    decode_columns,
    decompress,
    part_of,
)
from tilescope.tiler.readers.fingerprint import Fingerprint
from tilescope.tiler.readers.formats import codec
from tilescope.tiler.records.arguments import ARGUMENT_TABLE_PAGES, ARGUMENT_TABLES, ARGUMENTS
from tilescope.tiler.records.attachments import ATTACHMENT_CHUNKS, ATTACHMENTS
from tilescope.tiler.records.device.metadata_rows import METADATA_ROWS
from tilescope.tiler.records.device.operation_sums import OPERATION_SUMS
from tilescope.tiler.records.device.operations import KINDS, OPERATIONS
from tilescope.tiler.records.device.step_sums import STEP_SUMS
from tilescope.tiler.records.flow_bins import FLOW_TILES
from tilescope.tiler.records.flow_ends import FLOW_ENDS, FlowEnds
from tilescope.tiler.records.histogram import BLOCK_HISTOGRAM, BUSY_LIMIT, HISTOGRAM, TRACK_SUMS, Histogram, sum_by_name
from tilescope.tiler.records.manifest import MANIFEST
from tilescope.tiler.records.names import NAMES
from tilescope.tiler.records.overview import OVERVIEW
from tilescope.tiler.records.page_names import PAGE_NAMES
from tilescope.tiler.records.spread import BLOCK_SPREAD, SPREAD, TRACK_SUMS_SPREAD
from tilescope.tiler.records.steps import STEPS, TrackSteps
from tilescope.tiler.records.tiles import PAGE, SHAPE
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.schema import Argument, EventDetails, StoredManifest
from tilescope.tiler.store import generation
from tilescope.tiler.store.call_stacks import CallStacks
from tilescope.tiler.store.device_durations import DeviceDurations
from tilescope.tiler.store.event_flows import event_flows
from tilescope.tiler.store.histograms import histogram_parts
from tilescope.tiler.store.lmdb_reader import LmdbReader
from tilescope.tiler.store.origin_reader import OriginReader
from tilescope.tiler.store.sense import must_make_sense
from tilescope.tiler.store.store import Entry
from tilescope.tiler.store.turn import mark_used
from tilescope.tiler.store.use import Use, hold
from tilescope.tiler.store.version import STORE_VERSION
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.windows import Windows

# Shapes and pages that are kept decoded for looking up events: a click is followed by clicks nearby.
_KEPT_SHAPES = 16
_KEPT_PAGES = 8

# Between reading the name of a generation and opening it, a newer one may be published and this one removed.
_OPEN_TRIES = 5


class RunStore:
    """One generation. What is stored compressed is handed out as stored: one gzip member."""

    is_growing = False  # its answers stay as they are

    def __init__(self, data: LmdbReader, path: Path, use: Use) -> None:
        self.path = path
        self._use = use
        self._data = data
        manifest = self._json(MANIFEST.key(), "the manifest")
        if not isinstance(manifest, dict):
            raise DamagedStore(f"{path}: the manifest is damaged (index the trace again)")
        if manifest.get("version") != STORE_VERSION:
            raise StoreVersion(
                f"{path}: written as store version {manifest.get('version')}, this is version {STORE_VERSION} "
                "(index the trace again)"
            )
        with must_make_sense(path):
            self._manifest: dict[str, Any] = manifest
            self.build = msgspec.convert(manifest["public"], StoredManifest).build
        self._kept_shape = lru_cache(_KEPT_SHAPES)(self._decode_shape)
        self._kept_page = lru_cache(_KEPT_PAGES)(self._decode_page)
        self._kept_names = lru_cache(_KEPT_PAGES)(self._decode_names)
        self._kept_decoder = lru_cache(None)(self._make_decoder)
        self._durations = DeviceDurations(self.operations_record)
        self._kept_tables = lru_cache(None)(self._make_tables)
        self._call_stacks = CallStacks(self.attachments, self.attachment_chunk)

    def manifest(self) -> dict[str, Any]:
        """The manifest of docs/api.md, without the name of the run."""
        return {**self._manifest["public"], "store_bytes": str(self._data.size_bytes())}

    def internals(self) -> dict[str, Any]:
        """The whole manifest, with what only this package reads."""
        return dict(self._manifest)

    def sources(self) -> tuple[Fingerprint, ...]:
        """What the trace files were when they were indexed."""
        with must_make_sense(self.path):
            return tuple(Fingerprint.from_json(file) for file in self._manifest.get("sources", ()))

    def tracks(self) -> bytes:
        """The track tree, compressed."""
        return self._need(TRACKS.key(), "the track tree")

    def names(self, page: int) -> bytes | None:
        """A page of names, compressed."""
        return self._data.get(NAMES.key(page)) if page >= 0 else None

    def shape(self, block: int) -> bytes | None:
        """A block's shape record, compressed."""
        return self._data.get(SHAPE.key(block)) if block >= 0 else None

    def page(self, key: PageKey) -> bytes | None:
        """A page or its residual, compressed. Raises DamagedStore."""
        stored = self._data.get(PAGE.key(*key[:4]))
        return None if stored is None else part_of(stored, key.part)

    def overview(self, page: int) -> bytes | None:
        """A page of the overview, compressed."""
        return self._data.get(OVERVIEW.key(page)) if page >= 0 else None

    def flow_tiles(self, track: int, level: int, index: int) -> bytes | None:
        """The chunk that holds this flow tile if the tile exists, compressed; None when there is no such chunk."""
        found = self._data.last_at_most(FLOW_TILES.key(track, level, index), FLOW_TILES.prefix(track, level))
        return None if found is None else found[1]

    def histogram(self, track: int, start: int, end: int) -> Histogram | None:
        """How often each name occurs among the events of a track in the ticks [start, end), and how long: exactly.

        None when there is no such track, or when it is one of counters. That of a rollup is the sum over its tracks.
        Reads stored histograms where tiles lie within the range, at most six a level, and leaves at its borders. Raises
        DamagedStore.
        """
        with must_make_sense(self.path):
            return self._histogram(track, start, end)

    def _histogram(self, track: int, start: int, end: int) -> Histogram | None:
        tracks = self._manifest["tracks"]
        if not 0 <= track < len(tracks) or tracks[track]["kind"] == "counter":
            return None
        of = tracks[track]["children"] if tracks[track]["kind"] == "rollup" else [track]
        run_end = int(self._manifest["public"]["end"])
        windows = Windows.one(start, end if end <= run_end else TICK_LIMIT)
        exact = np.int64 if int(tracks[track]["busy"]) < BUSY_LIMIT else object
        parts: list[Histogram] = []
        if start < end:
            for block, children in groupby(of, lambda child: child // TRACKS_PER_BLOCK):
                slots = {child % TRACKS_PER_BLOCK: windows for child in children}
                parts += histogram_parts(self, block, slots, exact)
        return sum_by_name(parts, exact)

    def histogram_record(self, track: int, level: int, index: int) -> bytes | None:
        """The stored histogram of a tile, compressed; None when it has none."""
        return self._data.get(HISTOGRAM.key(track, level, index))

    def spread_record(self, track: int, level: int, index: int) -> bytes | None:
        """The stored spread of a tile, compressed; None when it has none."""
        return self._data.get(SPREAD.key(track, level, index))

    def block_histogram_record(self, block: int, level: int, index: int, *, by_track: bool = False) -> bytes | None:
        """The stored histogram of a tile of all tracks of a block, compressed; None when it has none."""
        return self._data.get((TRACK_SUMS if by_track else BLOCK_HISTOGRAM).key(block, level, index))

    def block_spread_record(self, block: int, level: int, index: int, *, by_track: bool = False) -> bytes | None:
        """The spread that belongs to it, compressed; None when there is none."""
        return self._data.get((TRACK_SUMS_SPREAD if by_track else BLOCK_SPREAD).key(block, level, index))

    def page_names(self, block: int) -> Iterator[bytes]:
        """The records of names on the pages of a block, compressed."""
        prefix = PAGE_NAMES.prefix(block)
        for _, record in self._data.scan(prefix, prefix):
            yield record

    def args_chunk(self, track: int, ordinal: int) -> Chunk | None:
        """The chunk of arguments that begins with an event or before; None: there is none. Raises DamagedStore."""
        found = self._data.last_at_most(ARGUMENTS.key(track, ordinal), ARGUMENTS.prefix(track))
        if found is None:
            return None
        return Chunk.parse(decompress(found[1]), ARGUMENTS.numbers_in(found[0])[1], self._durations.of(track))

    def kinds_record(self, track: int) -> bytes | None:
        """The kinds of a track's operations, compressed; None: it has none, or they are not stored yet."""
        return self._data.get(KINDS.key(track))

    def operation_sums_record(self, track: int) -> bytes | None:
        """The sums of a track's operations, compressed; None: it has none, or they are not stored yet."""
        return self._data.get(OPERATION_SUMS.key(track))

    def step_sums_record(self, track: int) -> bytes | None:
        """The sums of a track's operations in steps, compressed; None: it has none, or they are not stored yet."""
        return self._data.get(STEP_SUMS.key(track))

    def operations_record(self, track: int, first: int) -> bytes:
        """The record of operations that begins with this event, compressed. Raises DamagedStore."""
        return self._need(OPERATIONS.key(track, first), f"the operations of track {track} from event {first} on")

    def args_decoder(self, file: int) -> Callable[[bytes], Arguments]:
        """What tells the arguments of an event of a file from their bytes."""
        decoder: Callable[[bytes], Arguments] = self._kept_decoder(file)
        return decoder

    def args_values(self, file: int, chunk: Chunk, at: NDArray[np.int64], names: Sequence[str]) -> list[Values]:
        """Of each name the first argument of the events in these places of a chunk, as far as it is found quickly.

        What has to be decoded event by event is unclear. Raises DamagedStore.
        """
        with must_make_sense(self.path):
            read, tables = self._codec(file).values, self._kept_tables(file)
            if read is None:
                unclear = np.full(len(at), ValueKind.UNCLEAR, np.uint8)
                return [Values(unclear.copy(), np.zeros(len(at), np.int64)) for _ in names]
            return read(chunk.ends, chunk.args, at, names, tables)

    def decoded_page(self, key: PageKey) -> Page:
        """A page, without its residual. Raises DamagedStore."""
        return decode_columns(self.page_content(key))

    def page_content(self, key: PageKey) -> bytes:
        """A page, uncompressed, without its residual. Raises DamagedStore."""
        page = self.page(key)
        if page is None:
            raise DamagedStore(f"{self.path}: {key.text()} is missing (index the trace again)")
        return decompress(page)

    def attachments(self) -> bytes | None:
        """The list of attachments, compressed; None while the run is indexed."""
        return self._data.get(ATTACHMENTS.key())

    def attachment_chunk(self, number: int, chunk: int) -> bytes:
        """A chunk of an attachment, compressed; see `attachments.content`. Raises DamagedStore when it is missing."""
        return self._need(ATTACHMENT_CHUNKS.key(number, chunk), f"chunk {chunk} of attachment {number}")

    def event_metadata(self, file: int) -> XStatTables | None:
        """What the events of a file's kinds share: names and stats; None for a file whose format has none of it.

        Little is read at once, more when it is asked for. Raises DamagedStore.
        """
        with must_make_sense(self.path):
            tables = self._kept_tables(file)
            return tables if isinstance(tables, XStatTables) else None

    def origins(self) -> OriginReader:
        """Where tracks come from, and flow ends as their files have them."""
        return OriginReader(self._data, self.path)

    def rows_chunk(self, number: int) -> bytes | None:
        """A chunk of what the metadata of operations says, compressed; None when there is none."""
        return self._data.get(METADATA_ROWS.key(number))

    def file_of(self, track: int) -> int:
        """The file of a track, -1 of a rollup: an index into the manifest's `files`. Raises DamagedStore."""
        with must_make_sense(self.path):
            return int(self._manifest["tracks"][track]["file"])

    def records(self) -> Iterator[Entry]:
        """Everything that is stored, as stored, in the order of the keys. Raises DamagedStore, too few at the end."""
        found = 0
        for entry in self._data.scan(b""):
            found += 1
            yield entry
        if found != self._data.count():
            raise DamagedStore(f"{self.path}: {found:,} records were found of {self._data.count():,}")

    def decoded_shape(self, block: int) -> Shape | None:
        """A block's shape. Raises DamagedStore."""
        return self._kept_shape(block)

    def event(self, track: int, ordinal: int) -> dict[str, Any] | None:
        """One event with all its arguments, as docs/api.md has it; None when there is none. Raises DamagedStore."""
        with must_make_sense(self.path):
            return self._event(track, ordinal)

    def _event(self, track: int, ordinal: int) -> dict[str, Any] | None:
        tracks = self._manifest["tracks"]
        if not 0 <= track < len(tracks) or tracks[track]["kind"] == "rollup":
            return None
        if not 0 <= ordinal < tracks[track]["events"]:
            return None
        tile = self._leaf_of(track, ordinal)
        is_sample = tracks[track]["kind"] == "counter"
        if is_sample:
            at = _position(tile.samples.ordinal, ordinal, track)
            name, category = tracks[track]["name"], ""
        else:
            at = _position(tile.slices.ordinal, ordinal, track)
            name, category = self._name(int(tile.slices.name[at]))
        args = self._args(track, ordinal)
        event = EventDetails(
            track=track,
            ordinal=str(ordinal),
            kind=tracks[track]["kind"],
            name=name,
            category=category,
            start=str(int(tile.samples.time[at] if is_sample else tile.slices.start[at])),
            duration="0" if is_sample else str(int(tile.slices.duration[at])),
            row=0 if is_sample else int(tile.slices.row[at]),
            flags=[] if is_sample else SliceFlag(int(tile.slices.flags[at])).words,
            value=float(tile.samples.value[at]) if is_sample else None,
            flows=event_flows(self.flow_ends_at(track, ordinal), lambda name: self._name(name)[0]),
            args=[Argument(name=name, value=_to_json(value)) for name, value in args],
            stacks=self._call_stacks.of(self.file_of(track), args),
        )
        told: dict[str, Any] = msgspec.to_builtins(event)
        return told

    def flow_ends(self, track: int, first: int = 0) -> Iterator[FlowEnds]:
        """The flow ends of a track by chunks, in order, from the chunk of slice `first` on. Raises DamagedStore."""
        prefix = FLOW_ENDS.prefix(track)
        found = self._data.last_at_most(FLOW_ENDS.key(track, first), prefix)
        for _, chunk in self._data.scan(prefix if found is None else found[0], prefix):
            yield FlowEnds.decode(decompress(chunk), track)

    def flow_end_chunks(self, track: int) -> Iterator[bytes]:
        """The same as they are stored."""
        prefix = FLOW_ENDS.prefix(track)
        for _, chunk in self._data.scan(prefix, prefix):
            yield chunk

    def steps(self) -> Iterator[tuple[int, TrackSteps]]:
        """Track and steps of each record of steps, tracks ascending. Raises DamagedStore."""
        for key, record in self._data.scan(STEPS.letter, STEPS.letter):
            track, _ = STEPS.numbers_in(key)
            yield track, TrackSteps.decode(decompress(record), track)

    def flow_ends_at(self, track: int, ordinal: int) -> FlowEnds | None:
        """The flow ends of a slice; None: it has none. Raises DamagedStore."""
        found = self._data.last_at_most(FLOW_ENDS.key(track, ordinal), FLOW_ENDS.prefix(track))
        if found is None:
            return None
        ends = FlowEnds.decode(decompress(found[1]), track)
        of_slice = ends.take(ends.ordinal == ordinal)
        return of_slice if len(of_slice) else None

    def file_of_tracks(self) -> Sequence[int]:
        """The number of the file that each track is of; -1 for rollups."""
        return [track["file"] for track in self._manifest["tracks"]]

    def close(self) -> None:
        """Closes the store, and lets others remove it."""
        self._data.close()
        self._use.close()
        mark_used(self.path)

    def _leaf_of(self, track: int, ordinal: int) -> Tile:
        block, slot = divmod(track, TRACKS_PER_BLOCK)
        shape = self._kept_shape(block)
        if shape is None:
            raise DamagedStore(f"{self.path}: block {block} has no shape record")
        leaves = shape.leaves(slot)
        ends = np.cumsum(shape.events[leaves])
        leaf = int(np.searchsorted(ends, ordinal, side="right"))
        if leaf == len(leaves):
            raise DamagedStore(f"{self.path}: track {track} has no leaf with event {ordinal}")
        at = int(leaves[leaf])
        for tile in self._kept_page(shape.page_of(at)):
            if tile.slot == slot and tile.index == shape.index[at]:
                return tile
        where = f"track {track}, level {shape.level[at]}, tile {shape.index[at]}"
        raise DamagedStore(f"{self.path}: {where}: it is not on its page")

    def _args(self, track: int, ordinal: int) -> Arguments:
        chunk = self.args_chunk(track, ordinal)
        return [] if chunk is None else self.args_decoder(self.file_of(track))(chunk.of(ordinal))

    def _make_decoder(self, file: int) -> Any:
        decode, tables = self._codec(file).decode, self._kept_tables(file)

        def decoded(raw: bytes) -> Arguments:
            if not raw:
                return []
            try:
                with must_make_sense(self.path):
                    return decode(raw, tables)
            except FormatFailed as error:  # the event itself is known
                return [(UNREADABLE, error.what)]

        return decoded

    def _codec(self, file: int) -> ArgsCodec:
        return codec(self._manifest["files"][file]["args_encoding"])

    def _make_tables(self, file: int) -> Any:
        head = decompress(self._need(ARGUMENT_TABLES.key(file), "the table of arguments"))

        def page(number: int) -> bytes:
            return decompress(
                self._need(ARGUMENT_TABLE_PAGES.key(file, number), f"page {number} of the table of arguments")
            )

        return self._codec(file).tables(head, page)

    def _name(self, name: int) -> tuple[str, str]:
        if name < 0:
            return "[no name]", ""
        page_size = self._manifest["public"]["names"]["page_size"]
        text, category = self._kept_names(name // page_size)[name % page_size]
        return text, category

    def _decode_names(self, page: int) -> list[tuple[str, str]]:
        return [(text, category) for text, category in self._json(NAMES.key(page), f"page {page} of the names")]

    def _decode_shape(self, block: int) -> Shape | None:
        record = self.shape(block)
        return None if record is None else Shape.decode(decompress(record))

    def _decode_page(self, key: PageKey) -> list[Tile]:
        return list(self.decoded_page(key).tiles())

    def _need(self, key: bytes, what: str) -> bytes:
        value = self._data.get(key)
        if value is None:
            raise DamagedStore(f"{self.path}: {what} is missing (index the trace again)")
        return value

    def _json(self, key: bytes, what: str) -> Any:
        member = self._need(key, what)
        try:
            return json.loads(decompress(member))
        except (ValueError, RecursionError, DamagedStore) as error:
            raise DamagedStore(f"{self.path}: {what} is damaged (index the trace again)") from error


def open_run_store(path: Path) -> RunStore:
    """Opens the published generation of the store at `path`, which nobody removes until it is closed.

    Raises NoStore, StoreVersion or DamagedStore.
    """
    for _ in range(_OPEN_TRIES):
        folder = generation.current(path)
        use = hold(folder)
        if use is not None:
            return _open_generation(folder, path, use)
    raise NoStore(f"{folder}: there is no index here")


def open_build(path: Path, build: str) -> RunStore:
    """Opens a generation of the store at `path` that was published, be it the current one or not, and stays as above.

    Raises NoStore when it was removed, StoreVersion or DamagedStore.
    """
    folder = path / f"gen-{build}"
    use = hold(folder)
    if use is None:
        raise NoStore(f"{path}: there is no build {build} any more")
    return _open_generation(folder, path, use)


def _open_generation(folder: Path, path: Path, use: Use) -> RunStore:
    try:
        data = LmdbReader(folder)
        try:
            store = RunStore(data, path, use)
        except BaseException:
            data.close()
            raise
    except BaseException:
        use.close()
        raise
    mark_used(path)
    return store


def _position(ordinals: np.ndarray[Any, np.dtype[np.int64]], ordinal: int, track: int) -> int:
    found = np.flatnonzero(ordinals == ordinal)
    if len(found) != 1:
        raise DamagedStore(f"track {track}: event {ordinal} is not in its leaf")
    return int(found[0])


_EXACT = (1 << 53) - 1  # integers up to here are numbers in every client


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
