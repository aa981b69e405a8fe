"""Archives that are cut, damaged or made up: one line that says where, and little memory."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.tiler.store.archive.altered_archive import AlteredArchive, Columns
from tests.tiler.store.archive.test_archive_reader import BytesBlob
from tilescope.tiler.blobs.head_blob import HEAD_BYTES
from tilescope.tiler.errors import DamagedStore, StoreError, StoreVersion
from tilescope.tiler.pages import compress, container
from tilescope.tiler.pages.columns import Col
from tilescope.tiler.records.manifest import MANIFEST
from tilescope.tiler.store.archive import open_archive

LEAVES = 4  # the section


@cache
def whole() -> bytes:
    return AlteredArchive.of_records().encode()


def read_all(data: bytes) -> dict[bytes, bytes]:
    return dict(open_archive(BytesBlob(data)).records())


def refused(data: bytes) -> str:
    """The one line that an archive is refused with, opened or read."""
    with pytest.raises(StoreError) as error:
        read_all(data)
    message = str(error.value)
    assert message.startswith("memory://run.tsarc: ")
    assert "\n" not in message
    return message


def test_an_archive_cut_anywhere_is_refused() -> None:
    data = whole()
    bounds = AlteredArchive.parse(data).bounds()
    assert bounds[-1] == len(data)
    cuts = {bound + step for bound in (*bounds, HEAD_BYTES, 8, 12, 64) for step in (-1, 0, 1)}
    cuts |= {random.Random(1).randrange(len(data)) for _ in range(50)} | {0, 1, 7}
    for cut in sorted(cut for cut in cuts if cut < len(data)):
        assert "is cut short" in refused(data[:cut]) or cut < 8
    assert refused(b"") == "memory://run.tsarc: byte 0: is no archive of a run"
    assert "has bytes behind its end" in refused(data + b"x")


@pytest.mark.parametrize("section", range(6))
def test_a_flipped_bit_is_noticed(section: int) -> None:
    data = whole()
    starts = [0, *AlteredArchive.parse(data).bounds()]
    rng = random.Random(section)
    for _ in range(40):
        place = rng.randrange(starts[section], starts[section + 1])
        altered = bytearray(data)
        altered[place] ^= 1 << rng.randrange(8)
        if section == LEAVES and leads_to_the_same(bytes(altered)):
            continue
        refused(bytes(altered))


def leads_to_the_same(data: bytes) -> bool:
    """True where all records can be read: bits of a leaf that fill up its last byte of compressed data say nothing."""
    try:
        return read_all(data) == read_all(whole())
    except StoreError:
        return False


def test_other_versions_are_named() -> None:
    archive = AlteredArchive.of_records(50)
    with pytest.raises(StoreVersion, match=r"an archive of version 3, this reads version 2 \(use a newer Tilescope\)"):
        read_all(archive.encode(version=3))
    with pytest.raises(StoreVersion, match=r"an archive of version 1, this reads version 2 \(write it again with"):
        read_all(archive.encode(version=1))
    with pytest.raises(StoreVersion, match=r"store version 999, this is version \d+ \(index the trace again"):
        read_all(archive.encode(store_version=999))


def test_transfers_as_text_are_named() -> None:
    assert "changed by a transfer as text" in refused(whole().replace(b"\r\n", b"\n"))
    assert "is no archive of a run" in refused(b"PK\x03\x04" + bytes(200))


def header_faults() -> dict[str, dict[str, int | bytes]]:
    huge = 10 * 10**12
    return {
        "of 10 TB": {"size": huge, "data_bytes": huge},
        "with a root of 10 TB": {"size": huge, "root_bytes": huge},
        "whose sizes do not add up": {"data_bytes": 1},
        "whose sizes overflow": {"root_bytes": 2**64 - 1, "leaves_bytes": 2**64 - 1},
        "with no records": {"records": 0},
        "with more records": {"records": 2**63},
        "with fewer records": {"records": 5000},
        "with more boot records": {"boot_records": 2**60},
        "with fewer boot records": {"boot_records": 1},
        "with other leaves": {"entries_per_leaf": 1},
        "of another build": {"build": b"x" * 24},
        "of no build": {"build": b"\xff" * 24},
    }


@pytest.mark.parametrize("fault", header_faults())
def test_a_header_that_lies_is_refused(fault: str) -> None:
    data = AlteredArchive.of_records().encode(**header_faults()[fault])
    tracemalloc.start()
    refused(data)
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()


def _set(column: int, row: int, value: int) -> Callable[[Columns], None]:
    def change(columns: Columns) -> None:
        columns[column][row] = value

    return change


LEAF_FAULTS = {
    "outside": (_set(Col.ENTRY_GAP, 100, 1 << 50), "points outside of the records"),
    "before": (_set(Col.ENTRY_GAP, 0, -5), "points outside of the records"),
    "overflow": (_set(Col.ENTRY_GAP, 100, (1 << 63) - 1), "points outside of the records"),
    "overlap": (lambda columns: columns[Col.ENTRY_GAP].__setitem__(slice(1, 3), [-4, 4]), "overlap"),
    "huge record": (_set(Col.ENTRY_SIZE, 4, 1 << 40), "impossible sizes"),
    "no record": (_set(Col.ENTRY_SIZE, 4, 0), "impossible sizes"),
    "negative record": (_set(Col.ENTRY_SIZE, 4, -1), "impossible sizes"),
    "unknown kind": (_set(Col.ENTRY_LETTER, 4, ord("?")), "an unknown kind"),
    "no kind": (_set(Col.ENTRY_LETTER, 4, -1), "an unknown kind"),
    "too many numbers": (_set(Col.ENTRY_FOURTH, 4, 1), "too many numbers"),
    "impossible number": (_set(Col.ENTRY_FIRST, 4, 1 << 40), "impossible numbers"),
    "twice": (
        lambda columns: [column.__setitem__(5, column[4]) for key, column in columns.items() if 120 <= key <= 124],
        "not in ascending order",
    ),
    "other key": (_set(Col.ENTRY_FIRST, 0, 3), "other keys than the root"),
}


@pytest.mark.parametrize("fault", LEAF_FAULTS)
def test_a_leaf_that_lies_is_refused(fault: str) -> None:
    archive = AlteredArchive.of_records()
    change, reason = LEAF_FAULTS[fault]
    archive.change_leaf(1 if fault == "other key" else 0, change)
    assert reason in refused(archive.encode())


def test_leaves_that_share_their_records_are_refused() -> None:
    """A record of one leaf may not hold those of others: or a file of 1 GB could be read a thousand times."""
    archive = AlteredArchive.of_records()
    boot_bytes, end = (
        len(archive.sections["boot_bytes"]),
        len(archive.sections["boot_bytes"] + archive.sections["data_bytes"]),
    )

    def stretch(columns: Columns) -> None:
        """The records of this leaf behind the boot section take all of the bytes there."""
        sizes, gaps = columns[Col.ENTRY_SIZE], columns[Col.ENTRY_GAP]
        starts = np.cumsum(gaps + sizes) - sizes
        rows = np.flatnonzero(starts >= boot_bytes)
        rows = rows[np.argsort(starts[rows])]
        starts[rows[0]] = boot_bytes
        sizes[rows] = np.diff(starts[rows], append=end)
        gaps[0] = starts[0]
        gaps[1:] = starts[1:] - (starts[:-1] + sizes[:-1])

    archive.change_leaf(1, stretch)
    assert "records of leaves overlap" in refused(archive.encode())


def test_roots_that_lie_are_refused() -> None:
    for change, reason in (
        (_set(Col.ENTRY_GAP, 1, 1), "outside|follow"),
        (_set(Col.ENTRY_SIZE, 1, 4), "follow|damaged"),
        (_set(Col.ENTRY_SIZE, 0, 1 << 30), "impossible|outside"),
    ):
        archive = AlteredArchive.of_records()
        archive.change("root_bytes", change)
        message = refused(archive.encode())
        assert any(word in message for word in reason.split("|")), message


def test_boot_directories_that_lie_are_refused() -> None:
    archive = AlteredArchive.of_records()

    def shorten(columns: Columns) -> None:
        sizes, gaps = columns[Col.ENTRY_SIZE], columns[Col.ENTRY_GAP]
        # Not the manifest, which is read before any leaf; and long enough to be shorter by a byte.
        row = int(np.argmax(np.where(columns[Col.ENTRY_LETTER] == MANIFEST.letter[0], 0, sizes)[:-1]))
        sizes[row] -= 1
        gaps[row + 1] += 1

    archive.change("boot_directory_bytes", shorten)
    assert "a leaf disagrees with the boot directory" in refused(archive.encode())


def test_directories_do_not_inflate_without_end() -> None:
    bomb = compress(bytes(50_000_000))
    wide = compress(container.encode(container.ARCHIVE_DIRECTORY_MAGIC, 0, 4096, 0, {120: np.zeros(1 << 22, np.int64)}))
    for member in (bomb, wide, b"", b"\x1f\x8b"):
        for section in ("root_bytes", "boot_directory_bytes"):
            archive = AlteredArchive.of_records()
            archive.sections[section] = member
            tracemalloc.start()
            refused(archive.encode())
            refused(archive.encode(boot_records=2**40))
            assert tracemalloc.get_traced_memory()[1] < 20_000_000
            tracemalloc.stop()


def test_sections_in_each_others_place_are_refused() -> None:
    archive = AlteredArchive.of_records()
    sections = archive.sections
    for first, second in (("root_bytes", "boot_directory_bytes"), ("root_bytes", "leaves_bytes")):
        archive.sections = sections | {first: sections[second], second: sections[first]}
        refused(archive.encode())
    archive.sections = sections | {"leaves_bytes": sections["root_bytes"]}  # a directory that contains the root
    refused(archive.encode())


def test_a_file_that_is_cut_while_it_is_open_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "run.tsarc"
    path.write_bytes(whole())
    archive = open_archive(path)
    with path.open("r+b") as file:
        file.truncate(100_000)
    with pytest.raises(StoreError, match="was replaced while it was open"):
        list(archive.records())
    with pytest.raises(DamagedStore, match="cut short"):
        open_archive(path)
