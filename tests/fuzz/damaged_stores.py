"""Stores that are damaged as bytes, or whose records are as they were written and make no sense."""

from __future__ import annotations

import random
import re
import struct
from pathlib import Path

from tests.fuzz import values
from tests.tiler.verify.altered_store import AlteredStore
from tilescope.tiler.pages import compress, decompress
from tilescope.tiler.store import generation

_GZIP = b"\x1f\x8b\x08"
_PAGE_BYTES = 4096


def damage(rng: random.Random, store: Path, to: Path) -> Path:
    """A copy of the store with one to four changes, of its records or of the bytes of its file."""
    altered = AlteredStore.copy_of(store, to)
    in_file = rng.random() < 0.5  # never both: LMDB itself does not survive files that are damaged
    for _ in range(rng.choice((1, 1, 2, 4))):
        if in_file:
            _change_file(rng, generation.current(to) / "data.mdb")
        else:
            _change_record(rng, altered)
    return to


def _change_file(rng: random.Random, path: Path) -> None:
    """A bit, a field of a page's head, one of its pointers, a node's head, or the length of the file."""
    data = bytearray(path.read_bytes())
    if len(data) < _PAGE_BYTES:
        return
    page = rng.randrange(len(data) // _PAGE_BYTES) * _PAGE_BYTES
    match rng.randrange(6):
        case 0:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        case 1:
            _set(rng, data, page + rng.choice((0, 8, 10, 12, 14)), 2)
        case 2:
            _set(rng, data, page + 16 + 2 * rng.randrange(20), 2)
        case 3:
            (node,) = struct.unpack_from("<H", data, page + 16 + 2 * rng.randrange(8))
            _set(rng, data, page + min(node, _PAGE_BYTES - 8) + rng.choice((0, 2, 4, 6)), 2)
        case 4:
            other = rng.randrange(len(data) // _PAGE_BYTES) * _PAGE_BYTES
            data[page : page + _PAGE_BYTES] = data[other : other + _PAGE_BYTES]
        case _:
            del data[rng.randrange(len(data)) :]
    path.write_bytes(data)


def _change_record(rng: random.Random, store: AlteredStore) -> None:
    """Another value with a right checksum, a value under another key, or one less."""
    records = store.records(b"")
    key = rng.choice(sorted(records))
    value = records[key]
    choice = rng.random()
    if choice < 0.1:
        store.put({key: None})
    elif choice < 0.2:
        store.put({key: records[rng.choice(sorted(records))]})
    elif value.startswith(_GZIP):
        store.put({key: compress(_other(rng, decompress(value)))})
    else:
        store.put({key: _other(rng, value)})


def _other(rng: random.Random, value: bytes) -> bytes:
    """The value with one change; of JSON one number."""
    data = bytearray(value)
    numbers = list(re.finditer(rb"-?\d+", value)) if value[:1] in b"{[" else []
    if numbers and rng.random() < 0.8:
        found = rng.choice(numbers)
        return (
            value[: found.start()] + str(values.integer(rng, int(found.group()[:18]))).encode() + value[found.end() :]
        )
    if not data:
        return b"\0"
    match rng.randrange(5):
        case 0:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        case 1:
            del data[rng.randrange(len(data)) :]
        case 2:
            at = rng.randrange(len(data))
            data[at:at] = data[at : at + rng.randrange(40)]
        case _:
            _set(rng, data, rng.randrange(len(data)) // 4 * 4, rng.choice((2, 4, 8)))
    return bytes(data)


def _set(rng: random.Random, data: bytearray, at: int, size: int) -> None:
    """Writes a number of so many bytes, where there is room."""
    room = data[at : at + size]
    number = values.integer(rng, int.from_bytes(room, "little")) & ((1 << 8 * size) - 1)
    data[at : at + len(room)] = number.to_bytes(size, "little")[: len(room)]
