"""Buckets of S3, served by moto."""

from __future__ import annotations

import os
from random import Random
from typing import Any

import pytest
import urllib3

from tests.remote.s3_server import SECRET, make_bucket, skip_without_s3
from tilescope.remote import open_blob, open_place
from tilescope.remote.opening import open_traces
from tilescope.tiler.blobs import BlobEntry, BlobRange
from tilescope.tiler.errors import BlobChanged, BlobError, BlobMissing, HostUnreachable, TilescopeError, UsageError

skip_without_s3()
import obstore  # noqa: E402 - of an extra

pytestmark = pytest.mark.usefixtures("s3")

CONTENT = Random(2).randbytes(40 << 20)


def put(address: str, content: bytes) -> None:
    folder, _, name = address.rpartition("/")
    with open_place(folder).put(name) as writer:
        for start in range(0, len(content), 7 << 20):
            writer.write(content[start : start + (7 << 20)])
        writer.commit()


def test_what_is_put_in_parts_is_read_by_ranges() -> None:
    put("s3://traces/parts/trace", CONTENT)
    blob = open_blob("s3://traces/parts/trace")
    assert blob.state().size_bytes == len(CONTENT)
    ranges = [BlobRange(0, 10), BlobRange(5 << 20, 18 << 20), BlobRange(len(CONTENT) - 1, len(CONTENT) + 9)]
    assert blob.read_many(ranges) == [CONTENT[start:stop] for start, stop in ranges]
    assert b"".join(blob.stream(3)) == CONTENT[3:]
    assert blob.read(len(CONTENT), len(CONTENT) + 1) == b""
    assert blob.address == "s3://traces/parts/trace"


@pytest.mark.parametrize("is_put", [True, False])
def test_parts_that_are_put_together_without_an_answer(monkeypatch: pytest.MonkeyPatch, is_put: bool) -> None:
    """As where the request that puts them together is sent again: the host knows no such upload any more."""
    address, put_parts = f"s3://traces/unanswered/trace-{is_put}", obstore.put
    put(address, b"\0" * len(CONTENT))

    def unanswered(*arguments: Any, **options: Any) -> None:
        if is_put:
            put_parts(*arguments, **options)
        raise FileNotFoundError("NoSuchUpload")

    monkeypatch.setattr(obstore, "put", unanswered)
    if is_put:
        put(address, CONTENT)
        assert b"".join(open_blob(address).stream()) == CONTENT
    else:
        with pytest.raises(BlobMissing, match="the parts of the object were gone before it was whole"):
            put(address, CONTENT)


def test_nothing_is_there_without_commit() -> None:
    place = open_place("s3://traces/aborted")
    with place.put("trace") as writer:
        writer.write(b"abc")
    assert place.list().entries == ()
    with pytest.raises(BlobMissing):
        place.open("trace").state()


def test_empty_objects() -> None:
    put("s3://traces/empty/trace", b"")
    blob = open_blob("s3://traces/empty/trace")
    assert (blob.state().size_bytes, blob.read(0, 9), list(blob.stream())) == (0, b"", [])


def test_an_object_that_is_replaced() -> None:
    put("s3://traces/changed/trace", b"first")
    listed = open_place("s3://traces/changed").list().entries[0]
    blob = open_blob("s3://traces/changed/trace")
    assert blob.read(0, 3) == b"fir"
    put("s3://traces/changed/trace", b"other")
    with pytest.raises(BlobChanged):
        blob.read(3, 5)
    assert open_place("s3://traces/changed").list().entries[0].etag != listed.etag


def test_listings_in_pages() -> None:
    names = sorted(["a", "a-b", "a/1", "a/2", "b/x y", "b/é", "c?d#e"], key=str.encode)
    for name in names:
        put(f"s3://traces/listed/{name}", name.encode())
    put("s3://traces/listed-beside/a", b"")
    place = open_place("s3://traces/listed/")
    for limit in (1, 2, 3, 1000):
        entries: list[BlobEntry] = []
        after = None
        while True:
            page = place.list(after=after, limit=limit)
            assert len(page.entries) <= limit
            entries += page.entries
            if (after := page.next_after) is None:
                break
        assert [entry.name for entry in entries] == names
    assert [entry.name for entry in place.list("a").entries] == ["a", "a-b", "a/1", "a/2"]
    assert [entry.name for entry in place.list("a/").entries] == ["a/1", "a/2"]
    for entry in place.list().entries:
        assert place.open(entry.name).read(0, 99) == entry.name.encode()
        assert place.open(entry.name).state().etag == entry.etag


def test_an_address_is_of_an_object_or_of_a_place() -> None:
    put("s3://traces/either/run/trace", b"abc")
    assert open_traces("s3://traces/either/run/trace")[1] == "trace"
    place, name = open_traces("s3://traces/either/run")
    assert (name, [entry.name for entry in place.list().entries]) == ("", ["trace"])
    assert open_traces("s3://traces/either/")[1] == ""


def test_no_bucket_and_no_object() -> None:
    with pytest.raises(BlobMissing, match="s3://traces/none: there is no such object"):
        open_blob("s3://traces/none").state()
    with pytest.raises(BlobMissing):
        open_place("s3://no-such-bucket/").list()
    with pytest.raises(UsageError, match="name an object"):
        open_blob("s3://traces")


@pytest.mark.parametrize(
    "address", ["s3://traces/a//b/", "s3://traces/../b", "s3://traces/a/../b/", "s3://buc ket/a", "s3://traces/./"]
)
def test_addresses_that_no_object_has(address: str) -> None:
    with pytest.raises(UsageError, match=r"the name|this name"):
        open_traces(address)


def test_a_key_that_leads_out_of_its_place() -> None:
    make_bucket("astray")
    response = urllib3.request(
        "PUT", f"{os.environ['AWS_ENDPOINT_URL']}/astray/a/%2E%2E/b", body=b"", retries=False, timeout=60
    )
    assert response.status == 200
    put("s3://astray/good/trace", b"abc")
    with pytest.raises(BlobError, match="leads out of its place"):
        open_place("s3://astray").list()
    assert [entry.name for entry in open_place("s3://astray/good").list().entries] == ["trace"]


def test_long_keys() -> None:
    make_bucket("odd")
    long = "/".join(["g" * 63] * 15 + ["g" * 64])  # 1,024 bytes
    for key in (long, "h" * 1024):
        url = f"{os.environ['AWS_ENDPOINT_URL']}/odd/{key}"
        assert urllib3.request("PUT", url, body=b"abc", retries=False, timeout=60).status == 200
    page = open_place("s3://odd").list()
    assert ([entry.name for entry in page.entries], page.refused) == ([long], 1)
    assert open_place("s3://odd").open(long).read(0, 9) == b"abc"


def test_a_host_that_does_not_answer_and_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setattr("tilescope.remote.bucket.RETRIES", 1)
    with pytest.raises(HostUnreachable, match="does not answer") as caught:
        open_blob("s3://silent/trace").state()
    assert SECRET not in str(caught.value)


def test_no_message_has_a_secret() -> None:
    assert os.environ["AWS_SECRET_ACCESS_KEY"] == SECRET
    for address in ("s3://traces/none", "s3://none/none"):
        with pytest.raises(TilescopeError) as caught:
            open_blob(address).read(0, 3)
        assert SECRET not in f"{caught.value!r} {caught.value.__cause__!r}"
