"""The devices of a run, and on which of its tracks they work.

A device is a process of the track tree. TPUs and GPUs of an XSpace are planes with lines of known names; those of a
PyTorch trace are told by the categories of their events; Ascend devices by the names of their processes and threads.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.device_lines import (
    ASYNC_OP_LINES,
    DEVICE_PREFIX,
    HOST_PLANE,
    OP_LINES,
    is_ascend_device,
    is_device_label,
    is_one_of,
    is_stream,
)
from tilescope.tiler.errors import NotBuilt
from tilescope.tiler.facts.ascend_tracks import AscendTracks
from tilescope.tiler.facts.stacks.frame_kinds import OPERATORS, frame_names
from tilescope.tiler.facts.work import Work, classifier, origins_of, works_of
from tilescope.tiler.query import Interruptible, Name, QueryReader, Reading
from tilescope.tiler.query.run_caches import RunCache
from tilescope.tiler.query.tracks import SLICE_KINDS
from tilescope.tiler.schema import TreeGroup
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.windows import Windows, everywhere

Kinds = NDArray[np.uint8]

NO_DEVICE_TRACKS: Final = "none of the tracks is one of a device"

# What is to be said, and recorded, where there is none.
NO_DEVICES: Final = (
    "no device's work was recognised: XLA Ops lines or streams of an XSpace, events of category kernel of a PyTorch "
    "trace and streams of Ascend Hardware are; record with the device's activities on"
)
_NO_PYTORCH_DEVICES: Final = (
    "the trace is of the host alone: torch.profiler records kernels with ProfilerActivity.CUDA, or XPU, among its "
    "activities"
)


def no_devices(reader: QueryReader) -> Interruptible[str]:
    """The reason for which a run has no devices: what to record. Raises DamagedStore."""
    return _NO_PYTORCH_DEVICES if (yield from frame_names(reader, OPERATORS)).any() else NO_DEVICES


@dataclass(frozen=True, slots=True)
class WorkTrack:
    """A track on which a device works. Of each name, that of events without one first, its `Work` and `Origin`."""

    track: int
    kinds: Kinds
    origins: Kinds | None = None  # None: nobody asks

    @property
    def of_any_kind(self) -> WorkTrack:
        """The same, for those who ask only whether it is busy."""
        return WorkTrack(self.track, (self.kinds != Work.NONE).astype(np.uint8))


@dataclass(frozen=True, slots=True)
class Device:
    """`tracks` are where it works; `beside` what goes on beside that, asynchronously."""

    group: int
    name: str  # with the host's, where there are several
    host: int | None  # group
    tracks: tuple[WorkTrack, ...]
    beside: tuple[WorkTrack, ...] = ()

    @property
    def track_ids(self) -> frozenset[int]:
        """Ids of all its tracks."""
        return frozenset(work_track.track for work_track in (*self.tracks, *self.beside))


_DEVICES: Final = RunCache[list[Device]]("devices", "Devices of a run, and the kinds of work of their names")


def devices_of(reader: QueryReader) -> Interruptible[list[Device]]:
    """The devices of a run in the order of their processes, as far as it is built. Raises DamagedStore."""
    devices = _DEVICES.get(reader)
    return _DEVICES.keep(reader, (yield from _find_devices(reader))) if devices is None else devices


def _find_devices(reader: QueryReader) -> Interruptible[list[Device]]:
    finding = _Finding(reader)
    devices: list[Device] = []
    for group, tracks in sorted(finding.processes.items()):
        plane = plane_of(reader.tree.groups[group])
        if plane.startswith(DEVICE_PREFIX):
            devices += yield from finding.of_plane(group, tracks)
        elif is_ascend_device(reader.tree.groups[group].name):
            devices += yield from finding.of_ascend(group)
    if not devices:
        devices = yield from finding.of_pytorch()
    return devices


def plane_of(group: TreeGroup) -> str:
    """The plane of an XSpace that a process is, as its file calls it; the process' name elsewhere."""
    plane = group.detail.split(" · ", 1)[0]
    return plane if plane == HOST_PLANE or plane.startswith(DEVICE_PREFIX) else group.name


