"""Each transfer from core to core: what one sends in a step, the other receives in the same step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.channels.channel_kinds import Channel, Channels, TransferRole
from tilescope.tiler.facts.metadata_codes import MetadataCodes, metadata_codes
from tilescope.tiler.facts.operations import TpuCore
from tilescope.tiler.facts.operations.track_records import OperationRecords, track_kinds
from tilescope.tiler.facts.operations.xla_instructions import operation_metadata
from tilescope.tiler.facts.step_times.category_codes import PART_CODES, part_codes
from tilescope.tiler.facts.step_times.parts import StepPart
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.records.device.operations import OperationKinds, TrackKinds
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

# Parts of steps among which there are operations that send or receive.
_CODES: Final = [PART_CODES[part] for part in (StepPart.SEND, StepPart.RECV, StepPart.COLLECTIVES)]


@dataclass(frozen=True, slots=True)
class CoreWindows:
    """A core, its number in programs, and its steps in the order of time: when they are, and which of the run's."""

    core: TpuCore
    number: int
    starts: Ints
    stops: Ints
    step: Ints


@dataclass(frozen=True, slots=True)
class Transfers:
    """Transfers of a run, by channel, source and step; columns (n,), times in ticks.

    Cores are places in the `cores` of `run_transfers`.
    """

    channels: Sequence[Channel]
    channel: Ints  # place in `channels`
    source: Ints
    destination: Ints
    step: Ints
    begin: Ints  # when it is sent
    end: Ints  # when it was received
    send_delay: Ints  # from when the other side was ready to receive; 0: it was not
    track: Ints  # and ordinal: of the event that ends it
    ordinal: Ints
    unmatched: int  # sends without an end in these steps: of other cores, or of a capture that ends
    unpaired: int  # channels between several cores, of which the trace does not say who sends to whom

    def __len__(self) -> int:
        return len(self.channel)


@dataclass(frozen=True, slots=True)
class _Events:
    """Events of one role; columns (n,). `turn`: position among those of its channel in its step, on its core."""

    channel: Ints
    core: Ints
    step: Ints
    begin: Ints
    end: Ints
    track: Ints
    ordinal: Ints
    turn: Ints


def run_transfers(reader: QueryReader, cores: Sequence[CoreWindows]) -> Interruptible[Transfers]:
    """Transfers that begin and end in some steps of some cores. Raises DamagedStore, NotBuilt."""
    channels, metadata = Channels(), metadata_codes(reader)
    parts_by_role: dict[TransferRole, list[tuple[Ints, ...]]] = {role: [] for role in TransferRole}
    for place, core_windows in enumerate(cores):
        for track in core_windows.core.operations:
            kinds = track_kinds(reader, track)
            if kinds is not None and len(core_windows.starts):
                yield from _read(reader, metadata, channels, track, kinds, place, core_windows, parts_by_role)
    events = {
        role: _events(parts_by_role[role]) for role in (TransferRole.SEND, TransferRole.RECV, TransferRole.RECV_DONE)
    }
    return _joined(channels.all, [core_windows.number for core_windows in cores], events)


def _read(
    reader: QueryReader,
    metadata: MetadataCodes,
    channels: Channels,
    track: int,
    kinds: TrackKinds,
    place: int,
    core_windows: CoreWindows,
    parts_by_role: dict[TransferRole, list[tuple[Ints, ...]]],
) -> Interruptible[None]:
    file = reader.file_of(track)
    tables = reader.event_metadata(file)
    if tables is None:
        return
    count = len(kinds.kinds)
    channel_of = np.full((len(TransferRole), count), -1)
    has_metadata = OperationKinds.of(kinds.kinds).metadata >= 0
    codes = yield from part_codes(reader, track, kinds)
    for number in np.flatnonzero(np.isin(codes, _CODES) & has_metadata).tolist():
        kind = kinds.kinds[number]
        for role, channel in channels.roles(operation_metadata(metadata, file, tables, kind)):
            channel_of[role, number] = channel
    if not (channel_of >= 0).any():
        return
    tick_ps = reader.tick_ps
    records = OperationRecords(reader, track, kinds)
    windows = Windows.from_spans(core_windows.starts, core_windows.stops)
    for record in range(kinds.records):
        if not records.meets(record, windows):
            continue
        operations = records.operations(record)
        if not (channel_of[:, operations.kind] >= 0).any():
            yield
            continue
        events = records.events_in(record, len(operations), windows)
        row = events.ordinal - records.first(record)
        window = np.searchsorted(core_windows.starts, events.start, side="right") - 1
        inside = (window >= 0) & (events.start < core_windows.stops[np.maximum(window, 0)])
        for role in (TransferRole.SEND, TransferRole.RECV, TransferRole.RECV_DONE):
            channel = channel_of[role, operations.kind[row]]
            selected = np.flatnonzero((channel >= 0) & inside)
            columns = (
                channel[selected],
                np.full(len(selected), place),
                core_windows.step[window[selected]],
                events.start[selected],
            )
            ends = events.start[selected] + operations.duration[row[selected]] // tick_ps
            parts_by_role[role].append((*columns, ends, np.full(len(selected), track), events.ordinal[selected]))
        yield


