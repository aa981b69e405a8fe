"""Builds the blocks of a run: tracks side by side, each block written as soon as it is whole, rollups at the end.

Whatever else is stored of a track, or of the run, is made by recorders, to which each track is passed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, wait
from functools import partial
from itertools import chain
from pathlib import Path

import msgspec
from msgspec import Struct, field

from tilescope.tiler import _native
from tilescope.tiler.columns import TrackKind
from tilescope.tiler.indexing.free_memory import FreeMemory
from tilescope.tiler.indexing.meter import Meter
from tilescope.tiler.indexing.output.entry_queue import EntryQueue
from tilescope.tiler.indexing.output.tables import ENTRIES_AT_ONCE, batched
from tilescope.tiler.indexing.priorities import Priorities
from tilescope.tiler.indexing.reading.flow_rows import flow_rows
from tilescope.tiler.indexing.recorders import make_recorders, overriding
from tilescope.tiler.indexing.schedule import Schedule, Task
from tilescope.tiler.indexing.scratch import PassingScratch
from tilescope.tiler.indexing.tracks.block_end import BlockEnd
from tilescope.tiler.indexing.tracks.layout import Layout, PlacedTrack
from tilescope.tiler.indexing.tracks.open_slices import MANY_ROWS, OpenSlices
from tilescope.tiler.indexing.tracks.recorder import BuiltTrack, Part, Recording, TrackEnds
from tilescope.tiler.indexing.tracks.rollups import Rollups
from tilescope.tiler.indexing.tracks.run_files import RunFiles
from tilescope.tiler.indexing.tracks.track_data import TrackData
from tilescope.tiler.indexing.tracks.track_facts import TrackFacts
from tilescope.tiler.pages import TRACKS_PER_BLOCK, compress
from tilescope.tiler.profile import stage, staged, waiting
from tilescope.tiler.readers.memory_budget import Room
from tilescope.tiler.records.tracks import BLOCK_TRACKS
from tilescope.tiler.store.generation import Generation
from tilescope.tiler.store.store import Entry

_POLL_SECONDS = 0.03

# Arrays of a track that is being built are made in memory if they take no more than this part of it: with 2**-7 those
# of tracks of up to a million events, for which each thread has 40 MB at most.
_PASSING_SHIFT = 7

# Of the memory of a block while it is built, what is left when its pages are there: its columns, about half of it.
_COLUMNS_SHARE = 0.5

# What a rollup costs against a track with as many events, for the estimate of the time left.
_ROLLUP_COST = 0.25


class _Block(Struct):
    """Data of a block until it is whole."""

    unbuilt: int = 0  # tracks and rollups
    unbuilt_tracks: int = 0
    tiles: dict[int, _native.Tiles] = field(default_factory=dict)  # by track
    data: dict[int, TrackData] = field(default_factory=dict)


class Builder:
    """One build.

    `rollup_bytes` of slices may be in memory until their rollups are built. `is_shown`: it is looked at meanwhile.
    """

    def __init__(
        self,
        recording: Recording,
        generation: Generation,
        meter: Meter,
        rollup_bytes: int,
        room: Room,
        free_memory: FreeMemory,
        *,
        is_shown: bool = False,
    ) -> None:
        layout, working = recording.layout, recording.working
        self.recorders = make_recorders(recording)
        self.facts: dict[int, TrackFacts] = {}
        self._taking_ends = overriding(self.recorders, "add_ends")
        self._taking_tracks = overriding(self.recorders, "add")
        self._taking_tiles = overriding(self.recorders, "add_tiles")
        self._root_level = recording.root_level
        self._bin_level = recording.grid.level
        self._run = recording.run
        self._layout = layout
        self._generation = generation
        self._entries = EntryQueue(generation.data.put_many)
        self._meter = meter
        self._working = working
        self._is_shown = is_shown
        self._passing = PassingScratch(working, room.bytes >> _PASSING_SHIFT)
        self._rollups = Rollups(layout.tracks, generation.scratch, rollup_bytes)
        self._open_slices = OpenSlices(room)
        self._free_memory = free_memory
        self._carriers = _carriers(recording.run, layout)
        self._blocks = [_Block() for _ in range(-(-len(layout.tracks) // TRACKS_PER_BLOCK))]
        for track in layout.tracks:
            block = self._blocks[track.id // TRACKS_PER_BLOCK]
            block.unbuilt += 1
            block.unbuilt_tracks += track.kind != TrackKind.ROLLUP
        self._schedule: Schedule
        self._workers = 1
        self._done: list[int] = []  # blocks, not told yet
        self._rows_done = 0.0
        self._counting = threading.Lock()

    @property
    def blocks(self) -> int:
        """Number of blocks."""
        return len(self._blocks)

    def build(
        self,
        executor: Executor,
        workers: int,
        priorities: Priorities,
        rows_at_once: int,
        when_begun: Callable[[], None] = lambda: None,
    ) -> None:
        """Everything but the last records. Raises what a worker raises, after all have stopped.

        `when_begun` is done once by the calling thread, when the workers have something to do.
        """
        tracks = [track for track in self._layout.tracks if track.kind != TrackKind.ROLLUP]
        rollups = [track for track in self._layout.tracks if track.kind == TrackKind.ROLLUP]
        self._workers = workers
        self._meter.rows = int(sum(t.weight for t in tracks) + _ROLLUP_COST * sum(t.weight for t in rollups))
        self._schedule = Schedule(
            self._by_block(tracks),
            priorities,
            rows_at_once,
            self._build,
            rollups=rollups,
            beside=[partial(self._write_made, recorder.beside) for recorder in overriding(self.recorders, "beside")],
            after=[
                staged("records", self._end_tracks),
                *(partial(self._write_made, recorder.late) for recorder in overriding(self.recorders, "late")),
            ],
        )
        self._run_work(executor, workers, when_begun)
        self._entries.flush()
        self._rollups.forget()

    def _by_block(self, tracks: Sequence[PlacedTrack]) -> list[list[PlacedTrack]]:
        blocks: list[list[PlacedTrack]] = [[] for _ in self._blocks]
        for track in tracks:
            blocks[track.id // TRACKS_PER_BLOCK].append(track)
        return blocks

    def _run_work(self, executor: Executor, workers: int, when_begun: Callable[[], None]) -> None:
        """Reports until all is done. When a worker fails, or the report says so, the others stop."""
        unfinished: set[Future[None]] = set()
        try:
            for _ in range(workers):
                unfinished.add(executor.submit(self._work))  # may fail for want of a thread
            when_begun()
            while unfinished:
                with waiting("other threads"):
                    done, unfinished = wait(unfinished, _POLL_SECONDS, return_when="FIRST_EXCEPTION")
                for future in done:
                    future.result()
                self._tell()
        except BaseException:
            self._schedule.stop()
            for future in unfinished:
                future.cancel()
            wait(unfinished)
            raise

    def _work(self) -> None:
        while (task := self._take()) is not None:
            task()
            self._schedule.done()

    def _take(self) -> Task | None:
        with waiting("work"):
            return self._schedule.take()

    def _build(self, track: PlacedTrack) -> None:
        """Builds a track or a rollup."""
        if track.kind == TrackKind.ROLLUP:
            with stage("rollups"):
                self._build_rollup(track)
        else:
            with stage("tracks"):
                self._build_track(track)
                self._schedule.built(track.id)
                self._count_built(track)

    def _count_built(self, track: PlacedTrack) -> None:
        """A track or a rollup is whole: with the last one of its block comes what ends the block."""
        number = track.id // TRACKS_PER_BLOCK
        block = self._blocks[number]
        with self._counting:
            block.unbuilt -= 1
            block.unbuilt_tracks -= track.kind != TrackKind.ROLLUP
            is_whole, tracks_built = block.unbuilt == 0, block.unbuilt_tracks == 0
        if is_whole:
            with stage("ends of blocks"):
                self._end_block(number, holds_room=track.kind != TrackKind.ROLLUP)
        elif tracks_built and track.kind != TrackKind.ROLLUP:
            # It waits for rollups, and these for tracks of other blocks, which may need its room.
            self._schedule.ended(number)

    def _tell(self) -> None:
        with self._counting:
            done, self._done = self._done, []
            self._meter.rows_done = int(self._rows_done)
        for number in done:
            self._meter.block_built(number)
        self._free_memory.release_when_full()
        if done:
            self._generation.wrote(self._meter.rows_done / max(1, self._meter.rows))
        self._meter.tell()

    def _build_track(self, track: PlacedTrack) -> None:
        with self._open_slices.counted(*self._name_of(track)):
            self._build_slices(track)

    def _build_slices(self, track: PlacedTrack) -> None:
        open_slices = self._open_slices
        data, flow_rows, correlations = self._run.take_track(
            track.file, track.source, self._passing, open_slices.budget
        )
        if data is not None:
            open_slices.check(*self._name_of(track), data.rows)
            if data.rows > MANY_ROWS:
                data = data.spilled(self._working)
        facts = self.facts[track.id] = TrackFacts.from_data(data)
        place = track.id if data is not None else -1
        if flow_rows is not None:
            self._add_ends(TrackEnds(track.file, track.source, flow_rows, place, data))
        for number in self._carriers[track.file].get(track.source, ()):
            self._add_carried_ends(track.file, number, place, data)
        if data is not None:
            built = BuiltTrack(track, data, facts, correlations)
            self._write(chain.from_iterable(recorder.add(built) for recorder in self._taking_tracks))
            data = data.without_args().settled(self._passing)
            built = BuiltTrack(track, data, facts)
            tiles = self._tiles(data)
            for recorder in self._taking_tiles:
                recorder.add_tiles(built, tiles)
            block = self._blocks[track.id // TRACKS_PER_BLOCK]
            block.tiles[track.id] = tiles
            block.data[track.id] = data
            self._rollups.add(track.id, data)
        with self._counting:
            self._rows_done += track.weight

    def _add_carried_ends(self, file: int, number: int, place: int, slices: TrackData | None) -> None:
        """Flow ends of a carrier, which are those of the track at `place`; -1: there is none."""
        events = self._run.take_carrier(file, number, self._working)
        rows = None if events is None else flow_rows(events, None, self._working)
        if rows is not None:
            self._add_ends(TrackEnds(file, number, rows, place, slices, events))

    def _add_ends(self, ends: TrackEnds) -> None:
        self._write(chain.from_iterable(recorder.add_ends(ends) for recorder in self._taking_ends))

    def _end_tracks(self) -> None:
        """Everything that needs all tracks, but no rollups."""
        _native.release_free_memory()
        for file, carriers in enumerate(self._carriers):
            for number in carriers.get(-1, ()):
                self._add_carried_ends(file, number, -1, None)
        self._share_ends(chain.from_iterable(recorder.end() for recorder in self.recorders))

    def _share_ends(self, lists: Iterator[list[Part]]) -> None:
        """Shares the next list of parts out; with the last part of it comes the list after it."""
        parts = next((parts for parts in lists if parts), None)
        if parts is None:
            return
        left = len(parts)

        def do(part: Part) -> None:
            nonlocal left
            self._write(part())
            with self._counting:
                left -= 1
                if left:
                    return
            self._share_ends(lists)

        self._schedule.share([partial(staged("records", do), part) for part in parts])

    def _write_made(self, make: Callable[[], Iterable[Entry]]) -> None:
        with stage("records"):
            self._write(make())

    def _tiles(self, data: TrackData) -> _native.Tiles:
        if data.value is not None:
            return _native.counter_tiles(data.start, data.value, self._root_level)
        columns = data.start, data.duration, data.row, data.name, data.flags
        budget = self._open_slices.budget_for(data.rows)
        return _native.slice_tiles(*columns, self._root_level, budget, self._bin_level)

    def _build_rollup(self, track: PlacedTrack) -> None:
        """In parts, which threads share: with the last one comes what ends it."""
        cuts = self._rollups.cuts(track, self._root_level, self._workers)
        parts: dict[int, _native.Tiles] = {}

        def build(number: int, start: int, stop: int | None) -> None:
            tiles = self._rollup_tiles(track, start, stop)
            with self._counting:
                parts[number] = tiles
                if len(parts) <= len(cuts):
                    return
            tiles = parts.pop(len(cuts))
            for earlier in range(len(cuts) - 1, -1, -1):
                parts[earlier].join(tiles)
                tiles = parts.pop(earlier)  # what was joined is free
            self._end_rollup(track, tiles)

        spans = zip([0, *cuts], [*cuts, None], strict=True)
        first, *others = [partial(staged("rollups", build), number, *span) for number, span in enumerate(spans)]
        self._schedule.share(others)
        first()

    def _rollup_tiles(self, track: PlacedTrack, start: int = 0, stop: int | None = None) -> _native.Tiles:
        with self._open_slices.counted(self._run.files[0].path, f"{track.name} or its parts"):
            return self._rollups.tiles(track, self._root_level, self._open_slices.budget, start, stop)

    def _end_rollup(self, track: PlacedTrack, tiles: _native.Tiles) -> None:
        self.facts[track.id] = TrackFacts.of_rollup(self.facts[child] for child in track.children)
        lanes = self._layout.lanes_of(track, self.facts)
        for recorder in self.recorders:
            recorder.add_rollup(track, tiles, lanes)
        self._blocks[track.id // TRACKS_PER_BLOCK].tiles[track.id] = tiles
        with self._counting:
            self._rows_done += _ROLLUP_COST * track.weight
        self._count_built(track)

    def _end_block(self, number: int, *, holds_room: bool) -> None:
        """Shares the end of a block out; `holds_room`: the schedule has not been told yet that it takes no more."""
        block, self._blocks[number] = self._blocks[number], _Block()
        with self._open_slices.counted(*self._largest(block)):
            end = BlockEnd(number, block.tiles, block.data, self._open_slices.budget)
        block.tiles.clear()
        parts = end.parts()
        left = len(parts)

        def do(part: Part) -> None:
            nonlocal left
            with self._open_slices.counted(*self._largest(block)):
                self._write(part())
            with self._counting:
                left -= 1
                is_last = not left
            if not is_last:
                if holds_room and end.has_columns_alone:
                    self._schedule.needs(number, _COLUMNS_SHARE)
                return
            # The shape record is last: it tells that all of the block is there.
            tracks = [(BLOCK_TRACKS.key(number), self._tracks_of(number))] if self._is_shown else []
            self._write([*tracks, end.shape_entry()])
            self._entries.flush()
            with self._counting:
                self._done.append(number)
            if holds_room:
                self._schedule.ended(number)

        self._schedule.share([partial(staged("ends of blocks", do), part) for part in parts])

    def _tracks_of(self, block: int) -> bytes:
        """The tracks of a block that is whole, as `keys.block_tracks` stores them."""
        tracks = self._layout.tracks[block * TRACKS_PER_BLOCK : (block + 1) * TRACKS_PER_BLOCK]
        schema_tracks = [
            track.to_schema(self.facts[track.id], self._layout.lanes_of(track, self.facts)) for track in tracks
        ]
        return compress(msgspec.json.encode(schema_tracks))

    def _largest(self, block: _Block) -> tuple[Path, str]:
        """File and name of the track that takes most of the block."""
        if not block.data:
            return self._run.files[0].path, "the trace"
        number = max(block.data, key=lambda track: (block.data[track].rows, len(block.data[track])))
        return self._name_of(self._layout.tracks[number])

    def _name_of(self, track: PlacedTrack) -> tuple[Path, str]:
        """The file of a track, and what it is called in it."""
        return self._run.files[track.file].path, f"track {self._run.place(track.file, track.source)}"

    def _write(self, entries: Iterable[Entry]) -> None:
        """Writes as long as nobody has stopped the work."""
        for batch in batched(entries, ENTRIES_AT_ONCE):
            if self._schedule.stopped:
                return
            self._entries.put(batch)


def _carriers(run: RunFiles, layout: Layout) -> list[dict[int, list[int]]]:
    """Tracks of each file that carry flow ends, by the number of the thread's track; -1: it has no place."""
    result: list[dict[int, list[int]]] = []
    placed = {(track.file, track.source) for track in layout.tracks}
    for number_of_file, file in enumerate(run.files):
        tracks = file.summary.tracks
        threads = {
            (track.process, track.name, track.detail): number
            for number, track in enumerate(tracks)
            if track.kind == TrackKind.SLICE and (number_of_file, number) in placed
        }
        carriers: dict[int, list[int]] = {}
        for number, track in enumerate(tracks):
            if track.kind == TrackKind.FLOW:
                carriers.setdefault(threads.get((track.process, track.name, track.detail), -1), []).append(number)
        result.append(carriers)
    return result
