"""Speed of the machine itself, in the terms of indexing: results of two machines, or hours, are compared by it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.traces import TraceSpec
from tilescope.tiler.pages import compress
from tilescope.tiler.readers.reader import TrackwiseReader
from tilescope.tiler.readers.recognise import reader_of
from tilescope.tiler.readers.source import ByteSource

_COPIED_BYTES = 256 << 20
_DEFLATED_BYTES = 16 << 20
_TRIES = 5


@dataclass(frozen=True, slots=True)
class Yardsticks:
    """Speeds of one core each."""

    copied_bytes_per_second: float
    deflated_bytes_per_second: float  # of trace-event JSON, as records of stores are compressed
    decoded_events_per_second: float  # of an XSpace, read track by track

    def line(self) -> str:
        """Facts about the machine for a reader of a result."""
        return (
            f"memcpy {self.copied_bytes_per_second / 1e9:.1f} GB/s, isal deflate "
            f"{self.deflated_bytes_per_second / 1e6:.0f} MB/s, bare decoding "
            f"{self.decoded_events_per_second / 1e6:.1f} M events/s"
        )


def measure_yardsticks(folder: Path, events: int) -> Yardsticks:
    """Takes some seconds; the best of a few tries each. Traces are made in the folder and removed."""
    source, target = np.ones(_COPIED_BYTES, np.uint8), np.zeros(_COPIED_BYTES, np.uint8)
    copied = _best(lambda: np.copyto(target, source))
    text = TraceSpec("chrome", events, realistic=True).write(folder)
    with text.path.open("rb") as file:
        head = file.read(_DEFLATED_BYTES)
    text.remove()
    deflated = _best(lambda: compress(head))
    trace = TraceSpec("xspace", events, realistic=True).write(folder)
    decoded = decode_seconds(trace.path)
    trace.remove()
    return Yardsticks(_COPIED_BYTES / copied, len(head) / deflated, events / decoded)


def _best(work: Callable[[], object]) -> float:
    taken = []
    for _ in range(_TRIES):
        begin = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begin)
    return min(taken)


def decode_seconds(path: Path) -> float:
    """Seconds in which this thread decodes all events of an XSpace, the best of a few tries; its survey not counted."""
    reader = reader_of(ByteSource.open(path))
    assert isinstance(reader, TrackwiseReader)
    for _ in reader.survey(None):
        pass
    tracks = range(len(reader.summary().tracks))
    seconds = _best(lambda: [sum(1 for _ in reader.track_chunks(track)) for track in tracks])
    reader.close()
    return seconds
