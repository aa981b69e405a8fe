"""Tracks of a file with the work of a host and its devices in its steps, and rules for their events."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.device_lines import DEVICE_PREFIX, HOST_PLANE, STEP_TRACE, is_ascend_device, is_stream
from tilescope.tiler.facts.devices import Device, plane_of
from tilescope.tiler.facts.step_times.event_parts import (
    PART_OF_WORK,
    gpu_event,
    host_event,
    host_event_with_device,
    pytorch_part,
)
from tilescope.tiler.facts.work import classifier
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.query.run_steps import RunSteps, StepSeries
from tilescope.tiler.records.steps import StepSource

Codes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class HostTracks:
    """Tracks of one file. `hands_on`: events say to which others they hand on; else what is in a step belongs to it."""

    series: tuple[StepSeries, ...] = field(compare=False)
    threads: tuple[int, ...]
    streams: tuple[int, ...]
    hands_on: bool
    ascend: Mapping[int, Codes] = field(compare=False)  # kinds of work on streams of Ascend devices, by track
    marks_alone: bool = field(compare=False)  # a step trace, without what runs in its steps

    @property
    def process(self) -> int:
        """The process of the steps: the host's, where it marks any."""
        hosts = [step_series for step_series in self.series if step_series.source > StepSource.STEPS_LINE_IN_ORDER]
        return (hosts or list(self.series))[0].process


def host_tracks(reader: QueryReader, steps: RunSteps, tracks: Set[int], devices: Sequence[Device]) -> list[HostTracks]:
    """Tracks of the files that have steps, as far as they are among some tracks; `devices` of the run."""
    file_of = reader.file_of
    ascend: dict[int, Codes] = {}
    ascend_file: dict[int, int] = {}
    for device in devices:
        if is_ascend_device(reader.tree.groups[device.group].name):
            # Its steps may be in another file than its operators, and its communication in a third one.
            device_steps = steps.of_device(device.tracks[0].track)
            marking = device_steps.tracks if device_steps is not None else ()
            file = file_of(marking[0] if marking else device.tracks[0].track)
            for work_track in device.tracks:
                ascend[work_track.track], ascend_file[work_track.track] = work_track.kinds, file
    threads, streams = defaultdict[int, list[int]](list), defaultdict[int, list[int]](list)
    planes: set[int] = set()
    for track in sorted(tracks):
        plane = plane_of(reader.tree.groups[reader.tree.tracks[track].group])
        if track in ascend:
            streams[ascend_file[track]].append(track)
        elif plane.startswith(DEVICE_PREFIX):
            planes.add(file_of(track))
            if is_stream(reader.tree.tracks[track].name):
                streams[file_of(track)].append(track)
        elif plane.startswith(HOST_PLANE):
            planes.add(file_of(track))
            threads[file_of(track)].append(track)
        elif not plane.startswith("/host:"):
            threads[file_of(track)].append(track)
    series: dict[int, list[StepSeries]] = defaultdict(list)
    for step_series in steps.series:
        if step_series.tracks:
            series[file_of(step_series.tracks[0])].append(step_series)
    return [
        HostTracks(
            tuple(file_series),
            tuple(threads[file]),
            tuple(streams[file]),
            file in planes,
            ascend,
            marks_alone=not streams[file] and all(_is_step_trace(reader, track) for track in threads[file]),
        )
        for file, file_series in sorted(series.items())
        if threads[file] or streams[file]
    ]


def _is_step_trace(reader: QueryReader, track: int) -> bool:
    return reader.tree.groups[reader.tree.tracks[track].group].name == STEP_TRACE


# By whether there are streams, and whether events hand on.
_THREAD_CODES: Final = KeyedRunCache[tuple[bool, bool], Codes]("thread_codes", "Parts of steps by names on threads")


def thread_codes(reader: QueryReader, file_tracks: HostTracks) -> Interruptible[Codes]:
    """Codes, by name, of events of threads, that of events without one first."""
    key = bool(file_tracks.streams), file_tracks.hands_on
    codes = _THREAD_CODES.get(reader, key)
    if codes is None:
        by_thread = host_event_with_device if file_tracks.streams else host_event
        rule = by_thread if file_tracks.hands_on else partial(pytorch_part, classifier(reader.work_rules))
        codes = _THREAD_CODES.keep(reader, key, (yield from reader.names.numbers(rule)))
    return codes


def stream_codes(reader: QueryReader, file_tracks: HostTracks) -> Interruptible[dict[int, Codes]]:
    """The same of what runs on the streams of devices, by track."""
    codes = {
        track: PART_OF_WORK[file_tracks.ascend[track]] for track in file_tracks.streams if track in file_tracks.ascend
    }
    others = [track for track in file_tracks.streams if track not in codes]
    if others:
        codes |= dict.fromkeys(
            others, (yield from reader.names.numbers(partial(gpu_event, classifier(reader.work_rules))))
        )
    return codes
