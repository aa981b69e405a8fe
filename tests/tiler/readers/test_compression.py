"""Compressed files of all kinds: many members, cut, damaged, with more behind them, and asking for too much."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tests.compressed import COMPRESS, skippable_frame, zstd
from tests.tiler.readers.zip_writer import zip_of
from tilescope.tiler.errors import TooLarge, UnknownFormat
from tilescope.tiler.readers import discover
from tilescope.tiler.readers.container import list_archive
from tilescope.tiler.readers.inflation import Inflation
from tilescope.tiler.readers.recognise import open_trace
from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.readers.stream_member import StreamMember, bzip2_member, xz_member, zstd_member
from tilescope.tiler.readers.transcoding import ENCODING_BYTES, transcoder_of

DATA = random.Random(1).randbytes(300_000) + b"a" * 900_000
SHORT = b"".join(b'{"ph":"X","name":"%d"},' % k for k in range(300))
JSON = b'[{"ph":"X","ts":1,"dur":2,"pid":1,"tid":1,"name":"a"}]'
KINDS = [*COMPRESS]


class Pieces:
    """A stream that gives few bytes at a time."""

    def __init__(self, data: bytes, most: int) -> None:
        self._data = data
        self._most = most

    def read(self, n: int, /) -> bytes:
        n = min(n, self._most)
        piece, self._data = self._data[:n], self._data[n:]
        return piece

    def close(self) -> None:
        pass


def source_of(data: bytes, most: int = 1 << 30, inflation: Inflation | None = None) -> ByteSource:
    return ByteSource(Path("trace"), Pieces(data, most), len(data), inflation)


def drain(source: ByteSource, n: int = 70_001) -> bytes:
    parts = []
    while part := source.read(n):
        parts.append(part)
    return b"".join(parts)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("members", [1, 3])
def test_all_members_are_delivered(kind: str, members: int) -> None:
    stored = COMPRESS[kind](DATA) * members
    with source_of(stored) as source:
        assert source.is_compressed
        assert drain(source) == DATA * members
        assert (source.problem, source.trailing_bytes, source.bytes_read) == (None, 0, len(stored))


@pytest.mark.parametrize("kind", KINDS)
@given(parts=st.lists(st.binary(max_size=300), min_size=1, max_size=4), most=st.integers(1, 64), n=st.integers(1, 500))
@example(parts=[b"\xfe\xff", b"\0[\0]"], most=1, n=1)
def test_sizes_of_reads_change_nothing(kind: str, parts: list[bytes], most: int, n: int) -> None:
    """Bytes that begin as UTF-16 or UTF-32 does are text, and come as UTF-8."""
    data = b"".join(parts)
    transcoder = transcoder_of(data[:ENCODING_BYTES])
    expected = data if transcoder is None else transcoder.transcode(data)
    assume(transcoder is None or not transcoder.is_within_character)
    with source_of(b"".join(map(COMPRESS[kind], parts)), most) as source:
        assert drain(source, n) == expected
        assert source.problem is None


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_cut_short_keeps_what_inflates(kind: str) -> None:
    whole = COMPRESS[kind](DATA)
    for stored, least in ((whole[:-1], len(DATA) - 200_000), (whole + whole[:20], len(DATA))):
        with source_of(stored) as source:
            got = drain(source)
            assert (DATA + DATA).startswith(got)
            assert len(got) >= (least if kind != "bzip2" or least == len(DATA) else 0)  # bzip2 has large blocks
            assert (source.problem, source.is_cut_short) == (f"the {kind} stream is cut short", True)


@pytest.mark.parametrize("kind", KINDS)
def test_a_wrong_checksum_loses_nothing_of_a_short_file(kind: str) -> None:
    stored = bytearray(COMPRESS[kind](SHORT))
    at = {"gzip": -6, "zstd": -2, "xz": -28, "bzip2": -3}[kind]
    stored[at] ^= 1
    with source_of(bytes(stored)) as source:
        got = drain(source)
        assert SHORT.startswith(got)
        assert len(got) >= len(SHORT) - 3  # zstd and xz give no byte of the call that meets it
        assert source.problem is not None
        assert source.problem.startswith(f"the {kind} stream is damaged (")
        assert not source.is_cut_short


@pytest.mark.parametrize("kind", KINDS)
@given(at=st.integers(0, 10_000), value=st.integers(1, 255))
def test_damage_is_met_or_harmless(kind: str, at: int, value: int) -> None:
    stored = bytearray(COMPRESS[kind](SHORT))
    stored[at % len(stored)] ^= value
    with source_of(bytes(stored), 100) as source:
        got = drain(source)
        assert got == SHORT or source.problem is not None or source.trailing_bytes or not source.is_compressed


@pytest.mark.parametrize("kind", KINDS)
def test_padding_and_garbage_after_the_last_member(kind: str) -> None:
    stored = COMPRESS[kind](b"abc")
    with source_of(stored + b"\0" * 100_000 + stored + b"\0" * 50_000) as source:
        assert drain(source) == b"abcabc"
        assert (source.problem, source.trailing_bytes) == (None, 0)
    with source_of(stored + b"\0garbage" + b"x" * 50_000) as source:
        assert drain(source) == b"abc"
        assert (source.problem, source.trailing_bytes) == (None, 50_007)


def test_frames_that_are_skipped() -> None:
    frame = COMPRESS["zstd"](b"abc")
    for stored, inflated in (
        (skippable_frame(b"x" * 100_000) + frame, b"abc"),
        (frame + skippable_frame(b"index") + frame + skippable_frame(b""), b"abcabc"),
    ):
        with source_of(stored) as source:
            assert drain(source) == inflated
            assert (source.problem, source.trailing_bytes) == (None, 0)


def frame_with_window(log: int) -> bytes:
    options: dict[int, int] = {
        zstd.CompressionParameter.window_log: log,
        zstd.CompressionParameter.enable_long_distance_matching: 1,
    }
    compressor = zstd.ZstdCompressor(options=options)
    return bytes(compressor.compress(JSON) + compressor.flush())


def xz_with_window(size_bytes: int) -> bytes:
    return lzma.compress(JSON, filters=[{"id": lzma.FILTER_LZMA2, "dict_size": size_bytes}])


def test_windows_have_a_limit(tmp_path: Path) -> None:
    for stored in (frame_with_window(27), xz_with_window(128 << 20)):
        with source_of(stored) as source:
            assert drain(source) == JSON
    for name, stored in (("a.json.zst", frame_with_window(28)), ("a.json.xz", xz_with_window(129 << 20))):
        (tmp_path / name).write_bytes(stored)
        with pytest.raises(TooLarge, match=rf"{name}: takes a window of more than 128 MiB to inflate \(decompress"):
            open_trace(tmp_path / name)


@pytest.mark.parametrize("kind", KINDS)
def test_what_inflates_too_far_is_refused(kind: str) -> None:
    stored = COMPRESS[kind](b" " * 30_000_000)
    with (
        source_of(stored, inflation=Inflation(Path("trace"), len(stored), 10_000_000)) as source,
        pytest.raises(TooLarge, match="inflates to more than 10,000,000 bytes"),
    ):
        drain(source)


@pytest.mark.parametrize(
    ("new_member", "compress"), [(zstd_member, zstd.compress), (xz_member, lzma.compress), (bzip2_member, bz2.compress)]
)
def test_no_more_is_given_than_was_asked_for(
    new_member: Callable[[], StreamMember], compress: Callable[[bytes], bytes]
) -> None:
    member, data, given = new_member(), compress(bytes(10_000_000)), 0
    while not member.ended:
        piece = member.inflate(data if member.needs_input else b"", 100_000)
        data = member.rest
        assert len(piece) <= 100_000
        given += len(piece)
    assert given == 10_000_000


def test_a_file_that_is_compressed_twice_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.json.zst.gz"
    path.write_bytes(gzip.compress(COMPRESS["zstd"](JSON)))
    with pytest.raises(UnknownFormat, match="is compressed twice, with zstd inside"):
        open_trace(path)


def members_of(path: Path) -> dict[str, int]:
    listing = list_archive(path)
    assert listing is not None
    counts = {}
    for member in listing.members:
        reader = open_trace(member.path)
        list(reader.chunks())
        counts[member.path.name] = reader.summary().counts.total
        reader.close()
    return counts


MEMBERS = {f"{kind}.json": compress(JSON) for kind, compress in COMPRESS.items()} | {
    "16.json": JSON.decode().encode("utf-16")
}
STRANGERS = {f"{kind}.csv": compress(b"1,2,3\n" * 100_000) for kind, compress in COMPRESS.items()}


@pytest.mark.parametrize("kind", ["", *KINDS])
def test_members_of_a_tar(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a.bin"
    with tarfile.open(path, "w") as tar:
        for name, data in (MEMBERS | STRANGERS).items():
            (tmp_path / name).write_bytes(data)
            tar.add(tmp_path / name, name)
    if kind:
        path.write_bytes(COMPRESS[kind](path.read_bytes()))
    assert members_of(path) == dict.fromkeys(MEMBERS, 1)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_members_of_a_zip(tmp_path: Path, method: int) -> None:
    path = tmp_path / "a.bin"
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in (MEMBERS | STRANGERS).items():
            archive.writestr(name, data)
    assert members_of(path) == dict.fromkeys(MEMBERS, 1)


@pytest.mark.parametrize(("kind", "method"), [("zstd", 93), ("xz", 95)])
def test_zip_methods_that_python_does_not_write(tmp_path: Path, kind: str, method: int) -> None:
    (tmp_path / "a.zip").write_bytes(zip_of("a.json", JSON, COMPRESS[kind](JSON), method))
    assert members_of(tmp_path / "a.zip") == {"a.json": 1}
    damaged = bytearray(COMPRESS[kind](JSON))
    damaged[-10] ^= 255
    (tmp_path / "b.zip").write_bytes(zip_of("a.json", JSON, bytes(damaged), method))
    with pytest.raises(UnknownFormat, match=r"a\.json is left out: it cannot be read: the archive is damaged: "):
        list_archive(tmp_path / "b.zip")


@pytest.mark.parametrize(
    ("method", "flags", "why"),
    [
        (9, 0, "is compressed with Deflate64, which is not read: unpack it, or pack it again with Deflate"),
        (98, 0, "is compressed with PPMd, which is not read"),
        (8, 1, "is encrypted: unpack it with its password"),
        (99, 1, "is encrypted: unpack it with its password"),
    ],
)
def test_members_that_are_not_read_are_named(tmp_path: Path, method: int, flags: int, why: str) -> None:
    (tmp_path / "a.zip").write_bytes(zip_of("a.json", JSON, JSON, method, flags))
    with pytest.raises(UnknownFormat, match=f"contains no trace .a.json is left out: it {why}"):
        list_archive(tmp_path / "a.zip")


@pytest.mark.parametrize("ending", [".gz", ".zst", ".xz", ".bz2"])
def test_compressed_copies_are_left_out(tmp_path: Path, ending: str) -> None:
    folder = tmp_path / "plugins" / "profile" / "2026_01_31_10_00_00"
    folder.mkdir(parents=True)
    for name in ("h.trace.json", f"h.trace.json{ending}", f"i.trace.json{ending}", "i.trace.json.bz2"):
        (folder / name).write_bytes(JSON)
    (run,) = discover(tmp_path)
    assert [file.name for file in run.files] == ["h.trace.json", f"i.trace.json{ending}"]
    assert run.hosts == ("h", "i")
    assert f"h.trace.json{ending} is left out: it is a copy of h.trace.json" in run.notes


def test_compressed_files_are_found_in_folders(tmp_path: Path) -> None:
    endings = dict(zip(("zst", "xz", "bz2", "gz"), ("zstd", "xz", "bzip2", "gzip"), strict=True))
    for ending, kind in endings.items():
        (tmp_path / f"a.json.{ending}").write_bytes(COMPRESS[kind](JSON))
        (tmp_path / f"b.csv.{ending}").write_bytes(COMPRESS[kind](b"1,2,3\n" * 1000))
    assert sorted(run.name for run in discover(tmp_path)) == sorted(f"a.json.{ending}" for ending in endings)
