"""Objects on web servers: ranges, redirects, tokens, and what hosts do wrong."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
import urllib3

from tests.remote.static_server import Behaviour, static_server
from tilescope.remote.address import Address
from tilescope.remote.progress import Progress
from tilescope.remote.retries import Retries
from tilescope.remote.steady_pool import steady_pool
from tilescope.remote.tokens import tokens_by_origin
from tilescope.remote.web_blob import WebBlob
from tilescope.remote.web_requests import WebRequests
from tilescope.tiler.blobs import BlobRange, BlobState
from tilescope.tiler.errors import (
    BlobChanged,
    BlobCut,
    BlobError,
    BlobForbidden,
    BlobMissing,
    HostUnreachable,
    NoRanges,
    Throttled,
    UsageError,
)

CONTENT = bytes(range(256)) * 4096  # 1 MiB
SECRET = "sesame-0815"


@pytest.fixture
def behaviour() -> Behaviour:
    return Behaviour({"/trace": CONTENT, "/empty": b"", "/small": b"abc"})


@pytest.fixture
def origin(behaviour: Behaviour) -> Iterator[str]:
    with static_server(behaviour) as origin:
        yield origin


class Pauses:
    """Retries that never sleeps, and remembers for how long it would have."""

    def __init__(self, attempts: int = 3) -> None:
        self.slept: list[float] = []
        self.retries = Retries(attempts, 0.5, self.slept.append)


@pytest.fixture
def pool() -> Iterator[urllib3.PoolManager]:
    with steady_pool(8, 8) as pool:
        yield pool


def blob_at(
    url: str, pool: urllib3.PoolManager, tokens: dict[str, str] | None = None, pauses: Pauses | None = None
) -> WebBlob:
    return WebBlob(Address.parse(url), WebRequests(lambda _: pool, tokens or {}), (pauses or Pauses()).retries)


def test_ranges(origin: str, behaviour: Behaviour, pool: urllib3.PoolManager) -> None:
    blob = blob_at(f"{origin}/trace", pool)
    assert blob.read(0, 64) == CONTENT[:64]
    assert blob.state() == BlobState(len(CONTENT), '"1"')
    assert len(behaviour.requests) == 1, "the state was in the first answer"
    ranges = [BlobRange(5, 9), BlobRange(1000, 300_000), BlobRange(len(CONTENT) - 3, len(CONTENT) + 10)]
    assert blob.read_many(ranges) == [CONTENT[start:stop] for start, stop in ranges]
    assert blob.read(len(CONTENT), len(CONTENT) + 5) == b""
    assert blob.read(7, 7) == b""
    assert b"".join(blob.stream(9)) == CONTENT[9:]


@pytest.mark.parametrize(("name", "content"), [("empty", b""), ("small", b"abc")])
def test_small_objects(origin: str, pool: urllib3.PoolManager, name: str, content: bytes) -> None:
    assert blob_at(f"{origin}/{name}", pool).state().size_bytes == len(content)
    assert blob_at(f"{origin}/{name}", pool).read(0, 100) == content
    assert b"".join(blob_at(f"{origin}/{name}", pool).stream()) == content


def test_bodies_that_break_off_are_continued(origin: str, behaviour: Behaviour, pool: urllib3.PoolManager) -> None:
    behaviour.cut_after = [1000, 0, 200_000, 30_000, 0]
    pauses = Pauses()
    assert blob_at(f"{origin}/trace", pool, pauses=pauses).read(0, len(CONTENT)) == CONTENT
    starts = [headers["Range"].partition("=")[2].partition("-")[0] for _, headers in behaviour.requests]
    assert starts == ["0", "1000", "1000", "201000", "231000", "231000"]
    assert len(pauses.slept) == 5


def test_a_host_that_always_breaks_off(origin: str, behaviour: Behaviour, pool: urllib3.PoolManager) -> None:
    behaviour.cut_after = [1000] + [0] * 10
    with pytest.raises(BlobCut, match="byte 1,000: the web server breaks off"):
        blob_at(f"{origin}/trace", pool).read(0, len(CONTENT))
    assert len(behaviour.requests) == 3


def test_a_host_that_breaks_off_after_each_byte(origin: str, behaviour: Behaviour, pool: urllib3.PoolManager) -> None:
    behaviour.cut_after = [1] * 1000
    with pytest.raises(BlobCut, match="byte 3: the web server breaks off"):
        blob_at(f"{origin}/trace", pool).read(0, len(CONTENT))
    assert len(behaviour.requests) == 3


@pytest.mark.parametrize("part", ["drips", "interim"])
def test_a_host_that_drips_holds_no_thread(
    origin: str, behaviour: Behaviour, pool: urllib3.PoolManager, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its bodies, or its heads."""
    setattr(behaviour, part, 1000)
    times = itertools.count(0, 7)  # seconds, with each look at the clock
    monkeypatch.setattr("tilescope.remote.steady_pool.monotonic", lambda: float(next(times)))
    with pytest.raises(HostUnreachable, match="sends fewer than 30,000 bytes in 30 s"):
        blob_at(f"{origin}/trace", pool).read(0, len(CONTENT))
    assert next(times) < 100
    assert len(behaviour.requests) == 1


