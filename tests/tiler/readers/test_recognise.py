"""open_trace: the right reader for what lies in a file, an archive, a compressed stream."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.tiler.readers import wire_writer as w
from tilescope.tiler.errors import DamagedTrace, TraceError, UnknownFormat
from tilescope.tiler.readers import open_trace, trace_paths

XSPACE = w.message(1, w.data(2, "/host:CPU"), w.message(3, w.message(4, w.number(2, 5)) * 3))
JSON = b'{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"a"}]}'


def read(path: Path) -> tuple[str, int]:
    reader = open_trace(path)
    try:
        rows = sum(map(len, reader.chunks()))
        return reader.summary().format, rows
    finally:
        reader.close()


def put(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def zipped(path: Path, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def tarred(path: Path, mode: str, **members: bytes) -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


@pytest.mark.parametrize("name", ["trace.json", "trace.bin", "trace.xplane.pb", "trace.gz"])
def test_content_decides_whatever_the_name(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    assert read(put(path, XSPACE)) == ("xspace", 3)
    assert read(put(path, gzip.compress(XSPACE))) == ("xspace", 3)
    assert read(put(path, gzip.compress(XSPACE[:9]) + gzip.compress(XSPACE[9:]))) == ("xspace", 3)
    assert read(put(path, JSON)) == ("trace_event_json", 1)
    assert read(put(path, gzip.compress(JSON))) == ("trace_event_json", 1)


def test_the_only_trace_in_an_archive(tmp_path: Path) -> None:
    assert read(zipped(tmp_path / "a", x=XSPACE, readme=b"hello")) == ("xspace", 3)
    assert read(zipped(tmp_path / "b", x=gzip.compress(JSON))) == ("trace_event_json", 1)
    assert read(tarred(tmp_path / "c", "w", x=JSON)) == ("trace_event_json", 1)
    assert read(tarred(tmp_path / "d", "w:gz", x=XSPACE)) == ("xspace", 3)


@pytest.mark.parametrize("archive", ["zip", "tar"])
def test_members_are_named_by_paths(tmp_path: Path, archive: str) -> None:
    members = {"host0.json": JSON, "host1.json": JSON, "notes.txt": b"hello", ".hidden.json": JSON}
    path = tmp_path / "all"
    zipped(path, **members) if archive == "zip" else tarred(path, "w:gz", **members)
    assert trace_paths(path) == (path / "host0.json", path / "host1.json")
    assert [read(member) for member in trace_paths(path)] == [("trace_event_json", 1)] * 2
    with pytest.raises(UnknownFormat, match=r"is an archive of 2 traces \(name one, as in .*all/host0.json\)"):
        open_trace(path)
    with pytest.raises(UnknownFormat, match="has no such member"):
        open_trace(path / "host7.json")


@pytest.mark.parametrize("archive", ["zip", "tar"])
@pytest.mark.parametrize("name", ["./run/host0.json", "run//host0.json", "/run/host0.json"])
def test_names_of_members_as_tools_write_them(tmp_path: Path, archive: str, name: str) -> None:
    path = tmp_path / "all"
    zipped(path, **{name: JSON}) if archive == "zip" else tarred(path, "w", **{name: JSON})
    assert trace_paths(path) == (path / "run/host0.json",)
    assert read(path / "run/host0.json") == ("trace_event_json", 1)


@pytest.mark.parametrize("archive", ["zip", "tar"])
def test_no_member_is_looked_for_outside_of_its_archive(tmp_path: Path, archive: str) -> None:
    outside = put(tmp_path / "secret.json", JSON)
    members = {str(outside): XSPACE, "../secret.json": JSON, "run/../../secret.json": JSON}
    path = tmp_path / "all"
    zipped(path, **members) if archive == "zip" else tarred(path, "w", **members)
    assert trace_paths(path) == (path / str(outside).lstrip("/"),)
    assert read(path) == ("xspace", 3)


def test_trace_paths_of_a_plain_file(tmp_path: Path) -> None:
    path = put(tmp_path / "x", JSON)
    assert trace_paths(path) == (path,)


def test_archive_without_a_trace(tmp_path: Path) -> None:
    with pytest.raises(UnknownFormat, match="is an archive that contains no trace"):
        open_trace(zipped(tmp_path / "a.zip", readme=b"hello"))


def test_archive_cut_short(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", x=JSON)
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(DamagedTrace, match="is a damaged archive"):
        open_trace(path)


def test_damaged_member_is_refused_for_an_xspace(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("x", XSPACE + w.data(9, bytes(300_000)))
    raw = bytearray(path.read_bytes())
    raw[200_000] ^= 1
    path.write_bytes(raw)
    with pytest.raises(DamagedTrace, match="the archive is damaged"):
        read(path)


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="cannot be opened: No such file"):
        open_trace(tmp_path / "none")
    with pytest.raises(TraceError, match="Is a directory"):
        open_trace(tmp_path)
