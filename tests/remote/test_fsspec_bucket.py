"""Buckets through fsspec: its file system in memory, and s3fs with a server of S3."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.remote.s3_server import SECRET, make_bucket, s3_server

pytest.importorskip("fsspec", reason="without fsspec there is no second way to buckets")
from fsspec.implementations.memory import MemoryFileSystem

from tilescope.remote.address import Address
from tilescope.remote.fsspec_bucket import FsspecBucket
from tilescope.remote.opening import open_place
from tilescope.remote.retries import Retries
from tilescope.tiler.blobs import BlobRange
from tilescope.tiler.errors import BlobChanged, BlobError, BlobForbidden, BlobMissing, HostUnreachable, UsageError


class Files(MemoryFileSystem):  # type: ignore[misc] # fsspec has no types
    """A file system in memory that tells ETags, and fails as it is told to."""

    cachable = False
    failure: Exception | None = None
    cut = 0

    def info(self, path: str, **options: object) -> dict[str, object]:
        if self.failure is not None:
            raise self.failure
        info: dict[str, object] = super().info(path, **options)
        content = b"" if info["type"] == "directory" else super().cat_file(path)
        return {**info, "ETag": f'"{hash(content)}"'}

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **options: object) -> bytes:
        content: bytes = super().cat_file(path, start=start, end=end, **options)
        if self.cut:
            self.cut -= 1
            return content[:-1]
        return content


@pytest.fixture
def files() -> Iterator[Files]:
    files = Files()
    yield files
    files.store.clear()
    files.pseudo_dirs[:] = [""]


def place(files: Files, path: str = "") -> FsspecBucket:
    return FsspecBucket(Address.parse(f"s3://traces/{path}"), files, Retries(3, 0.0))


def put(place: FsspecBucket, name: str, content: bytes) -> None:
    with place.put(name) as writer:
        writer.write(content[:5])
        writer.write(content[5:])
        writer.commit()


CONTENT = bytes(range(256)) * 50


def test_what_is_put_is_read_by_ranges(files: Files) -> None:
    put(place(files, "runs"), "a/trace", CONTENT)
    blob = place(files).open("runs/a/trace")
    assert blob.state().size_bytes == len(CONTENT)
    ranges = [BlobRange(0, 10), BlobRange(300, 900), BlobRange(len(CONTENT) - 1, len(CONTENT) + 9)]
    assert blob.read_many(ranges) == [CONTENT[start:stop] for start, stop in ranges]
    assert b"".join(blob.stream(3)) == CONTENT[3:]
    assert blob.read(len(CONTENT), len(CONTENT) + 1) == b""
    assert blob.address == "s3://traces/runs/a/trace"
    put(place(files), "empty", b"")
    assert list(place(files).open("empty").stream()) == []


def test_nothing_is_there_without_commit(files: Files) -> None:
    with place(files).put("trace") as writer:
        writer.write(b"abc")
    with pytest.raises(BlobMissing):
        place(files).open("trace").state()


def test_an_object_that_is_replaced(files: Files) -> None:
    put(place(files), "trace", b"first")
    blob = place(files).open("trace")
    assert blob.read(0, 3) == b"fir"
    put(place(files), "trace", b"other")
    with pytest.raises(BlobChanged):
        blob.read(3, 5)


def test_listings_in_pages(files: Files) -> None:
    names = sorted(["a", "a-b", "b/1", "b/2", "b/x y", "b/é", "c?d#e"], key=str.encode)
    for name in names:
        put(place(files, "listed"), name, name.encode())
    put(place(files), "beside", b"")
    listed = place(files, "listed/")
    for limit in (1, 2, 3, 1000):
        seen_names: list[str] = []
        after = None
        while True:
            page = listed.list(after=after, limit=limit)
            assert len(page.entries) <= limit
            seen_names += [entry.name for entry in page.entries]
            if (after := page.next_after) is None:
                break
        assert seen_names == names
    assert [entry.name for entry in listed.list("b/").entries] == ["b/1", "b/2", "b/x y", "b/é"]
    for entry in listed.list().entries:
        assert listed.open(entry.name).read(0, 99) == entry.name.encode()


def test_names_that_no_file_can_have_are_counted(files: Files) -> None:
    files.pipe("/traces/a\nb", b"")
    files.pipe("/traces/trace", b"abc")
    page = place(files).list()
    assert ([entry.name for entry in page.entries], page.refused) == (["trace"], 1)


def test_more_objects_than_are_looked_at(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilescope.remote.fsspec_bucket.MAX_OBJECTS", 3)
    for number in range(4):
        files.pipe(f"/traces/{number}", b"")
    with pytest.raises(BlobError, match="has more than 3 objects and folders"):
        place(files).list()


def test_names_in_circles_and_without_end_stop(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders as a host may tell of them: one beside the one that was asked for, and one more in each."""
    monkeypatch.setattr("tilescope.remote.fsspec_bucket.MAX_OBJECTS", 50)
    for inner, refused in (("traces/other", 1), ("traces/", 1), ("{}/deeper", None)):
        folders: list[str] = []

        def ls(path: str, inner: str = inner, folders: list[str] = folders, **options: object) -> list[object]:
            folders.append(path)
            return [{"name": inner.format(path), "size": 0, "type": "directory"}]

        monkeypatch.setattr(files, "ls", ls)
        if refused is None:
            with pytest.raises(BlobError, match="has more than 50 objects and folders"):
                place(files, "top").list()
            assert len(folders) == 51
        else:
            page = place(files, "top").list()
            assert (page.entries, page.refused, folders) == ((), refused, ["traces/top"])


