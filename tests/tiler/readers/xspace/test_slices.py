"""Slices that are read straight into columns are those of the chunks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.tiler.readers import wire_writer as w
from tests.tiler.readers.xspace.test_property import SPACES
from tests.tiler.xspace_launches import DEVICE, HOST, OTHER, STREAM, correlated, plane
from tilescope.tiler import _native
from tilescope.tiler.columns import Phase, TickScale
from tilescope.tiler.errors import DamagedTrace
from tilescope.tiler.indexing.reading.timed import FileAxis, TimedEvents, timed_events
from tilescope.tiler.indexing.reading.timeline import Timeline
from tilescope.tiler.indexing.scratch import Scratch
from tilescope.tiler.readers.xspace import XSpaceReader

TIMELINES = st.builds(
    Timeline,
    origin_ns=st.sampled_from([0, -7, 1 << 40]),
    tick_ps=st.sampled_from([1, 1000]),
    end=st.just(0),
    rounds=st.booleans(),
).filter(lambda timeline: timeline.tick_ps == 1000 or not timeline.rounds)


def surveyed(path: Path) -> XSpaceReader:
    reader = XSpaceReader.open(path)
    for _ in reader.survey():
        pass
    return reader


def assert_same_slices(made: TimedEvents, chunks: TimedEvents) -> None:
    """The rows of chunks have flow ends among the slices."""
    is_slice = chunks.phase == Phase.COMPLETE
    for column in ("start", "duration", "name", "flags", "args_end"):
        assert getattr(made, column).tolist() == getattr(chunks, column)[is_slice].tolist(), column
    assert made.args.tobytes() == chunks.args.tobytes()
    rows = np.flatnonzero(~is_slice)
    ends = made.flow_ends
    if ends is None:
        assert not len(rows)
        return
    assert chunks.key is not None
    assert ends.phase.tolist() == chunks.phase[rows].tolist()
    assert ends.tick.tolist() == chunks.start[rows].tolist()
    assert ends.key.tolist() == chunks.key[rows].tolist()
    assert ends.slice.tolist() == (np.cumsum(is_slice)[rows] - 1).tolist()


@given(raw=SPACES, timeline=TIMELINES, base_ns=st.sampled_from([0, 12345]))
@settings(max_examples=2 * settings().max_examples, deadline=None, suppress_health_check=list(HealthCheck))
def test_the_same_as_chunks(raw: bytes, timeline: Timeline, base_ns: int, tmp_path: Path) -> None:
    path = tmp_path / "host.xplane.pb"
    path.write_bytes(raw)
    try:
        reader = surveyed(path)
    except DamagedTrace:
        return
    names = np.arange(len(reader.summary().names), -1, -1, dtype=np.int32)
    axis = FileAxis(timeline, base_ns, names)
    for track in range(len(reader.summary().tracks)):
        slices = reader.track_slices(track, timeline.scale(base_ns), names, Scratch().empty)
        chunks = timed_events(reader.track_chunks(track), reader.rows_of(track), axis, Scratch())
        if slices is not None:
            assert_same_slices(TimedEvents.of_slices(slices), chunks)
    reader.close()


NUMBERS = st.lists(st.one_of(st.none(), st.integers(0, 1 << 62)), min_size=1, max_size=8)


@given(NUMBERS, st.sampled_from([HOST, DEVICE]), st.integers(1, 60))
@settings(suppress_health_check=list(HealthCheck))
def test_keys_of_correlations(tmp_path: Path, numbers: list[int | None], name: str, text_bytes: int) -> None:
    """Each slice has that of its stat, whatever stands beside it; a text is of no use to those that look quickly."""
    path = tmp_path / "host.xplane.pb"
    others = (b"", w.message(4, w.number(1, OTHER), w.data(5, "x" * text_bytes)), correlated(9, key=OTHER))
    stats = [others[k % 3] + (b"" if number is None else correlated(number)) for k, number in enumerate(numbers)]
    path.write_bytes(plane(name, {STREAM: [("work", 100 * k, stat) for k, stat in enumerate(stats)]}))
    reader = surveyed(path)
    slices = reader.track_slices(0, TickScale(0, 1000, False), np.zeros(9, np.int32), Scratch().empty)
    assert slices is not None
    assert slices.key is not None
    assert slices.key.tolist() == [
        -2 - (2 * number + (name == DEVICE)) if number and number < 1 << 61 else -1 for number in numbers
    ]
    reader.close()


def file_of(path: Path, events: list[bytes]) -> Path:
    line = w.message(3, w.number(3, 1000), *events)
    named = w.message(4, w.number(1, 1), w.message(2, w.number(1, 1), w.data(2, "matmul")))
    path.write_bytes(w.message(1, w.data(2, "/device:TPU:0"), line, named))
    return path


def event(offset_ps: int, duration_ps: int) -> bytes:
    return w.message(4, w.number(1, 1), w.number(2, offset_ps), w.number(3, duration_ps))


def surveyed_bytes(content: NDArray[np.uint8]) -> _native.XSpaceFile:
    """Of one line, which counts from 0."""
    file = _native.XSpaceFile(content, 1 << 30, 0, 0, 0)
    assert not file.read_outline(len(content))
    survey = file.survey(0)
    assert not survey.advance(len(content))
    file.surveyed(0, survey)
    file.settle(0, 0)
    while file.seal(1):
        pass
    return file


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param(event(9000, 70), id="time"),
        pytest.param(event(6000, 90), id="duration"),
        pytest.param(w.message(4, w.number(1, 2), w.number(2, 6000), w.number(3, 70)), id="name"),
        pytest.param(w.data(5, event(6000, 70)[2:]), id="no event"),
        pytest.param(w.message(4, w.number(1, 1), w.number(2, 6000), w.data(4, b"")), id="arguments"),
    ],
)
def test_events_that_were_not_surveyed_are_refused(changed: bytes, tmp_path: Path) -> None:
    path = file_of(tmp_path / "host.xplane.pb", [event(5000, 70), event(6000, 70)])
    content = np.frombuffer(path.read_bytes(), np.uint8).copy()
    file = surveyed_bytes(content)
    at = content.tobytes().index(event(6000, 70))
    content[at : at + len(changed)] = np.frombuffer(changed, np.uint8)
    start, duration, args_end = (np.empty(2, np.int64) for _ in range(3))
    name, flags, args = np.empty(2, np.int32), np.empty(2, np.uint8), np.empty(file.args_room(0), np.uint8)
    none, no_phase, names = np.empty(0, np.int64), np.empty(0, np.uint8), np.zeros(1, np.int32)
    slices = file.slices(
        0,
        0,
        1000,
        False,
        names,
        start,
        duration,
        name,
        flags,
        args_end,
        args,
        none,
        [],
        False,
        no_phase,
        none,
        none,
        none,
    )
    with pytest.raises(_native.WireError, match="changed while it was read"):
        slices.advance(len(content))


def test_names_that_are_missing_are_refused(tmp_path: Path) -> None:
    reader = surveyed(file_of(tmp_path / "host.xplane.pb", [event(5000, 70)]))
    with pytest.raises(ValueError, match="names"):
        reader.track_slices(0, TickScale(0, 1000, False), np.zeros(0, np.int32), Scratch().empty)
    reader.close()