class _Finding:
    """Tables of kinds are made once."""

    def __init__(self, reader: QueryReader) -> None:
        self._reader = reader
        self._tree = reader.tree
        self._has_hosts = sum(entry.kind == "host" for entry in self._tree.groups) > 1
        self._classifier = classifier(reader.work_rules)
        self._tables: dict[Callable[[Name], int], Kinds] = {}
        self._parts: dict[int, tuple[Kinds, Kinds, Kinds]] = {}  # codes, works and origins, by the id of the codes
        self._xla_codes: Kinds | None = None
        self.processes: dict[int, list[int]] = defaultdict(list)
        for track in self._tree.tracks:
            if track.kind in SLICE_KINDS and track.events != 0:
                self.processes[track.group].append(track.id)
        self._ascend = AscendTracks(reader, self.processes, self._codes)

    def of_plane(self, group: int, tracks: Sequence[int]) -> Interruptible[list[Device]]:
        """A TPU or GPU: its lines of operations, or else its streams."""
        streams = [track for track in tracks if is_stream(self._name(track))]
        operations = [track for track in tracks if is_one_of(self._name(track), OP_LINES)]
        if streams:  # lines of operations of a GPU are made of these
            codes = yield from self._codes(self._classifier.gpu_stream)
            return [self._device(group, [(track, codes) for track in streams])]
        if not operations:
            return []
        if self._xla_codes is None:
            self._xla_codes = yield from self._reader.names.page_numbers(self._classifier.xla_operations)
        codes = self._xla_codes
        beside = [(track, codes) for track in tracks if is_one_of(self._name(track), ASYNC_OP_LINES)]
        return [self._device(group, [(track, codes) for track in operations], beside)]

    def of_ascend(self, group: int) -> Interruptible[list[Device]]:
        """Streams, and the communication kernels of the processes beside it: in its file, or on a host of its own."""
        streams = self._ascend.streams(group)
        if not streams:
            return []
        work = yield from self._ascend.task_codes(streams)
        communication = yield from self._codes(self._classifier.ascend_communication)
        work += [(track, communication) for track in self._ascend.communication(group)]
        return [self._device(group, work)]

    def of_pytorch(self) -> Interruptible[list[Device]]:
        """Processes on whose tracks there are events of kernels or copies."""
        codes = yield from self._codes(self._classifier.pytorch_event)
        if not works_of(codes).any():
            return []
        devices = []
        for group, tracks in sorted(self._labelled_processes().items()):
            with_work = []
            for track in tracks:
                if (yield from self._has_work(track, works_of(codes))):
                    with_work.append((track, codes))
            if with_work:
                devices.append(self._device(group, with_work))
        return devices

    def _labelled_processes(self) -> dict[int, list[int]]:
        """Processes that are labelled as devices, of each file; all of a file where none is."""
        by_file: dict[int, dict[int, list[int]]] = defaultdict(dict)
        for group, tracks in self.processes.items():
            by_file[self._reader.file_of(tracks[0])][group] = tracks
        chosen: dict[int, list[int]] = {}
        for groups in by_file.values():
            labelled = {
                group: process_tracks
                for group, process_tracks in groups.items()
                if is_device_label(self._tree.groups[group].name)
            }
            chosen |= labelled or groups
        return chosen

    def _has_work(self, track: int, kinds: Kinds) -> Interruptible[bool]:
        try:
            parts = Reading(self._reader).histogram_parts([track], everywhere(Windows.single(0, TICK_LIMIT)))
            for part in parts:
                if part.has_other_names or bool(kinds[part.name + 1].any()):
                    return True
                yield
        except NotBuilt:
            pass
        return False

    def _device(
        self,
        group: int,
        tracks: Sequence[tuple[int, Kinds]],
        beside: Sequence[tuple[int, Kinds]] = (),
    ) -> Device:
        host = self._tree.groups[group].parent
        name = self._tree.groups[group].name
        if self._has_hosts and host is not None:
            place = self._tree.groups[host].name
            name = place if place.endswith(f" · {name}") else f"{place} · {name}"  # "rank 3 · GPU 3" says it already
        work, async_work = (tuple(self._work_track(*pair) for pair in pairs) for pairs in (tracks, beside))
        return Device(group, name, host, work, async_work)

    def _codes(self, rule: Callable[[Name], int]) -> Interruptible[Kinds]:
        if rule not in self._tables:
            self._tables[rule] = yield from self._reader.names.numbers(rule)
        return self._tables[rule]

    def _name(self, track: int) -> str:
        return self._tree.tracks[track].name

    def _work_track(self, track: int, codes: Kinds) -> WorkTrack:
        """The track, with the tables of all tracks that have these codes: a pod has thousands."""
        if id(codes) not in self._parts:
            self._parts[id(codes)] = codes, works_of(codes), origins_of(codes)
        _, works, origins = self._parts[id(codes)]
        return WorkTrack(track, works, origins)