def test_progress_is_of_each_window() -> None:
    times = iter((0.0, 29.0, 31.0, 61.0))
    progress = Progress(lambda: next(times))
    assert [progress.is_too_slow(size_bytes) for size_bytes in (0, 30_000, 29_999)] == [False, False, True]


def test_a_refusal_says_what_to_do(origin: str, behaviour: Behaviour, pool: urllib3.PoolManager) -> None:
    behaviour.refused = [(401, {}), (403, {})]
    with pytest.raises(BlobForbidden, match=f"give a token for it: TILESCOPE_TOKENS={origin}=TOKEN"):
        blob_at(f"{origin}/trace", pool).read(0, 3)
    with pytest.raises(BlobForbidden, match=r"the token that TILESCOPE_TOKENS has for .* does not open it") as caught:
        blob_at(f"{origin}/trace", pool, {origin: SECRET}).read(0, 3)
    assert SECRET not in str(caught.value)


def test_throttling_hosts_are_given_time(origin: str, behaviour: Behaviour, pool: urllib3.PoolManager) -> None:
    behaviour.refused = [(429, {"Retry-After": "7"}), (503, {})]
    pauses = Pauses()
    assert blob_at(f"{origin}/trace", pool, pauses=pauses).read(0, 3) == CONTENT[:3]
    assert pauses.slept[0] == 7
    assert 0.5 <= pauses.slept[1] <= 1


@pytest.mark.parametrize(
    ("status", "headers", "error", "requests"),
    [
        (429, {}, Throttled, 3),
        (503, {"Retry-After": "86400"}, Throttled, 1),
        (500, {}, HostUnreachable, 3),
        (404, {}, BlobMissing, 1),
        (401, {}, BlobForbidden, 1),
        (403, {}, BlobForbidden, 1),
        (400, {}, HostUnreachable, 1),
        (412, {}, HostUnreachable, 1),
        (416, {}, HostUnreachable, 1),
        (429, {"Retry-After": "Mon, 01 Jan 99999999999999999999 00:00:00 GMT"}, Throttled, 3),
        (429, {"Retry-After": "Mon, 01 Jan 2001 00:00:00 -0000"}, Throttled, 3),
        (302, {"Location": "ftp://elsewhere/"}, HostUnreachable, 1),
        (302, {"Location": "http://[::1"}, HostUnreachable, 1),
        (302, {"Location": "http://user:word@elsewhere/"}, HostUnreachable, 1),
        (302, {}, HostUnreachable, 1),
    ],
)
def test_refusals(
    origin: str,
    behaviour: Behaviour,
    pool: urllib3.PoolManager,
    status: int,
    headers: dict[str, str],
    error: type[BlobError],
    requests: int,
) -> None:
    behaviour.refused = [(status, headers)] * 10
    with pytest.raises(error):
        blob_at(f"{origin}/trace", pool).read(0, 3)
    assert len(behaviour.requests) == requests


def test_nobody_listens(pool: urllib3.PoolManager) -> None:
    with pytest.raises(HostUnreachable, match="does not answer"):
        blob_at("http://127.0.0.1:9/trace", pool).read(0, 3)


@pytest.mark.parametrize("content", [CONTENT[:-1], CONTENT[1:] + b"x"], ids=["shorter", "same size"])
def test_another_object(origin: str, behaviour: Behaviour, pool: urllib3.PoolManager, content: bytes) -> None:
    blob = blob_at(f"{origin}/trace", pool)
    blob.read(0, 3)
    behaviour.objects["/trace"] = content
    behaviour.etags["/trace"] = '"2"'
    with pytest.raises(BlobChanged, match="changed while it was read"):
        blob.read(3, 6)


def test_without_etags_the_size_tells(origin: str, behaviour: Behaviour, pool: urllib3.PoolManager) -> None:
    behaviour.has_etags = False
    blob = blob_at(f"{origin}/trace", pool)
    assert blob.read(0, 3) == CONTENT[:3]
    assert blob.state().etag is None
    behaviour.objects["/trace"] = CONTENT + b"more"
    with pytest.raises(BlobChanged):
        blob.read(3, 6)


