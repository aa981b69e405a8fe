"""Captures of PyTorch by what their files say beside the events: devices of the machine, and ranks of the job."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeGuard

from tilescope.tiler.query import QueryReader
from tilescope.tiler.query.run_caches import RunCache
from tilescope.tiler.records.attachments import ATTACHMENTS
from tilescope.tiler.store.attachments import AttachmentEntry, content, listed

# Under which the store keeps the members of trace-event files.
_MEMBER: Final = "json/"
_DEVICES: Final = "deviceProperties"
_RANKS: Final = "distributedInfo"
_MEMBERS: Final = frozenset({_DEVICES, _RANKS})

# Bytes of a member: ranks have a few entries for each group. What is larger is not read.
_MOST_BYTES: Final = 4 << 20

_MOST_MEMORY: Final = 1 << 50


@dataclass(frozen=True, slots=True)
class DeviceProperties:
    """A device of the machine that wrote a file, whether or not it works in it."""

    name: str
    memory_bytes: int | None  # None: not recorded


@dataclass(frozen=True, slots=True)
class PyTorchCapture:
    """One file."""

    devices: Mapping[int, DeviceProperties]  # by number
    ranks: int  # of the job; 0: the file does not say it


_CAPTURES: Final = RunCache[Mapping[int, PyTorchCapture]]("pytorch_captures", "Devices and ranks of captures")


def pytorch_captures(reader: QueryReader) -> Mapping[int, PyTorchCapture]:
    """The capture of each file that says any of it; none while the run is indexed. Raises DamagedStore."""
    record = reader.store.get(ATTACHMENTS)
    if record is None:
        return {}
    captures = _CAPTURES.get(reader)
    return _CAPTURES.keep(reader, dict(_read(reader, record))) if captures is None else captures


def _read(reader: QueryReader, record: bytes) -> Iterator[tuple[int, PyTorchCapture]]:
    members: dict[int, dict[str, object]] = {}
    for entry in listed(record):
        name = entry.name.removeprefix(_MEMBER)
        if entry.name != name and name in _MEMBERS and entry.size_bytes <= _MOST_BYTES:
            members.setdefault(entry.file, {})[name] = _value(reader, entry)
    for file, values in members.items():
        capture = _capture(values)
        if capture.devices or capture.ranks:
            yield file, capture


def _value(reader: QueryReader, entry: AttachmentEntry) -> object:
    try:
        value: object = json.loads(b"".join(content(reader.store, entry)))
    except (ValueError, RecursionError):
        return None
    return value


def _capture(values: Mapping[str, object]) -> PyTorchCapture:
    ranks = values.get(_RANKS)
    info: Mapping[object, object] = ranks if isinstance(ranks, dict) else {}
    size = info.get("world_size")
    devices = values.get(_DEVICES)
    return PyTorchCapture(
        dict(_devices(devices if isinstance(devices, list) else [])),
        size if _is_whole(size) and size > 0 else 0,
    )


def _devices(entries: Sequence[object]) -> Iterator[tuple[int, DeviceProperties]]:
    for entry in entries:
        if isinstance(entry, dict) and _is_whole(number := entry.get("id")) and number >= 0:
            name, memory = entry.get("name"), entry.get("totalGlobalMem")
            has_memory = _is_whole(memory) and 0 < memory <= _MOST_MEMORY
            yield number, DeviceProperties(name if isinstance(name, str) else "", memory if has_memory else None)


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
