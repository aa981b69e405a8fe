"""RunFindings of files, as the overview asks for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np

from tilescope.tiler.facts import Device, devices_of
from tilescope.tiler.facts.findings import Finding, RunFindings, findings_of
from tilescope.tiler.facts.findings.device_time import DeviceReading, DeviceTime
from tilescope.tiler.facts.findings.frames import Frames, common_frames, frames_of
from tilescope.tiler.facts.findings.host_threads import host_threads_of
from tilescope.tiler.facts.findings.idle_causes import idle_causes
from tilescope.tiler.facts.findings.losses import DeviceGroup, group_of
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.store import open_run_store


@contextmanager
def reading(files: Sequence[Path], folder: Path) -> Iterator[QueryReader]:
    """A reader of the run of some files."""
    build_store(list(files), folder / "store")
    with closing(open_run_store(folder / "store")) as store:
        yield QueryReader(store)


def findings(
    reader: QueryReader, span: TickRange | None = None, numbers: tuple[int, int] | None = None, device_count: int = 0
) -> RunFindings:
    """The findings of a run, in a range or in steps."""
    devices = finish(devices_of(reader))
    span = span or TickRange(0, reader.end + 1)
    return finish(findings_of(reader, reader.steps, devices, span, numbers, device_count=device_count))


def text(rows: Sequence[Finding]) -> str:
    """Rows in lines, for messages of assertions."""
    return "\n".join(f"{row.cause} | {row.where} | {row.steps} | {row.loss} | {row.sentence}" for row in rows)


def time_alone(reader: QueryReader, device: Device, frames: Frames) -> DeviceTime:
    """The time of a device, piece by piece and without a second thread."""
    device_reading = DeviceReading(reader, device, frames)
    for piece in device_reading.pieces():
        if piece is not None:
            device_reading.add(device_reading.division(piece))
    return device_reading.take()


def groups(reader: QueryReader) -> list[DeviceGroup]:
    """The group of all devices of a run that have frames; none where none has."""
    span = TickRange(0, reader.end + 1)
    devices = finish(devices_of(reader))
    frames = [(device, finish(frames_of(reader, reader.steps, device, span, None))) for device in devices]
    frames = [(device, device_frames) for device, device_frames in frames if len(device_frames)]
    lanes, causes = [], []
    for (device, _), common in zip(frames, common_frames([part for _, part in frames]), strict=True):
        lane = time_alone(reader, device, common)
        file = reader.file_of(device.tracks[0].track)
        threads = finish(host_threads_of(reader, reader.steps, file, device.track_ids, common.windows))
        lanes.append(lane)
        causes.append(finish(idle_causes(reader, lane, threads)))
    return [group_of(lanes, causes, np.zeros(len(lanes), np.int64))] if lanes else []