def test_hosts_without_ranges(origin: str, behaviour: Behaviour, pool: urllib3.PoolManager) -> None:
    behaviour.has_ranges = False
    with pytest.raises(NoRanges, match="sends whole objects only"):
        blob_at(f"{origin}/trace", pool).read(10, 20)
    with pytest.raises(NoRanges):
        blob_at(f"{origin}/trace", pool).state()
    small = blob_at(f"{origin}/small", pool)
    assert small.read(0, 100) == b"abc"
    with pytest.raises(NoRanges):
        small.read(1, 2)


def test_wrong_ranges(origin: str, behaviour: Behaviour, pool: urllib3.PoolManager) -> None:
    behaviour.wrong_range = True
    with pytest.raises(HostUnreachable, match="another range"):
        blob_at(f"{origin}/trace", pool).read(0, 20)


def test_tokens_stay_with_their_origin(origin: str, behaviour: Behaviour, pool: urllib3.PoolManager) -> None:
    other = Behaviour({"/trace": CONTENT})
    with static_server(other) as elsewhere:
        behaviour.redirects = {"/far": f"{elsewhere}/trace", "/near": "/trace"}
        tokens = {origin: SECRET}
        for path in ("/far", "/near"):
            assert blob_at(origin + path, pool, tokens).read(0, 3) == CONTENT[:3]
        assert all(headers["Authorization"] == f"Bearer {SECRET}" for _, headers in behaviour.requests)
        assert [headers.get("Authorization") for _, headers in other.requests] == [None]


def test_a_redirect_that_comes_back_brings_no_token(behaviour: Behaviour, pool: urllib3.PoolManager) -> None:
    with static_server(behaviour) as origin, static_server(Behaviour({})) as elsewhere:
        behaviour.redirects = {"/trace": f"{elsewhere}/trace"}
        with pytest.raises(BlobMissing):
            blob_at(f"{origin}/trace", pool, {elsewhere: SECRET}).read(0, 3)
    assert "Authorization" not in behaviour.requests[0][1]


def test_a_redirect_that_comes_home_from_elsewhere_brings_no_token(
    origin: str, behaviour: Behaviour, pool: urllib3.PoolManager
) -> None:
    other = Behaviour({}, redirects={"/there": f"{origin}/trace"})
    with static_server(other) as elsewhere:
        behaviour.redirects = {"/away": f"{elsewhere}/there"}
        assert blob_at(f"{origin}/away", pool, {origin: SECRET, elsewhere: SECRET}).read(0, 3) == CONTENT[:3]
    assert [headers.get("Authorization") for _, headers in behaviour.requests] == [f"Bearer {SECRET}", None]
    assert "Authorization" not in other.requests[0][1]


def test_redirects_in_circles(origin: str, behaviour: Behaviour, pool: urllib3.PoolManager) -> None:
    behaviour.redirects = {"/a": "/b", "/b": "/a"}
    with pytest.raises(HostUnreachable, match="redirects more than 5 times"):
        blob_at(f"{origin}/a", pool).read(0, 3)


def test_each_address_is_checked(origin: str, behaviour: Behaviour, pool: urllib3.PoolManager) -> None:
    behaviour.redirects = {"/a": "/trace"}
    checked: list[str] = []

    def choose_pool(address: Address) -> urllib3.PoolManager:
        checked.append(address.path)
        if address.path == "trace":
            raise UsageError("not this one")
        return pool

    with pytest.raises(UsageError, match="not this one"):
        WebBlob(Address.parse(f"{origin}/a"), WebRequests(choose_pool, {})).read(0, 3)
    assert checked == ["a", "trace"]
    assert [path for path, _ in behaviour.requests] == ["/a"]


def test_signatures_are_sent_and_not_shown(origin: str, behaviour: Behaviour, pool: urllib3.PoolManager) -> None:
    blob = blob_at(f"{origin}/none?signature={SECRET}", pool)
    with pytest.raises(BlobMissing) as caught:
        blob.read(0, 3)
    assert behaviour.requests[0][0] == f"/none?signature={SECRET}"
    assert SECRET not in str(caught.value)
    assert SECRET not in blob.address


def test_tokens_of_the_environment() -> None:
    variable = {"TILESCOPE_TOKENS": f"https://Host.example:443={SECRET} http://b:80=x=y"}
    assert tokens_by_origin(variable) == {"https://host.example": SECRET, "http://b": "x=y"}
    assert tokens_by_origin({}) == {}
    for text in (SECRET, f"host={SECRET}", "https://host="):
        with pytest.raises(UsageError) as caught:
            tokens_by_origin({"TILESCOPE_TOKENS": text})
        assert SECRET not in str(caught.value)
