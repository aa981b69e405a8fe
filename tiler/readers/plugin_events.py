"""Checks that the events of a reader keep to the contract: native code takes them as they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from tilescope.tiler.columns import Attachment, Clock, EventChunk, Phase, Process, TraceSummary, Track, TrackKind

_DTYPES: Final[Mapping[str, type[np.generic]]] = {
    "track": np.int32,
    "phase": np.uint8,
    "time_ns": np.int64,
    "time_ps": np.int16,
    "duration_ns": np.int64,
    "duration_ps": np.int16,
    "name": np.int32,
    "key": np.int64,
    "value": np.float64,
    "flags": np.uint8,
    "args_end": np.int64,
    "args": np.uint8,
}
_OPTIONAL: Final = frozenset({"time_ps", "duration_ps", "key", "value"})
_KINDS: Final = frozenset(TrackKind) - {TrackKind.ROLLUP}
_INT64_MAX: Final = (1 << 63) - 1


class ChunkCheck:
    """Looks at the chunks of a file, one by one. Raises TypeError or ValueError, which say what is wrong."""

    def __init__(self) -> None:
        self._last_track = -1
        self._last_name = -1

    def add(self, chunk: object) -> None:
        """Takes the next one."""
        _must_be(chunk, EventChunk, "a chunk")
        assert isinstance(chunk, EventChunk)
        n = len(chunk.track)
        for column in fields(chunk):
            _check_column(column.name, getattr(chunk, column.name), n)
        if not n:
            return
        self._last_track = max(self._last_track, int(chunk.track.max()))
        self._last_name = max(self._last_name, int(chunk.name.max()))
        _must(int(chunk.track.min()) >= 0, "a track is below 0")
        _must(int(chunk.phase.max()) <= max(Phase), "a phase is unknown")
        unnamed = chunk.phase[chunk.name < 0]
        _must(bool((unnamed == Phase.END).all()) and int(chunk.name.min()) >= -1, "an event has no name")
        _must(int(chunk.duration_ns.min()) >= 0, "a duration is negative")
        latest = _INT64_MAX - 1 - chunk.duration_ns
        _must(bool((chunk.time_ns <= latest).all()), "an event ends beyond 64-bit nanoseconds")
        for name in ("time_ps", "duration_ps"):
            beyond = getattr(chunk, name)
            if beyond is not None:
                _must(int(beyond.min()) >= 0 and int(beyond.max()) <= 999, f"{name} is not within 0 to 999")
        ends = chunk.args_end
        whole = int(ends[0]) >= 0 and bool((ends[1:] >= ends[:-1]).all()) and int(ends[-1]) == len(chunk.args)
        _must(whole, "args_end is not ascending up to the size of args")

    def tracks_are_in(self, summary: TraceSummary) -> None:
        """Raises ValueError when a chunk had a track that the summary has not."""
        track, tracks = self._last_track, len(summary.tracks)
        _must(track < tracks, f"an event is on track {track}, of {tracks} tracks")

    def end(self, summary: TraceSummary) -> None:
        """The summary of all of them. Raises as well."""
        check_summary(summary)
        self.tracks_are_in(summary)
        name, names = self._last_name, len(summary.names)
        _must(name < names, f"an event has name {name}, of {names} names")


def check_summary(summary: object) -> None:
    """Raises TypeError or ValueError for a summary that cannot be stored."""
    _must_be(summary, TraceSummary, "a summary")
    assert isinstance(summary, TraceSummary)
    for process in summary.processes:
        _must_be(process, Process, "a process")
        _must_be_texts(process.name, process.detail)
        _must_be(process.sort_index, int, "a sort_index")
    for track in summary.tracks:
        _must_be(track, Track, "a track")
        _must_be_texts(track.name, track.detail)
        _must_be(track.sort_index, int, "a sort_index")
        _must(track.kind in _KINDS, f"a track is of kind {track.kind!r}")
        process_index, processes = track.process, len(summary.processes)
        _must(
            isinstance(process_index, int) and 0 <= process_index < processes,
            f"a track is of process {process_index}, of {processes} processes",
        )
    _must_be_texts(*summary.names, *summary.categories, *summary.warnings, *summary.ignored, summary.hostname)
    for count in (*structs.asdict(summary.counts).values(), *summary.ignored.values(), summary.base_time_ns):
        _must_be(count, int, "a count")
    _must(-_INT64_MAX <= summary.base_time_ns <= _INT64_MAX, "base_time_ns does not fit in 64 bits")
    if summary.clock is not None:
        _must_be(summary.clock, Clock, "a clock")
    for attachment in summary.attachments:
        _must_be(attachment, Attachment, "an attachment")
        _must_be_texts(attachment.name, attachment.label, attachment.media_type)


def _check_column(name: str, column: NDArray[Any] | None, n: int) -> None:
    if column is None and name in _OPTIONAL:
        return
    _must_be(column, np.ndarray, f"the column {name}")
    assert column is not None
    if column.dtype != _DTYPES[name]:
        raise TypeError(f"the column {name} is of type {column.dtype}: it has to be {np.dtype(_DTYPES[name])}")
    _must(column.ndim == 1 and column.flags.c_contiguous, f"the column {name} has gaps, or several dimensions")
    _must(name == "args" or len(column) == n, f"the column {name} has {len(column)} values, and track has {n}")


def _must_be_texts(*texts: object) -> None:
    for text in texts:
        _must_be(text, str, "a text")


def _must_be(value: object, kind: type, what: str) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"{what} is of type {type(value).__name__}: it has to be {kind.__name__}")


def _must(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(what)