def _events(parts: Sequence[tuple[Ints, ...]]) -> _Events:
    nothing = (np.zeros(0, np.int64),) * 7
    channel, core, step, begin, end, track, ordinal = (
        np.concatenate(column) for column in zip(nothing, *parts, strict=True)
    )
    order = np.lexsort((begin, core, step, channel))
    channel, core, step = channel[order], core[order], step[order]
    change = np.ones(len(order), np.bool_)
    change[1:] = (np.diff(channel) != 0) | (np.diff(step) != 0) | (np.diff(core) != 0)
    first = np.flatnonzero(change)
    turn = np.arange(len(order)) - np.repeat(first, np.diff(first, append=len(order)))
    return _Events(channel, core, step, begin[order], end[order], track[order], ordinal[order], turn)


def _joined(channels: list[Channel], numbers: Sequence[int], events: dict[TransferRole, _Events]) -> Transfers:
    send, recv, done = events[TransferRole.SEND], events[TransferRole.RECV], events[TransferRole.RECV_DONE]
    goes_to = np.full((len(channels), len(numbers)), -1)
    place_of = {number: place for place, number in enumerate(numbers)}
    unpaired = 0
    for place, channel in enumerate(channels):
        senders = np.unique(send.core[send.channel == place])
        receivers = np.unique(done.core[done.channel == place])
        if channel.pairs:
            for source, destination in channel.pairs:
                if source in place_of and destination in place_of:
                    goes_to[place, place_of[source]] = place_of[destination]
        elif len(senders) == len(receivers) == 1:
            goes_to[place, senders[0]] = receivers[0]
        else:
            unpaired += bool(len(senders) and len(receivers))
    target: Ints = goes_to[send.channel, send.core] if len(channels) else np.zeros(0, np.int64)
    ended = _find(done, send.channel, send.step, target, send.turn)
    ready = _find(recv, send.channel, send.step, target, send.turn)
    completed = np.flatnonzero(ended >= 0)
    order = completed[
        np.lexsort((send.begin[completed], send.step[completed], send.core[completed], send.channel[completed]))
    ]
    begin, end_events, ready = send.begin[order], ended[order], ready[order]
    since = np.where(ready >= 0, recv.begin[np.maximum(ready, 0)], begin) if len(recv.begin) else begin
    return Transfers(
        channels,
        send.channel[order],
        send.core[order],
        target[order],
        send.step[order],
        begin,
        done.end[end_events],
        np.maximum(0, begin - since),
        done.track[end_events],
        done.ordinal[end_events],
        int(((target >= 0) & (ended < 0)).sum()),
        unpaired,
    )


def _find(events: _Events, channel: Ints, step: Ints, core: Ints, turn: Ints) -> Ints:
    """Position of each of these among events, -1: none. Events are in this order."""
    if not len(events.channel) or not len(channel):
        return np.full(len(channel), -1)
    columns = ((events.channel, channel), (events.step, step), (events.core, core), (events.turn, turn))
    ours, theirs = np.zeros(len(events.channel), np.int64), np.zeros(len(channel), np.int64)
    for present, wanted in columns:
        size = max(int(present.max()), int(wanted.max())) + 2
        # Ranks, so that the product of all sizes stays small.
        ranks = np.unique(np.concatenate([ours, theirs]))
        ours = np.searchsorted(ranks, ours) * size + present + 1
        theirs = np.searchsorted(ranks, theirs) * size + wanted + 1
    positions = np.minimum(np.searchsorted(ours, theirs), len(ours) - 1)
    return np.where(ours[positions] == theirs, positions, -1)
