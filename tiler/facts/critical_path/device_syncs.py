"""Synchronisations that a profiler recorded on a device: which call waits for which stream, and up to where.

PyTorch records them with `enable_cuda_sync_events`, as slices `Stream Sync`, `Context Sync`, `Event Sync` and
`Stream Wait Event` of the device, each with the call that it is about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details.values import ValueKind
from tilescope.tiler.facts.devices import Device
from tilescope.tiler.facts.launches.device_launches import launches_of_slices
from tilescope.tiler.query import Interruptible, Name, QueryReader, Reading
from tilescope.tiler.query.arguments import ArgumentReader
from tilescope.tiler.query.events import Events
from tilescope.tiler.query.run_caches import RunCache
from tilescope.tiler.query.tracks import SLICE_KINDS
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

ALL_STREAMS: Final = -1

_CATEGORY: Final = "cuda_sync"
_STREAM_SYNC, _CONTEXT_SYNC, _EVENT_SYNC, _STREAM_WAIT = range(1, 5)
_CODES: Final[Mapping[str, int]] = {
    "Stream Sync": _STREAM_SYNC,
    "Context Sync": _CONTEXT_SYNC,
    "Event Sync": _EVENT_SYNC,
    "Stream Wait Event": _STREAM_WAIT,
}
_ARGUMENTS: Final = ("stream", "wait_on_stream", "wait_on_cuda_event_record_corr_id")
_CORRELATION: Final = "correlation"
_NUMBER: Final = re.compile(r"([0-9]{1,9})\s*$", re.ASCII)

_NAMES: Final = RunCache[NDArray[np.uint8]]("device_sync_names", "Names of synchronisations on devices")


@dataclass(frozen=True, slots=True)
class DeviceSyncs:
    """Waits for streams, columns of shape (n,)."""

    thread: Ints  # track of the call
    call: Ints  # its ordinal
    call_start: Ints  # ticks
    stream: Ints  # track that is waited for; ALL_STREAMS of the device
    record: Ints  # number of the call that marks the place waited for; -1: all that was launched before the call
    waiting_stream: Ints  # track of the stream that waits; -1: the call does

    @classmethod
    def joined(cls, parts: list[DeviceSyncs]) -> DeviceSyncs:
        """All of them."""
        none = np.zeros(0, np.int64)
        return cls(*(np.concatenate([none, *(getattr(part, name) for part in parts)]) for name in cls.__slots__))


def device_syncs(
    reader: QueryReader, device: Device, start: int, stop: int, count: Callable[[int], None]
) -> Interruptible[DeviceSyncs]:
    """The synchronisations of a device in [start, stop). `count` is called with the number of those that are read.

    Raises DamagedStore, NotBuilt, StoredLast.
    """
    codes = _NAMES.get(reader)
    if codes is None:
        codes = _NAMES.keep(reader, (yield from reader.names.numbers(_code)))
    parts: list[DeviceSyncs] = []
    if codes.any():
        streams = _streams(reader, device)
        for track in reader.tree.tracks:
            if track.group == device.group and track.kind in SLICE_KINDS and track.events:
                plan = reader.plan(track.id, Windows.single(start, stop))
                for events in Reading(reader).events(plan, plan.leaf_runs):
                    syncs = events.take(codes[events.name + 1] != 0)
                    if len(syncs):
                        count(len(syncs))
                        parts.append((yield from _of_slices(reader, syncs, codes[syncs.name + 1], streams)))
                    yield
    return DeviceSyncs.joined(parts)


def record_numbers(reader: QueryReader, calls: Events) -> Interruptible[Ints]:
    """The number by which waits name each of some calls of a thread, by ordinal; -1: none. Raises DamagedStore."""
    arguments = ArgumentReader(reader.store)
    numbers = np.full(len(calls), -1)
    for part in arguments.values(calls.track, calls.ordinal, [_CORRELATION]) if len(calls) else ():
        (values,) = part.values
        numbers[part.which] = np.where(values.kind == ValueKind.INTEGER, values.bits, -1)
        yield
    return numbers


def _code(name: Name) -> int:
    return _CODES.get(name.text, 0) if name.category == _CATEGORY else 0


def _streams(reader: QueryReader, device: Device) -> dict[int, int]:
    """Tracks of streams by their number."""
    streams = {}
    for work_track in device.tracks:
        match = _NUMBER.search(reader.tree.tracks[work_track.track].name)
        if match is not None:
            streams[int(match[1])] = work_track.track
    return streams


def _of_slices(
    reader: QueryReader, syncs: Events, codes: NDArray[np.uint8], streams: Mapping[int, int]
) -> Interruptible[DeviceSyncs]:
    """Waits whose call was recorded, for streams that have work."""
    order = np.argsort(syncs.ordinal, kind="stable")
    syncs, codes = syncs.take(order), codes[order]
    stream, source, record = (np.full(len(syncs), -1) for _ in _ARGUMENTS)
    for part in ArgumentReader(reader.store).values(syncs.track, syncs.ordinal, _ARGUMENTS):
        for column, values in zip((stream, source, record), part.values, strict=True):
            column[part.which] = np.where(values.kind == ValueKind.INTEGER, values.bits, -1)
    launches = yield from launches_of_slices(reader, syncs.track, syncs.ordinal)
    row = launches.rows(syncs.ordinal)
    by_event = (codes == _EVENT_SYNC) | (codes == _STREAM_WAIT)
    is_context, is_wait = codes == _CONTEXT_SYNC, codes == _STREAM_WAIT
    waited, waiting = (
        np.array([streams.get(number, -1) for number in numbers.tolist()], np.int64)
        for numbers in (np.where(by_event, source, stream), stream)
    )
    is_known = (row >= 0) & (is_context | (waited >= 0)) & (~is_wait | (waiting >= 0)) & (~by_event | (record >= 0))
    row = row[is_known]
    return DeviceSyncs(
        launches.track[row],
        launches.launch[row],
        launches.start[row],
        np.where(is_context, ALL_STREAMS, waited)[is_known],
        np.where(by_event, record, -1)[is_known],
        np.where(is_wait, waiting, -1)[is_known],
    )
