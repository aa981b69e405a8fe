"""Columns of a track."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.columns import Phase
from tilescope.tiler.indexing.reading.timed import TimedEvents
from tilescope.tiler.indexing.scratch import Scratch
from tilescope.tiler.indexing.tracks.track_data import TrackData, exact_sum, make_samples


def data(*durations: int) -> TrackData:
    n = len(durations)
    zeros = np.zeros(n, np.int64)
    return TrackData(
        zeros,
        np.array(durations, np.int64),
        np.arange(n, dtype=np.uint32),
        np.zeros(n, np.int32),
        np.zeros(n, np.uint8),
        None,
        zeros,
        np.zeros(0, np.uint8),
        rows=n,
        busy=sum(durations),
    )


def test_sums_are_exact_beyond_64_bits() -> None:
    assert exact_sum(np.full(9, 2**61, np.int64)) == 9 * 2**61
    assert exact_sum(np.zeros(0, np.int64)) == 0


LITTLE_MEMORY = """
import os
import resource
import sys
from pathlib import Path

import numpy as np

from tilescope.tiler.columns import Phase
from tilescope.tiler.indexing.reading.timed import TimedEvents
from tilescope.tiler.indexing.scratch import Scratch
from tilescope.tiler.indexing.tracks.track_data import make_slices

slices, folder, more_bytes = int(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
# Each begin is followed by its end; the slices do not stand in the order of time.
time = np.repeat(np.arange(slices) * 7919 % slices, 2) * 10
time[1::2] += 5
n, zeros = len(time), np.zeros(len(time), np.int64)
phase = np.tile(np.array([Phase.BEGIN, Phase.END], np.uint8), slices)
name, flags, args = np.zeros(n, np.int32), np.zeros(n, np.uint8), np.zeros(n, np.uint8)
events = TimedEvents(phase, time, zeros, name, None, None, flags, np.arange(1, n + 1), args)
scratch = Scratch(folder, memory_bytes=0, mapped_bytes=1 << 20)
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
limit = (int(status["VmData"].split()[0]) << 10) + more_bytes
if "libasan" not in os.environ.get("LD_PRELOAD", ""):  # AddressSanitizer takes much more
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
data = make_slices(events, 20 * slices, scratch).data
scratch.close()
assert (len(data), data.busy, data.rows) == (slices, 5 * slices, 1)
assert (data.start == np.arange(slices) * 10).all()
"""


def test_pairs_of_a_large_track_lie_in_scratch_files(tmp_path: Path) -> None:
    """Without, these take 50 MB more: 37 bytes a slice, and as much again as pairing and arguments work with."""
    command = [sys.executable, "-c", LITTLE_MEMORY, "300000", str(tmp_path), str(24 << 20)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@given(st.lists(st.tuples(st.integers(0, 5), st.floats(-4, 4), st.binary(max_size=3)), min_size=1, max_size=20))
def test_samples_by_time_and_in_the_order_of_the_file(samples: list[tuple[int, float, bytes]]) -> None:
    times, values, texts = (list(column) for column in zip(*samples, strict=True))
    zeros = np.zeros(len(samples), np.int64)
    events = TimedEvents(
        np.full(len(samples), Phase.COUNTER, np.uint8),
        np.array(times),
        zeros,
        zeros.astype(np.int32),
        None,
        np.array(values),
        zeros.astype(np.uint8),
        np.cumsum([len(text) for text in texts]),
        np.frombuffer(b"".join(texts), np.uint8),
    )
    data = make_samples(events, Scratch())
    order = sorted(range(len(samples)), key=lambda place: times[place])
    assert data.start.tolist() == [times[place] for place in order]
    assert data.value is not None
    assert data.value.tolist() == [values[place] for place in order]
    assert bytes(data.args) == b"".join(texts[place] for place in order)
    assert data.args_end.tolist() == np.cumsum([len(texts[place]) for place in order]).tolist()
    assert (data.start is events.start) == (order == list(range(len(samples))))  # nothing is copied
