"""A decoder of archives written from docs/archive.md alone: struct and zlib, and nothing of Tilescope."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field

from tests.tiler.pages.plain_decoder import read_container

HEADER = struct.Struct("<8sHHIQ24s7Q2I12xI")
SECTIONS = ["root_bytes", "boot_directory_bytes", "boot_bytes", "leaves_bytes", "data_bytes"]
NAMES = ["magic", "version", "store_version", "entries_per_leaf", "size", "build", "records", "boot_records", *SECTIONS]
NAMES += ["root_crc", "boot_directory_crc", "crc"]
MASK = 2**64 - 1

# Formats of the numbers of keys by letter: the table of docs/page-format.md.
KEYS = {
    **dict.fromkeys("MITox", ""),
    **dict.fromkeys("ACNOSYZgmKtwz", "I"),
    **dict.fromkeys("BEL", "II"),
    **dict.fromkeys("DFWXafl", "IQ"),
    **dict.fromkeys("GHJQRUV", "IBQ"),
    "P": "IBQB",
    "p": "IBQB",
    "y": "III",
}


@dataclass
class PlainEntry:
    """An entry of a directory."""

    key: bytes
    start: int
    size: int


@dataclass
class PlainArchive:
    """All that an archive holds."""

    header: dict[str, int | bytes]
    pieces: dict[bytes, bytes] = field(default_factory=dict)
    records: dict[bytes, bytes] = field(default_factory=dict)  # pages with what was rounded off them
    order: list[bytes] = field(default_factory=list)  # keys of pieces, by where they lie
    boot: list[bytes] = field(default_factory=list)  # the first of them
    leaves: int = 0


def read_archive(data: bytes) -> PlainArchive:
    """The archive in the bytes of a file."""
    values = HEADER.unpack_from(data)
    head = dict(zip(NAMES, values, strict=True))
    archive = PlainArchive(head)
    sizes = [head[name] for name in SECTIONS]
    assert data[:8] == b"TSAR\r\n\x1a\n"
    assert zlib.crc32(data[:124]) == head["crc"]
    assert len(data) == head["size"] == 128 + sum(sizes)
    sections = []
    position = 128
    for size in sizes:
        sections.append(data[position : position + size])
        position += size
    root_member, boot_member, boot_records, leaf_members, other_records = sections
    assert (zlib.crc32(root_member), zlib.crc32(boot_member)) == (head["root_crc"], head["boot_directory_crc"])

    root = read_directory(root_member, 1)
    entries: list[PlainEntry] = []
    for leaf in root:
        leaf_entries = read_directory(leaf_members[leaf.start : leaf.start + leaf.size], 0)
        assert leaf_entries[0].key == leaf.key
        assert len(leaf_entries) <= head["entries_per_leaf"]
        entries += leaf_entries
    archive.leaves = len(root)
    assert len(entries) == head["records"]
    assert sum(leaf.size for leaf in root) == len(leaf_members)

    records = boot_records + other_records
    for entry in entries:
        record = records[entry.start : entry.start + entry.size]
        value = record[4:]
        assert zlib.crc32(value, zlib.crc32(entry.key)) == int.from_bytes(record[:4], "little")
        archive.pieces[entry.key] = value
    assert sum(entry.size for entry in entries) == len(records)
    for key, value in archive.pieces.items():
        if key[:1] == b"P":
            assert len(value) == 4 + struct.unpack_from("<I", value)[0]
            rest = archive.pieces.get(b"p" + key[1:])
            assert rest != b""
            archive.records[key] = value + (rest or b"")
        elif key[:1] != b"p":
            archive.records[key] = value
    archive.order = [entry.key for entry in sorted(entries, key=lambda entry: entry.start)]
    boot = read_directory(boot_member, 2)
    assert len(boot) == head["boot_records"]
    assert sum(entry.size for entry in boot) == len(boot_records)
    assert boot == [entry for entry in entries if entry.start < len(boot_records)]
    archive.boot = [entry.key for entry in sorted(boot, key=lambda entry: entry.start)]
    return archive


def read_directory(member: bytes, level: int) -> list[PlainEntry]:
    """The entries of a directory."""
    container = read_container(member)
    assert (container.magic, container.level) == (b"TSAD", level)
    letters, first, second, third, fourth, sizes, gaps = (
        container.columns.get(column, []) for column in range(120, 127)
    )
    assert {len(column) for column in container.columns.values()} == {container.tiles}
    entries: list[PlainEntry] = []
    end = 0
    for row, letter in enumerate(letters):
        numbers = [column[row] & MASK for column in (first, second, third, fourth)]
        formats = KEYS[chr(letter)]
        assert not any(numbers[len(formats) :])
        key = bytes([letter]) + struct.pack(f">{formats}", *numbers[: len(formats)])
        start = end + gaps[row]
        end = start + sizes[row]
        entries.append(PlainEntry(key, start, sizes[row]))
    assert [entry.key for entry in entries] == sorted({entry.key for entry in entries})
    return entries
