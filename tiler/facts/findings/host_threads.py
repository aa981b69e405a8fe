"""The threads of the host of a device, and that which hands it work, as far as steps and launches tell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.device_lines import is_device_process
from tilescope.tiler.facts import Busy, Device, Work, WorkTrack
from tilescope.tiler.facts.findings.host_kinds import HostKind
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_steps import RunSteps
from tilescope.tiler.query.tracks import SLICE_KINDS
from tilescope.tiler.windows import Windows


@dataclass(frozen=True, slots=True)
class HostThreads:
    """Threads of a host by track; `main` marks the steps, or else launches most; None: unknown."""

    tracks: tuple[int, ...]
    main: int | None


def host_threads_of(
    reader: QueryReader, steps: RunSteps, device: Device, kinds: NDArray[np.uint8], span: Windows
) -> Interruptible[HostThreads]:
    """Threads in the file of a device that are on no device. `kinds`: of each name, that without one first."""
    groups = reader.tree.groups
    file = reader.file_of(device.tracks[0].track)
    tracks = tuple(
        track.id
        for track in reader.tree.tracks
        if track.kind in SLICE_KINDS
        and track.events != 0
        and reader.file_of(track.id) == file
        and track.id not in device.track_ids
        and not is_device_process(groups[track.group].name, groups[track.group].detail)
    )
    threads = frozenset(tracks)
    markers = [
        (series.total_ticks, -track)
        for series in steps.series
        if not series.is_line
        for track in series.tracks
        if track in threads
    ]
    if markers:
        return HostThreads(tracks, -max(markers)[1])
    launches = yield from time_of_kind(reader, tracks, kinds == HostKind.LAUNCH, span)
    main = max(launches, key=lambda track: (launches[track].ticks, -track), default=None)
    return HostThreads(tracks, main)


def time_of_kind(
    reader: QueryReader, tracks: tuple[int, ...], are_of_kind: NDArray[np.bool_], windows: Windows
) -> Interruptible[dict[int, Windows]]:
    """The time in some windows in which slices of some names last, for each track that has any.

    `are_of_kind`: of each name, that without one first.
    """
    times: dict[int, Windows] = {}
    if not are_of_kind.any() or not len(windows):
        return times
    kinds = np.where(are_of_kind, Work.COMPUTATION, Work.NONE).astype(np.uint8)
    for track in tracks:
        parts = []
        for piece in Busy(reader, [WorkTrack(track, kinds)]).pieces(windows):
            if piece is not None and len(piece.of[0].computation):
                parts.append(piece.of[0].computation)
            yield
        if parts:
            times[track] = Windows.from_spans(
                np.concatenate([part.starts for part in parts]), np.concatenate([part.stops for part in parts])
            )
    return times
