"""Clients that take gzip get members as they are stored; all others get what is in them."""

from __future__ import annotations

import gzip
import tracemalloc

import pytest
from aiohttp.test_utils import make_mocked_request
from multidict import CIMultiDict

from tilescope.server.errors import NotAcceptable
from tilescope.server.http.content_coding import inflated, takes_gzip
from tilescope.tiler.errors import DamagedStore


@pytest.mark.parametrize(
    ("header", "takes"),
    [
        (None, False),
        ("", False),
        ("identity", False),
        ("br", False),
        ("gzip", True),
        ("GZIP", True),
        ("x-gzip", True),
        ("br, gzip;q=0.5", True),
        ("gzip; q=0", False),
        ("gzip;q=0.000, *", False),
        ("*", True),
        ("*;q=0", False),
        ("identity;q=1, *;q=0", False),
        ("gzip;q=x", False),
        ("gzip;level=9", True),
    ],
)
def test_a_client_takes_gzip_where_its_header_says_so(header: str | None, takes: bool) -> None:
    headers = CIMultiDict() if header is None else CIMultiDict({"Accept-Encoding": header})
    assert takes_gzip(make_mocked_request("GET", "/", headers=headers)) is takes


def test_two_headers_are_as_one() -> None:
    headers = CIMultiDict([("Accept-Encoding", "br"), ("Accept-Encoding", "gzip")])
    assert takes_gzip(make_mocked_request("GET", "/", headers=headers))


@pytest.mark.parametrize("size", [0, 100, 300_000, 32 << 20])
async def test_what_is_in_a_member_comes_whole(size: int) -> None:
    body = bytes(range(256)) * (size // 256) + bytes(size % 256)
    assert await inflated(gzip.compress(body, 1), "/pages") == body


async def test_a_member_of_a_stranger_takes_no_more_than_its_bound() -> None:
    member = gzip.compress(bytes(200 << 20), 6)
    tracemalloc.start()
    with pytest.raises(NotAcceptable, match=r"/pages: more than 33\.6 MB: ask with Accept-Encoding: gzip"):
        await inflated(member, "/pages")
    assert tracemalloc.get_traced_memory()[1] < 100 << 20
    tracemalloc.stop()


@pytest.mark.parametrize("cut", [slice(0, -1), slice(0, 12), slice(1, None), slice(0, 0)])
async def test_a_damaged_member_is_said_to_be_damaged(cut: slice) -> None:
    with pytest.raises(DamagedStore, match="/pages: "):
        await inflated(gzip.compress(b"a" * 1000)[cut], "/pages")
