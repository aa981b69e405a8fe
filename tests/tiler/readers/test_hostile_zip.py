"""Zip archives that are damaged, odd or made to harm: read as far as they go, or refused in one clear line."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tilescope.tiler.errors import DamagedTrace, TooLarge, TraceError
from tilescope.tiler.readers.container import Listing, list_archive
from tilescope.tiler.readers.recognise import open_trace

JSON = b'{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"a"}]}'
LOCAL, ENTRY, END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"


def zipped(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytearray:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return bytearray(out.getvalue())


def put(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def patched(data: bytearray, magic: bytes, offset: int, value: bytes) -> bytes:
    """Changes the first record of this kind."""
    at = data.index(magic) + offset
    data[at : at + len(value)] = value
    return bytes(data)


def listed(path: Path) -> Listing:
    listing = list_archive(path)
    assert listing is not None
    return listing


def events(path: Path) -> int:
    reader = open_trace(path)
    try:
        return sum(map(len, reader.chunks()))
    finally:
        reader.close()


def two() -> bytearray:
    """An archive whose first member is then changed."""
    return zipped(("b.json", JSON), ("good.json", JSON))


def nameless() -> bytes:
    """An archive whose first member has no name, neither in the directory nor before its data."""
    data = two().replace(b"b.json", b"")
    end = data.index(END)
    for magic, offset in ((LOCAL, 26), (ENTRY, 28)):
        patched(data, magic, offset, b"\0\0")
    second = data.index(LOCAL, 4)
    directory = data.index(ENTRY)
    at = data.index(ENTRY, directory + 4) + 42
    data[at : at + 4] = second.to_bytes(4, "little")
    patched(data, END, 12, (end - directory).to_bytes(4, "little"))
    return patched(data, END, 16, directory.to_bytes(4, "little"))


@pytest.mark.parametrize(
    ("change", "note"),
    [
        (lambda: patched(two(), ENTRY, 8, b"\x01\0"), "it is encrypted"),
        (lambda: patched(two(), ENTRY, 10, b"\x09\0"), "it is compressed with Deflate64, which is not read: unpack it"),
        (lambda: patched(two(), ENTRY, 10, b"\x63\0"), "it is compressed with method 99, which is not read"),
        (lambda: patched(two(), ENTRY, 42, b"\x07\0\0\0"), "it cannot be read: there is no member at byte 7"),
        (lambda: patched(two(), ENTRY, 42, b"\xfe\xff\xff\xff"), "it cannot be read: there is no member at byte 4,"),
        (lambda: patched(two(), ENTRY, 46, b"\0"), "it has no name that lies in the archive"),
        (lambda: patched(two(), ENTRY, 46, b"../b.j"), "it has no name that lies in the archive"),
        (lambda: patched(two(), ENTRY, 46, b"......"), None),
        (lambda: patched(two(), ENTRY, 46, b"\xff\x1b[2Jx"), ""),
        (lambda: patched(two(), LOCAL, 36, b"\xff" * 40), "it cannot be read: the archive is damaged: "),
        (lambda: patched(two(), ENTRY, 16, b"\0\0\0\0"), "it cannot be read: the archive is damaged: size or checksum"),
        (lambda: patched(two(), ENTRY, 24, b"\xff\xff\xff\x7f"), "it cannot be read: the archive is damaged: size or"),
        (lambda: patched(two(), ENTRY, 20, b"\xff\xff\xff\x7f"), ""),
        (lambda: nameless(), "it has no name that lies in the archive"),
        (lambda: bytes(zipped(("/", JSON), ("good.json", JSON))), None),
        (lambda: bytes(zipped(("n" * 3000, JSON), ("good.json", JSON))), "it has a very long name"),
        (lambda: b"".join([b"PK\x03\x04 something before ", zipped(("good.json", JSON))]), None),
        (lambda: bytes(two()) + b"PK\x05\x06 something behind", None),
    ],
)
def test_odd_members(tmp_path: Path, change: Callable[[], bytes], note: str | None) -> None:
    listing = listed(put(tmp_path / "a.zip", change()))
    found = [member.path for member in listing.members]
    assert "good.json" in [path.name for path in found]
    assert [events(path) for path in found] == [1] * len(found)
    if note:
        (line,) = listing.notes
        assert line.partition(" is left out: ")[2].startswith(note)
        assert len(found) == 1
    else:
        assert listing.notes == ()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda data: data[:-10], "the directory at its end is missing: it is cut short"),
        (lambda data: data[:40], "the directory at its end is missing: it is cut short"),
        (lambda data: patched(data, END, 4, b"\x01\0"), "it is one part of several"),
        (lambda data: patched(data, END, 12, b"\xff\xff\xff\x7f"), "its directory is not where it should be"),
        (lambda data: patched(data, END, 16, b"\xff\xff\xff\x7f"), "its directory is not where it should be"),
        (lambda data: patched(data, ENTRY, 0, b"XX"), "there is no entry of its directory at byte"),
        (lambda data: patched(data, ENTRY, 28, b"\xff\xff"), "there is no entry of its directory at byte"),
        (lambda data: data[:-22] + struct.pack("<4sLQL", b"PK\x06\x07", 0, 2**64 - 1, 1) + data[-22:], "64-bit"),
    ],
)
def test_damaged_directories(tmp_path: Path, change: Callable[[bytearray], bytes], problem: str) -> None:
    path = put(tmp_path / "a.zip", change(zipped(("b.json", JSON))))
    with pytest.raises(DamagedTrace, match=problem):
        open_trace(path)
    with pytest.raises(TraceError, match=problem):
        open_trace(path / "b.json")


def test_damage_within_the_directory_keeps_what_stands_before(tmp_path: Path) -> None:
    data = zipped(("good.json", JSON), ("b.json", JSON))
    data[data.rindex(ENTRY)] ^= 1
    listing = listed(put(tmp_path / "a.zip", bytes(data)))
    assert [member.path.name for member in listing.members] == ["good.json"]
    assert listing.notes[0].startswith("the archive is damaged: there is no entry of its directory at byte")
    assert events(tmp_path / "a.zip" / "good.json") == 1


def test_a_directory_with_64_bit_offsets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 50)
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 1)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in ("a.json", "b.json"):
            with archive.open(name, "w", force_zip64=True) as member:
                member.write(JSON)
    assert b"PK\x06\x06" in out.getvalue()
    path = put(tmp_path / "a.zip", out.getvalue())
    assert [events(member.path) for member in listed(path).members] == [1, 1]


def test_members_that_overlap_count_each_time(tmp_path: Path) -> None:
    """The well-known bomb: a directory in which a thousand entries share one member."""
    data = zipped(("000.json", JSON + b" " * 2_000_000))
    at, end = data.index(ENTRY), data.index(END)
    entry = bytes(data[at:end])
    entries = b"".join(entry.replace(b"000.json", b"%03d.json" % k) for k in range(1000))
    tail = struct.pack("<4s4H2LH", END, 0, 0, 0, 0, len(entries), at, 0)
    path = put(tmp_path / "a.zip", bytes(data[:at]) + entries + tail)
    assert len(listed(path).members) == 1000
    with pytest.raises(TooLarge, match=r"inflates to more than 1,000,000 bytes.*--max-inflated"):
        list_archive(path, 1_000_000)


def test_a_directory_of_many_entries_takes_no_memory(tmp_path: Path) -> None:
    """Of a member that is no trace nothing is kept, and each is looked at once."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("good.json", JSON)
        for k in range(2000):
            archive.writestr(f"{k}.txt", "hello")
    listing = listed(path)
    assert [member.path.name for member in listing.members] == ["good.json"]
    assert listing.notes[-1] == "1,997 more members are left out: they are no traces"
    assert list_archive(path) is listing
