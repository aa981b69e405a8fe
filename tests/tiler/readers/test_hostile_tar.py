"""Tar archives that are damaged, odd or made to harm: read as far as they go, or refused in one clear line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.tiler.readers.hostile_tar import BLOCK, END, extension, header, member, padded, record
from tilescope.tiler.errors import DamagedTrace, TraceError, UnknownFormat
from tilescope.tiler.readers.container import Listing, list_archive
from tilescope.tiler.readers.recognise import open_trace
from tilescope.tiler.readers.sources import Sources

JSON = b'{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"a"}]}'
GOOD = member(JSON, b"good.json")


def listed(tmp_path: Path, data: bytes) -> Listing:
    path = tmp_path / "a.tar"
    path.write_bytes(data)
    listing = list_archive(path)
    assert listing is not None
    return listing


def names(listing: Listing) -> list[str]:
    return [member.path.as_posix().partition("a.tar/")[2] for member in listing.members]


@pytest.mark.parametrize(
    ("odd", "found", "note"),
    [
        (extension(b"garbage without records") + member(JSON, b"b.json"), ["b.json"], None),
        (extension(b"99999999999999999999 path=x\n") + member(JSON, b"b.json"), ["b.json"], None),
        (extension(b"-3 path=x\n") + member(JSON, b"b.json"), ["b.json"], None),
        (extension(b"0 path=x\n") + member(JSON, b"b.json"), ["b.json"], None),
        (extension(record(b"path", b"\xff\xfe/b.json")) + member(JSON), ["\ufffd\ufffd/b.json"], None),
        (extension(record(b"path", b"a\0b.json")) + member(JSON), ["a\ufffdb.json"], None),
        (extension(record(b"path", b"long/" * 30 + b"b.json")) + member(JSON), ["long/" * 30 + "b.json"], None),
        (extension(record(b"size", b"-5")) + member(JSON, b"b.json"), ["b.json"], None),
        (extension(record(b"size", b"many")) + member(JSON, b"b.json"), ["b.json"], None),
        (extension(record(b"size", b"%d" % len(JSON))) + header(b"b.json") + padded(JSON), ["b.json"], None),
        (extension(record(b"comment", b"x" * 2_000_000)) + member(JSON, b"b.json"), ["b.json"], None),
        (extension(b"", b"g") + member(JSON, b"b.json"), ["b.json"], None),
        (extension(b"deep/b.json\0", b"L") + member(JSON), ["deep/b.json"], None),
        (extension(b"x" * 5000 + b"\0", b"L") + member(JSON), [], "it has a very long name"),
        (extension(b"x" * 2_000_000, b"L") + member(JSON, b"b.json"), ["b.json"], None),
        (extension(b"\0", b"L") + member(JSON), [], "it has no name that lies in the archive"),
        (member(JSON, b""), [], "it has no name that lies in the archive"),
        (member(JSON, b"../b.json"), [], "it has no name that lies in the archive"),
        (member(JSON, b"/etc/b.json"), ["etc/b.json"], None),
        (member(JSON, b"good.json"), [], "it is there a second time; the first one is read"),
        (header(b"b.json", 0, b"1"), [], "it is a link"),
        (header(b"b.json", 0, b"2"), [], "it is a link"),
        (header(b"b.json", len(JSON), b"S") + padded(JSON), [], "it is a sparse file"),
        (extension(record(b"GNU.sparse.major", b"1")) + member(JSON, b"b.json"), [], "it is a sparse file"),
        (header(b"b.json", 0, b"3") + header(b"c.json", 0, b"6") + header(b"d/", 0, b"5"), [], None),
        (header(b"b.json", len(JSON), b"V") + padded(JSON), [], None),
        (header(b"b.json", b"\x80" + bytes(10) + b"\x46") + padded(JSON), ["b.json"], None),
        (member(b"PK\x03\x04", b"b.zip"), [], "it is an archive itself (unpack it first)"),
        (member(GOOD + END, b"b.tar"), [], "it is an archive itself (unpack it first)"),
        (member(gzip.compress(GOOD + END), b"b.tgz"), [], "it is an archive itself (unpack it first)"),
        (member(b'{"name": "x"}', b"package.json"), [], "it is JSON, but not a trace"),
        (member(b" ", b"b.json"), ["b.json"], None),
    ],
)
def test_odd_members(tmp_path: Path, odd: bytes, found: list[str], note: str | None) -> None:
    listing = listed(tmp_path, GOOD + odd + member(JSON, b"last.json") + END)
    assert names(listing) == sorted([*found, "good.json", "last.json"])
    assert [line.partition(" is left out: ")[2] for line in listing.notes] == ([] if note is None else [note])
    for place in listing.members:
        reader = open_trace(place.path)
        assert sum(map(len, reader.chunks())) == (0 if place.is_empty else 1)
        reader.close()


def test_a_member_of_no_bytes_is_listed_as_empty(tmp_path: Path) -> None:
    """As such it is left out of a run that has others, which says so."""
    listing = listed(tmp_path, GOOD + member(b"", b"b.json") + END)
    assert {place.path.name: place.is_empty for place in listing.members} == {"good.json": False, "b.json": True}


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (header(b"b.json", b"\xff" * 12), "there is no header at byte|says no size"),
        (header(b"b.json", b"99999999"), "the header at byte 1,024 says no size"),
        (header(b"b.json", b"12x"), "the header at byte 1,024 says no size"),
        (header(b"b.json", 5, checksum=7), "there is no header at byte 1,024"),
        (b"\xab" * BLOCK, "there is no header at byte 1,024"),
        (header(b"b.json", b"\x80" + b"\x7f" * 11) + JSON, "it is cut short"),
        (header(b"b.json", 10**9) + JSON, "it is cut short"),
        (extension(record(b"size", b"9" * 19)) + member(JSON, b"b.json"), "it is cut short"),
        (header(b"x", 10**6, b"x") + bytes(700), "it is cut short"),
        (header(b"x", 2**40, b"L"), "it is cut short"),
        (b"", "it is cut short"),
        (bytes(100), "it is cut short"),
    ],
)
@pytest.mark.parametrize("compressed", [False, True])
def test_damage_ends_the_list_and_is_named(tmp_path: Path, bad: bytes, problem: str, compressed: bool) -> None:
    data = GOOD + bad
    listing = listed(tmp_path, gzip.compress(data) if compressed else data)
    assert names(listing)[-1] == "good.json"
    assert listing.notes[-1].startswith("the archive is damaged: ")
    assert any(part in listing.notes[-1] for part in problem.split("|"))


@pytest.mark.parametrize("compressed", [False, True])
def test_a_damaged_archive_without_a_whole_member(tmp_path: Path, compressed: bool) -> None:
    path = tmp_path / "a.tar"
    data = header(b"b.json", 5, checksum=7)
    path.write_bytes(gzip.compress(data) if compressed else data)
    with pytest.raises(DamagedTrace, match=r"is a damaged archive \(there is no header at byte 0\)"):
        open_trace(path)
    with pytest.raises(DamagedTrace, match="the archive is damaged: there is no header at byte 0"):
        open_trace(path / "b.json")


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("wanted", [["cut.json"], ["good.json", "cut.json"]])
def test_what_is_there_of_a_member_that_is_cut_short_is_read(
    tmp_path: Path, compressed: bool, wanted: list[str]
) -> None:
    events = b",".join(b'{"ph":"X","ts":%d,"dur":1,"name":"a"}' % ts for ts in range(1000))
    data = GOOD + member(b"[" + events + b"]", b"cut.json")
    data = data[: len(data) // 2]
    path = tmp_path / "a.tar"
    path.write_bytes(gzip.compress(data) if compressed else data)
    sources = Sources([path / name for name in wanted])
    with sources.open(path / "cut.json") as source:
        read = source.read(10**6)
        assert data.endswith(read)
        assert len(read) > 10_000
        assert source.problem == "the archive is damaged: it is cut short"
    sources.close()


def test_a_compressed_archive_that_is_cut_short(tmp_path: Path) -> None:
    data = gzip.compress(GOOD + member(bytes(range(256)) * 4000, b"b.bin") + GOOD + END, 0)
    path = tmp_path / "a.tar"
    path.write_bytes(data[:500_000])
    listing = list_archive(path)
    assert listing is not None
    assert names(listing) == ["good.json"]
    assert listing.notes[-1] == "the archive is damaged: the gzip stream is cut short"


def test_too_many_members(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilescope.tiler.readers.container._MAX_MEMBERS", 3)
    listing = listed(tmp_path, b"".join(member(JSON, b"%d.json" % k) for k in range(5)) + END)
    assert names(listing) == ["0.json", "1.json", "2.json"]
    assert listing.notes == ("the archive has more than 3 members: the others were not looked at",)


def test_notes_are_few_however_many_members_are_left_out(tmp_path: Path) -> None:
    texts = b"".join(member(b"hello", b"%d.txt" % k) for k in range(100))
    links = b"".join(header(b"%d.json" % k, 0, b"2") for k in range(100))
    listing = listed(tmp_path, GOOD + texts + links + END)
    assert len(listing.notes) == 15
    assert listing.notes[10] == "90 more members are left out: they cannot be read"
    assert listing.notes[14] == "97 more members are left out: they are no traces"


def test_a_tar_of_nothing_but_foreign_members(tmp_path: Path) -> None:
    with pytest.raises(
        UnknownFormat, match=r"that contains no trace \(package.json is left out: it is JSON, but not a trace"
    ):
        listed(tmp_path, member(b'{"name": "x"}', b"package.json") + END)


def test_a_member_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    path.write_bytes(GOOD + END)
    with pytest.raises(UnknownFormat, match="has no such member"):
        open_trace(path / "none.json")
    with pytest.raises(TraceError, match="cannot be opened"):
        open_trace(tmp_path / "none.tar" / "good.json")
