"""Slices that several files of a device have: each is shown as often as the file has it that has it most often.

msprof writes the tasks of a device to `task_time_*.json`, its communication to `hccl_*.json`, and both once more to
`msprof_*.json`. Two slices are the same if their device, stream, name, start and duration are, to the picosecond.
Streams with many slices are compared in shares, so that what is in memory is bounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from msgspec import Struct, field, structs
from numpy.typing import NDArray

from tilescope.tiler.columns import EventChunk, Phase
from tilescope.tiler.indexing.reading import copied_arrows
from tilescope.tiler.indexing.reading.copied_arrows import leave_out_arrows
from tilescope.tiler.indexing.reading.file_events import TraceFile
from tilescope.tiler.indexing.reading.gather import Gatherer
from tilescope.tiler.readers.memory_budget import COMPARED_SLICE_BYTES, Room

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

REASON: Final = "copied_slices"  # among what is ignored

_MIX: Final = np.uint64(0x9E3779B97F4A7C15)
_NAMED: Final = 3  # files that have the copies of one
_KEY_COLUMNS: Final = 5  # name, start in ns and ps, duration in ns and ps


class _Compared(Struct):
    """A file of a device, while it is compared with the others."""

    number: int
    file: TraceFile
    gathered: Gatherer
    names: Ints  # ids of its names that the files of the device share, shape (n + 1,): the last is that of no name
    slices: int = 0  # copies, which are left out
    flow_ends: int = 0  # of arrows, left out with their slices
    originals: list[str] = field(default_factory=list)  # names of the files that have them


class _Part(Struct, frozen=True):
    """Slices in a piece of a track that are in this share."""

    source: int  # position of the file
    track: int
    piece: int  # of the track
    rows: Ints


def leave_out_copies(files: Sequence[TraceFile | None], room: Room) -> list[TraceFile | None]:
    """The files; of slices that several of a device have, those of the file with the most slices stay.

    A warning of each file says how many are left out. Raises TooMany when more slices are alike than there is room for.
    """
    result = _with_devices(files)
    by_device: dict[tuple[str, str, int], list[int]] = {}
    for number, file in enumerate(result):
        if file is not None and file.summary.device_file is not None and isinstance(file.events, Gatherer):
            place = file.summary.device_file
            by_device.setdefault((place.capture, place.device, file.summary.base_time_ns), []).append(number)
    for numbers in by_device.values():
        if len(numbers) > 1:
            for compared in _compare([(number, file) for number in numbers if (file := result[number])], room):
                result[compared.number] = _without_copies(compared)
    return result


def _with_devices(files: Sequence[TraceFile | None]) -> list[TraceFile | None]:
    """The files; one that says its capture and no device is of the device of the others, if that is a single one."""
    places = [None if file is None else file.summary.device_file for file in files]
    devices: dict[str, set[str]] = {}
    for place in places:
        if place is not None and place.capture and place.device:
            devices.setdefault(place.capture, set()).add(place.device)
    result = list(files)
    for number, (file, place) in enumerate(zip(files, places, strict=True)):
        if file is not None and place is not None and not place.device and len(devices.get(place.capture, ())) == 1:
            (device,) = devices[place.capture]
            summary = replace(file.summary, device_file=structs.replace(place, device=device))
            result[number] = structs.replace(file, summary=summary)
    return result


def _compare(files: Sequence[tuple[int, TraceFile]], room: Room) -> list[_Compared]:
    """The files of a device, the one with the most slices first, without their copies."""
    in_order = sorted(
        files, key=lambda entry: (-entry[1].summary.counts.slices, entry[1].path.name, entry[1].path.as_posix())
    )
    ids: dict[str, int] = {}
    compared = []
    for number, file in in_order:
        names = [ids.setdefault(name, len(ids)) for name in file.summary.names]
        assert isinstance(file.events, Gatherer)
        compared.append(_Compared(number, file, file.events, np.array([*names, -1], np.int64)))
    for tracks in _streams(compared):
        _compare_stream(compared, tracks, room)
    return compared


def _streams(compared: Sequence[_Compared]) -> Iterator[list[tuple[int, int]]]:
    """Position of the file, and track, of all tracks of a stream that several files have."""
    streams: dict[str, list[tuple[int, int]]] = {}
    for source, entry in enumerate(compared):
        device_file = entry.file.summary.device_file
        for track, stream in enumerate(device_file.streams if device_file is not None else ()):
            if stream and entry.gathered.rows_of(track):
                streams.setdefault(stream, []).append((source, track))
    for tracks in streams.values():
        if len({source for source, _ in tracks}) > 1:
            yield tracks


def _compare_stream(compared: Sequence[_Compared], tracks: Sequence[tuple[int, int]], room: Room) -> None:
    at_once = room.bytes // COMPARED_SLICE_BYTES
    rows = sum(compared[source].gathered.rows_of(track) for source, track in tracks)
    shares = max(1, -(-2 * rows // at_once))
    copies: dict[tuple[int, int, int], Mask] = {}  # of the rows of each piece
    for share in range(shares):
        parts, keys = [], []
        for part, key in _slices(compared, tracks, share, shares):
            parts.append(part)
            keys.append(key)
        if sum(len(part.rows) for part in parts) > at_once:
            what = f"repeats slices of other files of its device, more than {at_once:,} of them all alike"
            raise room.error(compared[tracks[0][0]].file.path, what)
        _mark_copies(compared, parts, keys, copies)
    masks_by_track: dict[tuple[int, int], dict[int, Mask]] = {}
    for (source, track, number), mask in copies.items():
        masks_by_track.setdefault((source, track), {})[number] = mask
    for (source, track), masks in masks_by_track.items():
        entry = compared[source]
        entry.flow_ends += leave_out_arrows(entry.gathered, entry.file.summary, track, masks)
        for number, mask in masks.items():
            _remove(entry, track, number, mask)


def _slices(
    compared: Sequence[_Compared], tracks: Sequence[tuple[int, int]], share: int, shares: int
) -> Iterator[tuple[_Part, Ints]]:
    """The slices of a share, with their keys of shape (5, n)."""
    for source, track in tracks:
        entry = compared[source]
        for number, piece in enumerate(entry.gathered.pieces(track)):
            wanted = piece.phase == Phase.COMPLETE
            key = _keys(piece, entry.names)
            if shares > 1:
                mixed = np.zeros(len(piece), np.uint64)
                for column in key:
                    mixed = (mixed ^ column.view(np.uint64)) * _MIX
                    mixed ^= mixed >> np.uint64(32)
                wanted &= mixed % np.uint64(shares) == share
            rows = np.flatnonzero(wanted)
            if len(rows):
                yield _Part(source, track, number, rows), key[:, rows]


def _keys(piece: EventChunk, names: Ints) -> Ints:
    key = np.zeros((_KEY_COLUMNS, len(piece)), np.int64)
    key[0] = names[piece.name]
    key[1], key[3] = piece.time_ns, piece.duration_ns
    if piece.time_ps is not None:
        key[2] = piece.time_ps
    if piece.duration_ps is not None:
        key[4] = piece.duration_ps
    return key


def _mark_copies(
    compared: Sequence[_Compared],
    parts: Sequence[_Part],
    keys: Sequence[Ints],
    copies: dict[tuple[int, int, int], Mask],
) -> None:
    if len({part.source for part in parts}) < 2:
        return
    counts = [len(part.rows) for part in parts]
    source = np.repeat(np.array([part.source for part in parts], np.int64), counts)
    original = first_sources(np.concatenate(keys, axis=1), source)
    is_copy = original != source
    stops = np.cumsum(counts)
    for part, start, stop in zip(parts, (stops - counts).tolist(), stops.tolist(), strict=True):
        here = is_copy[start:stop]
        if not here.any():
            continue
        entry = compared[part.source]
        place = part.source, part.track, part.piece
        if place not in copies:
            copies[place] = np.zeros(len(entry.gathered.pieces(part.track)[part.piece]), np.bool_)
        copies[place][part.rows[here]] = True
        for position in np.unique(original[start:stop][here]).tolist():
            name = compared[position].file.path.name
            if name not in entry.originals:
                entry.originals.append(name)


def first_sources(key: Ints, source: Ints) -> Ints:
    """For each of n slices the first source that has it: the k-th of those alike in a source is the k-th in another.

    `key` has the shape (columns, n). The result is the own source of a slice that no source before it has.
    """
    n = len(source)
    order = np.lexsort((source, *key))
    key, sorted_source = key[:, order], source[order]
    place = np.arange(n)
    begins_group = np.ones(n, np.bool_)
    begins_group[1:] = (key[:, 1:] != key[:, :-1]).any(axis=0)
    begins_source = begins_group.copy()
    begins_source[1:] |= sorted_source[1:] != sorted_source[:-1]
    group = np.cumsum(begins_group)
    occurrence = place - np.maximum.accumulate(np.where(begins_source, place, 0))
    again = np.lexsort((sorted_source, occurrence, group))
    begins = np.ones(n, np.bool_)
    begins[1:] = (group[again][1:] != group[again][:-1]) | (occurrence[again][1:] != occurrence[again][:-1])
    first = sorted_source[again][np.maximum.accumulate(np.where(begins, place, 0))]
    result = np.empty(n, np.int64)
    result[order[again]] = first
    return result


def _remove(entry: _Compared, track: int, number: int, mask: Mask) -> None:
    """Removes slices of a piece, and the flow ends that stand behind them."""
    piece = entry.gathered.pieces(track)[number]
    is_flow = piece.phase >= Phase.FLOW_START
    owner = np.maximum.accumulate(np.where(is_flow, -1, np.arange(len(piece))))
    removed = np.where(is_flow, (owner >= 0) & mask[owner], mask)
    entry.slices += int(mask.sum())
    entry.gathered.remove(track, number, piece, np.flatnonzero(removed))


def _without_copies(compared: _Compared) -> TraceFile:
    file, slices, flow_ends = compared.file, compared.slices, compared.flow_ends
    if not slices:
        return file
    summary = file.summary
    counts = structs.replace(
        summary.counts,
        slices=summary.counts.slices - slices,
        flow_ends=summary.counts.flow_ends - flow_ends,
        other=summary.counts.other + slices + flow_ends,
    )
    ignored = {**summary.ignored, REASON: slices} | ({copied_arrows.REASON: flow_ends} if flow_ends else {})
    what = "1 slice is left out" if slices == 1 else f"{slices:,} slices are left out"
    if flow_ends:
        what += f" with {flow_ends:,} {'end' if flow_ends == 1 else 'ends'} of arrows"
    has = "has" if len(compared.originals) == 1 else "have"
    names = sorted(compared.originals)
    if len(names) > _NAMED:
        names = [*names[:_NAMED], f"{len(names) - _NAMED:,} more"]
    warning = f"{what}: {' and '.join(names)} {has} {'it' if slices == 1 else 'them'}"
    summary = replace(summary, counts=counts, ignored=ignored, warnings=[*summary.warnings, warning])
    return structs.replace(file, summary=summary)