@pytest.mark.parametrize("denied", ["/traces", "/traces/b"])
@pytest.mark.parametrize(
    ("failure", "error"),
    [(FileNotFoundError(SECRET), BlobMissing), (PermissionError(SECRET), BlobForbidden), (OSError(), HostUnreachable)],
)
def test_a_folder_that_cannot_be_listed_ends_the_listing(
    files: Files, monkeypatch: pytest.MonkeyPatch, denied: str, failure: Exception, error: type[BlobError]
) -> None:
    for name in ("a/1", "b/2"):
        put(place(files), name, b"")
    listed = files.ls

    def ls(path: str, **options: object) -> object:
        if f"/{path}" == denied:
            raise failure
        return listed(path, **options)

    monkeypatch.setattr(files, "ls", ls)
    with pytest.raises(error) as caught:
        place(files).list()
    assert SECRET not in str(caught.value)


def test_a_bucket_that_is_not_there(files: Files) -> None:
    with pytest.raises(BlobMissing, match="s3://traces/: there is no such object or bucket"):
        place(files).list()


class NoCredentialsError(Exception):
    """As botocore calls it."""


@pytest.mark.parametrize(
    ("failure", "error"),
    [
        (FileNotFoundError(SECRET), BlobMissing),
        (PermissionError(SECRET), BlobForbidden),
        (NoCredentialsError(SECRET), BlobForbidden),
        (OSError(SECRET), HostUnreachable),
        (RuntimeError(f"https://{SECRET}\n"), HostUnreachable),
    ],
)
def test_errors_are_by_name_and_without_secrets(files: Files, failure: Exception, error: type[BlobError]) -> None:
    put(place(files), "trace", CONTENT)
    files.failure = failure
    with pytest.raises(error) as caught:
        place(files).open("trace").read(0, 5)
    assert str(caught.value).startswith("s3://traces/trace: ")
    assert SECRET not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_ranges_that_are_cut_are_asked_for_again(files: Files) -> None:
    put(place(files), "trace", CONTENT)
    files.cut = 2
    assert place(files).open("trace").read(0, len(CONTENT)) == CONTENT
    files.cut = 50
    with pytest.raises(BlobError, match="the bucket breaks off"):
        place(files).open("trace").read(0, len(CONTENT))


def test_a_package_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(scheme: str) -> None:
        raise ImportError("Install gcsfs")

    monkeypatch.setattr("fsspec.filesystem", lacking)
    with pytest.raises(UsageError, match="buckets need the package obstore"):
        FsspecBucket(Address.parse("gs://traces/"))


def test_a_package_that_finds_no_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(scheme: str) -> None:
        raise NoCredentialsError(SECRET)

    monkeypatch.setattr("fsspec.filesystem", refusing)
    with pytest.raises(BlobForbidden, match="there are no credentials for the bucket") as caught:
        FsspecBucket(Address.parse("az://traces/"))
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("there", [{"obstore"}, {"obstore", "fsspec"}, {"fsspec"}, set[str]()])
def test_obstore_goes_first(monkeypatch: pytest.MonkeyPatch, there: set[str], files: Files) -> None:
    opening = sys.modules["tilescope.remote.opening"]
    monkeypatch.setattr(opening, "find_spec", lambda name: name if name in there else None)
    monkeypatch.setattr("fsspec.filesystem", lambda scheme: files)
    if "obstore" in there and find_spec("obstore") is None:
        pytest.skip("without obstore")
    opening._bucket.cache_clear()
    try:
        opened = open_place("s3://traces/order/")
        assert isinstance(opened, FsspecBucket) == (there == {"fsspec"})
    finally:
        opening._bucket.cache_clear()


_COMMAND = """
import sys
sys.modules["obstore"] = None
from importlib import util
from tilescope.remote import opening
opening.find_spec = lambda name: None if name == "obstore" else util.find_spec(name)
from tilescope.cli.dispatch import main
place = opening.open_place("s3://traces/")
assert type(place).__name__ == "FsspecBucket"
with place.put("plugins/profile/run/host0.xplane.pb") as writer:
    writer.write(open(sys.argv[1], "rb").read())
    writer.commit()
try:
    place.open("none").state()
except Exception as error:
    assert type(error).__name__ == "BlobMissing", error
sys.exit(main(["index", "s3://traces/plugins/profile/run", "-o", sys.argv[2]]))
"""


@pytest.mark.skipif(find_spec("s3fs") is None, reason="without s3fs there is no S3 through fsspec")
@pytest.mark.skipif(find_spec("moto") is None, reason="without moto there is no S3 to read from")
def test_an_index_of_a_bucket_by_s3fs(tmp_path: Path) -> None:
    from tests.cli.test_addresses import records
    from tilescope.cli.dispatch import main

    trace = tmp_path / "host0.xplane.pb"
    assert main(["synth", "--events", "20000", "--tracks", "12", "-o", str(trace)]) == 0
    assert main(["index", str(trace), "-o", str(tmp_path / "local")]) == 0
    with s3_server() as environment, pytest.MonkeyPatch.context() as patched:
        for name, value in environment.items():
            patched.setenv(name, value)
        make_bucket("traces")
        command = [sys.executable, "-c", _COMMAND, str(trace), str(tmp_path / "remote")]
        subprocess.run(command, check=True, timeout=300)
    assert records(tmp_path / "local") == records(tmp_path / "remote")
