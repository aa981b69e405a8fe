"""Devices that are read together, one after the other or in turn, have the times of each alone."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.device_trace import DeviceTrace
from tests.tiler.facts.findings.answers import findings, reading, text, time_alone
from tests.tiler.facts.findings.pytorch_causes import PLANTED, run
from tests.tiler.facts.findings.pytorch_run import write_ranks
from tests.tiler.windows import pairs
from tilescope.tiler.facts import Device, busy, devices_of
from tilescope.tiler.facts.findings import device_times
from tilescope.tiler.facts.findings.device_time import TimePart
from tilescope.tiler.facts.findings.device_times import times_of_devices
from tilescope.tiler.facts.findings.frames import Frames, frames_of
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.store import two_threads
from tilescope.tiler.windows import Windows


def each_with_frames(reader: QueryReader) -> tuple[list[Device], list[Frames]]:
    devices = finish(devices_of(reader))
    span = TickRange(0, reader.end + 1)
    return devices, [finish(frames_of(reader, reader.steps, device, span, None)) for device in devices]


@pytest.mark.parametrize("name", ["exposed_collective", "stages", "slow_device"])
@pytest.mark.parametrize("most", [0, 1 << 20])
def test_times_are_those_of_each_device_alone(tmp_path: Path, name: str, most: int) -> None:
    paths = write_ranks(run(PLANTED[name]), tmp_path)
    with (
        reading(paths, tmp_path) as reader,
        patch.object(device_times, "_MANY_EVENTS", 0),
        patch.object(device_times, "_MOST_STRETCHES", most),
    ):
        devices, frames = each_with_frames(reader)
        assert len(devices) > 2
        lanes = [lane for lane in times_of_devices(reader, devices, frames) if lane is not None]
        assert [lane.device for lane in lanes] == devices
        for lane, device, device_frames in zip(lanes, devices, frames, strict=True):
            alone = time_alone(reader, device, device_frames)
            assert all((lane.ticks[part] == alone.ticks[part]).all() for part in TimePart)
            assert list(map(pairs, lane.idle)) == list(map(pairs, alone.idle))
        in_turn = text(findings(reader).rows)
    with reading(paths, tmp_path) as reader:
        assert text(findings(reader).rows) == in_turn


@pytest.fixture
def many_pieces(tmp_path: Path) -> Iterator[QueryReader]:
    """Two devices, each of which is read in several pieces."""
    with patch.object(busy, "_EVENTS_AT_ONCE", 300):
        trace = DeviceTrace(tmp_path, random.Random(11))
        yield QueryReader(trace.store)
        trace.store.close()


@pytest.mark.parametrize("many", [0, 1 << 30])
def test_devices_of_several_pieces(many_pieces: QueryReader, many: int) -> None:
    devices, frames = each_with_frames(many_pieces)
    parts = [
        len(list(busy.Busy(many_pieces, device.tracks).parts(frame.windows)))
        for device, frame in zip(devices, frames, strict=True)
    ]
    assert len(parts) > 1
    assert min(parts) > 2
    with patch.object(device_times, "_MANY_EVENTS", many):
        lanes = [lane for lane in times_of_devices(many_pieces, devices, frames) if lane is not None]
    for lane, device, device_frames in zip(lanes, devices, frames, strict=True):
        alone = time_alone(many_pieces, device, device_frames)
        assert lane.device == device
        assert all((lane.ticks[part] == alone.ticks[part]).all() for part in TimePart)
        assert all(pairs(lane.spans[part]) == pairs(alone.spans[part]) for part in lane.spans)
        assert list(map(pairs, lane.idle)) == list(map(pairs, alone.idle))


def test_the_next_device_is_begun_before_somebody_works_on_one(many_pieces: QueryReader) -> None:
    devices, frames = each_with_frames(many_pieces)
    begun: list[Device] = []
    original = busy.Busy.unsorted_pieces

    def unsorted_pieces(self: busy.Busy, windows: Windows) -> Iterator[busy.UnsortedPiece | None]:
        begun.append(devices[len(begun)])
        yield from original(self, windows)

    with (
        patch.object(busy.Busy, "unsorted_pieces", unsorted_pieces),
        patch.object(two_threads, "_processors", lambda: 2),
    ):
        lanes = (lane for lane in times_of_devices(many_pieces, devices, frames) if lane is not None)
        assert next(lanes).device == devices[0]
        assert begun == devices[:2]
        lanes.close()
