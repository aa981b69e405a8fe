"""Hosts of buckets that behave badly: what is there, or an error by name, within a bound."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.remote.s3_server import SECRET, skip_without_s3
from tests.remote.static_server import Behaviour, static_server
from tilescope.remote.address import Address
from tilescope.tiler.errors import BlobChanged, BlobError, BlobForbidden, BlobMissing, HostUnreachable, Throttled

skip_without_s3()

from tilescope.remote.bucket import Bucket, BucketBlob  # noqa: E402 - of an extra

CONTENT = bytes(range(256)) * 4096  # 1 MiB
MOST_REQUESTS = 8  # of one reading, beyond which a host is not asked again


@pytest.fixture
def behaviour() -> Behaviour:
    return Behaviour({"/traces/trace": CONTENT})


@pytest.fixture
def blob(behaviour: Behaviour, monkeypatch: pytest.MonkeyPatch) -> Iterator[BucketBlob]:
    monkeypatch.setattr("tilescope.remote.bucket.RETRIES", 2)
    with static_server(behaviour) as origin:
        environment = {
            "AWS_ENDPOINT_URL": origin,
            "AWS_ALLOW_HTTP": "true",
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": "us-east-1",
        }
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        yield Bucket(Address.parse("s3://traces/")).open("trace")


def refused(blob: BucketBlob, behaviour: Behaviour, error: type[BlobError]) -> None:
    behaviour.requests.clear()
    with pytest.raises(error) as caught:
        blob.read(0, len(CONTENT))
    assert str(caught.value).startswith("s3://traces/trace: ")
    assert "\n" not in str(caught.value)
    assert SECRET not in str(caught.value)
    assert len(behaviour.requests) <= MOST_REQUESTS


@pytest.mark.parametrize(
    ("status", "error"),
    [(403, BlobForbidden), (404, BlobMissing), (429, Throttled), (503, Throttled), (500, HostUnreachable)],
)
def test_refusals(blob: BucketBlob, behaviour: Behaviour, status: int, error: type[BlobError]) -> None:
    behaviour.refused = [(status, {})] * 50
    refused(blob, behaviour, error)


def test_a_body_that_breaks_off_is_continued(blob: BucketBlob, behaviour: Behaviour) -> None:
    behaviour.cut_after = [1000]
    assert blob.read(0, len(CONTENT)) == CONTENT


def test_a_host_that_always_breaks_off(blob: BucketBlob, behaviour: Behaviour) -> None:
    behaviour.cut_after = [0] * 50
    refused(blob, behaviour, BlobError)


def test_a_host_that_is_slow_is_not_waited_for(
    blob: BucketBlob, behaviour: Behaviour, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_TIMEOUT", "100ms")
    behaviour.delay_s = 2.0
    bucket = Bucket(Address.parse("s3://traces/"))
    with pytest.raises(HostUnreachable, match="s3://traces/trace: the bucket's host does not answer"):
        bucket.open("trace").read(0, 3)
    with pytest.raises(HostUnreachable, match="s3://traces/: the bucket's host does not answer"):
        bucket.list()


def test_wrong_ranges(blob: BucketBlob, behaviour: Behaviour) -> None:
    behaviour.wrong_range = True
    refused(blob, behaviour, BlobError)


def test_wrong_lengths(blob: BucketBlob, behaviour: Behaviour) -> None:
    behaviour.wrong_bytes = 1
    refused(blob, behaviour, BlobChanged)  # of what the head said


def test_hosts_without_ranges(blob: BucketBlob, behaviour: Behaviour) -> None:
    behaviour.has_ranges = False
    blob.state()
    with pytest.raises(BlobError):
        blob.read(5, 10)


def test_without_etags_the_size_tells(blob: BucketBlob, behaviour: Behaviour) -> None:
    behaviour.has_etags = False
    assert blob.read(0, 3) == CONTENT[:3]
    assert blob.state().etag is None
    behaviour.objects["/traces/trace"] = CONTENT + b"more"
    refused(blob, behaviour, BlobChanged)


LISTING = """<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>traces</Name><IsTruncated>false</IsTruncated>
{}</ListBucketResult>"""
OBJECT = """<Contents><Key>{}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>"1"</ETag><Size>3</Size>
</Contents>"""


@pytest.mark.parametrize("key", ["a&#10;b", "a&#27;[2Jb", "a/../b", "a//b", "./b"])
def test_a_listing_with_a_key_that_no_object_may_have(blob: BucketBlob, behaviour: Behaviour, key: str) -> None:
    behaviour.objects["/traces"] = LISTING.format(OBJECT.format(key) + OBJECT.format("trace")).encode()
    with pytest.raises(BlobError, match="no listing is possible") as caught:
        Bucket(Address.parse("s3://traces/")).list()
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("status", "error"),
    [(401, BlobForbidden), (403, BlobForbidden), (429, Throttled), (503, Throttled), (500, HostUnreachable)],
)
def test_a_listing_that_is_refused(blob: BucketBlob, behaviour: Behaviour, status: int, error: type[BlobError]) -> None:
    behaviour.refused = [(status, {})] * 50
    with pytest.raises(error) as caught:
        Bucket(Address.parse("s3://traces/")).list()
    assert str(caught.value).startswith("s3://traces/: ")
    assert SECRET not in str(caught.value)
    assert len(behaviour.requests) <= MOST_REQUESTS


def test_a_listing_that_breaks_off(blob: BucketBlob, behaviour: Behaviour) -> None:
    behaviour.objects["/traces"] = LISTING.format(OBJECT.format("trace")).encode()
    behaviour.cut_after = [50] * 50
    with pytest.raises(BlobError) as caught:
        Bucket(Address.parse("s3://traces/")).list()
    assert str(caught.value).isprintable()
    assert len(behaviour.requests) <= MOST_REQUESTS


@pytest.mark.parametrize("listing", ["", "<", "none", LISTING.format("<Contents><Key>a</Key></Contents>")])
def test_a_listing_that_is_none(blob: BucketBlob, behaviour: Behaviour, listing: str) -> None:
    behaviour.objects["/traces"] = listing.encode()
    with pytest.raises(BlobError) as caught:
        Bucket(Address.parse("s3://traces/")).list()
    assert str(caught.value).isprintable()
