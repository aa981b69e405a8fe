"""Reads toys: names, times and arguments of slices, a track for each thread that is named."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tilescope.tiler.columns import EventChunk, EventCounts, Phase, Process, TraceSummary, Track, TrackKind
from tilescope.tiler.errors import DamagedTrace
from tilescope.tiler.readers import ByteSource
from tilescope.tiler.readers.room import Room
from toy_format.arguments import Keys

MAGIC = b"TOY 1\n"


class ToyReader:
    """A `Reader`."""

    def __init__(self, source: ByteSource, *, scratch_dir: Path | None, room: Room | None) -> None:
        self.size_bytes = source.size_bytes
        self._source = source
        self._keys = Keys()
        self._tracks: dict[str, int] = {}
        self._names: dict[str, int] = {}
        self._slices = 0

    def chunks(self) -> Iterator[EventChunk]:
        """One for all: toys are small."""
        tracks, names, starts, durations, args = [], [], [], [], []
        lines = self._source.read(1 << 20).decode().splitlines()
        for number, line in enumerate(lines[1:], 2):
            fields = line.split(";")
            if len(fields) != 5:
                raise DamagedTrace(self._source.path, f"line {number} has {len(fields)} fields, not 5")
            tracks.append(self._tracks.setdefault(fields[0], len(self._tracks)))
            names.append(self._names.setdefault(fields[1], len(self._names)))
            starts.append(int(fields[2]))
            durations.append(int(fields[3]))
            args.append(self._keys.encode(fields[4]))
        n = self._slices = len(tracks)
        yield EventChunk(
            track=np.array(tracks, np.int32),
            phase=np.full(n, Phase.COMPLETE, np.uint8),
            time_ns=np.array(starts, np.int64),
            time_ps=None,
            duration_ns=np.array(durations, np.int64),
            duration_ps=None,
            name=np.array(names, np.int32),
            key=None,
            value=None,
            flags=np.zeros(n, np.uint8),
            args_end=np.cumsum([len(one) for one in args], dtype=np.int64),
            args=np.frombuffer(b"".join(args), np.uint8),
        )

    def bytes_read(self) -> int:
        return self._source.bytes_read

    def summary(self) -> TraceSummary:
        return TraceSummary(
            format="toy",
            processes=[Process("toys")],
            tracks=[Track(0, TrackKind.SLICE, name) for name in self._tracks],
            names=list(self._names),
            categories=["toy"] * len(self._names),
            counts=EventCounts(total=self._slices, slices=self._slices),
            hostname="toybox",
            args_tables=self._keys,
        )

    def summary_so_far(self) -> TraceSummary:
        return self.summary()

    def close(self) -> None:
        self._source.close()
