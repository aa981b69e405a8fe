"""Pids that stand for two things: a process of the host, and a device.

PyTorch writes a device as a process whose pid is the device's number. A program that is pid 1, as in a container,
shares it with GPU 1. What the trace says of a pid tells whether it stands for both, never its number: it has the labels
`CPU` and `GPU 1`; or it has events of hosts and of devices, and is labelled as a device, or its kernels name it as
their `device`.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tilescope.tiler import _native
from tilescope.tiler.columns import Phase, RowMove
from tilescope.tiler.device_lines import is_device_label, is_stream
from tilescope.tiler.readers.trace_event.entries import (
    ON_DEVICE,
    ON_EITHER,
    ON_HOST,
    Entries,
    JsonProcess,
    JsonThread,
    JsonTrack,
    Role,
)

_HOST_LABEL: Final = "CPU"
_BOTH: Final = ON_HOST | ON_DEVICE

# The flows from launches to devices, of today and of before 2022: their ends are on devices.
_LAUNCH_FLOWS: Final = frozenset({"ac2g", "async"})


def split_shared_pids(entries: Entries, stream: _native.TraceEventStream) -> list[RowMove]:
    """Makes two processes of each such pid. Returns which rows are of tracks that are made by that.

    These are rows of a thread that has the pid and tid of a stream.
    """
    thread_sides = [0] * len(entries.threads)
    process_sides = [0] * len(entries.processes)
    for track in entries.tracks:
        if track.thread >= 0:
            thread_sides[track.thread] |= track.sides
        if track.process >= 0:
            process_sides[track.process] |= track.sides
    numbered = {
        thread.process
        for thread in entries.threads
        if thread.device and thread.device == entries.processes[thread.process].pid
    }
    shared = [
        number
        for number, process in enumerate(entries.processes)
        if _is_shared(process, process_sides[number], is_numbered=number in numbered)
    ]
    return _Split(entries, stream, shared, thread_sides).moves if shared else []


def _is_shared(process: JsonProcess, sides: int, *, is_numbered: bool) -> bool:
    is_labelled = any(map(is_device_label, process.labels))
    if is_labelled and _HOST_LABEL in process.labels:
        return True
    return sides & _BOTH == _BOTH and (is_labelled or is_numbered or any(map(is_device_label, process.names)))


class _Split:
    """`moves`: rows of each track that belong to another one."""

    def __init__(
        self, entries: Entries, stream: _native.TraceEventStream, shared: list[int], thread_sides: list[int]
    ) -> None:
        self.moves: list[RowMove] = []
        self._entries = entries
        self._stream = stream
        self._categories: list[str] | None = None  # of names
        self._device_of: dict[int, int] = {}  # numbers of processes, by that of the host's
        self._stream_of: dict[int, int] = {}  # numbers of threads, by that of the host's which has its pid and tid
        for process in shared:
            self._device_of[process] = len(entries.processes)
            entries.processes.append(_take_device(entries.processes[process]))
        with_threads = self._split_threads(thread_sides)
        for number, track in enumerate(list(entries.tracks)):
            if track.process not in self._device_of:
                continue
            if track.thread >= 0:
                self._split_track(number, track)
            elif track.sides & _BOTH == ON_DEVICE or track.process not in with_threads:
                track.process = self._device_of[track.process]

    def _split_threads(self, sides: list[int]) -> set[int]:
        """Returns the processes of hosts that keep threads with events."""
        entries = self._entries
        used = {track.thread for track in entries.tracks}
        with_threads = set()
        for number, thread in enumerate(list(entries.threads)):
            device = self._device_of.get(thread.process)
            if device is None:
                continue
            streams = [name for name in thread.names if is_stream(name.strip())]
            others = [name for name in thread.names if name not in streams]
            certain = sides[number] & _BOTH
            is_two = certain == _BOTH or (sides[number] == ON_DEVICE | ON_EITHER and streams and others)
            if is_two:
                self._stream_of[number] = len(entries.threads)
                entries.threads.append(
                    JsonThread(
                        device, thread.id_kind, thread.tid, streams, thread.sort_index, is_string=thread.is_string
                    )
                )
            elif certain == ON_DEVICE or (not certain and thread.names[-1:] == streams[-1:] != []):
                thread.process, thread.names = device, streams or others
                continue
            thread.names = others or streams
            if number in used:
                with_threads.add(thread.process)
        return with_threads

    def _split_track(self, number: int, track: JsonTrack) -> None:
        stream = self._stream_of.get(track.thread)
        if stream is None:
            track.process = self._entries.threads[track.thread].process
            return
        device = self._device_of[track.process]
        if track.sides == ON_DEVICE:
            track.process, track.thread = device, stream
        elif track.role == Role.THREAD_FLOWS:
            self._move(number, JsonTrack(track.role, device, stream, "", "", ""), Phase.FLOW_END)
        elif track.sides & ON_DEVICE:
            phase = Phase.COMPLETE if track.role == Role.THREAD_SLICES else Phase.INSTANT
            self._move(number, JsonTrack(track.role, device, stream, "", "", ""), phase)

    def _move(self, number: int, track: JsonTrack, phase: Phase) -> None:
        if self._categories is None:
            self._categories = [category for _, category in self._stream.names()]
        is_flow = phase == Phase.FLOW_END
        of_device = {
            category
            for category in set(self._categories)
            if (category in _LAUNCH_FLOWS if is_flow else _native.side_of_category(category) == ON_DEVICE)
        }
        names = np.array([category in of_device for category in self._categories] + [False], np.bool_)
        self.moves.append(RowMove(number, len(self._entries.tracks), phase, names))
        self._entries.tracks.append(track)


def _take_device(process: JsonProcess) -> JsonProcess:
    """Returns the device of a pid, and leaves the host's process. Hosts stand before devices on the screen."""
    labels = [label for label in process.labels if is_device_label(label)]
    called = [name for name in process.names if is_device_label(name)]
    label = (labels or called or [f"GPU {process.pid}"])[-1]
    process.names = [name for name in process.names if name not in called]
    device = JsonProcess(
        process.id_kind,
        process.pid,
        list(process.names),
        [label],
        sorted(process.sort_indices)[-1:],
        process.is_string,
        is_device=True,
        host=process.host,
    )
    process.labels = [text for text in process.labels if text not in labels]
    process.sort_indices = sorted(process.sort_indices)[:1]
    return device
