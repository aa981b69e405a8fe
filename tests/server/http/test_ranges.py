from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.server.http.ranges import ByteRange, parse_range


@pytest.mark.parametrize(
    ("header", "start", "end", "content_range"),
    [
        ("bytes=0-0", 0, 1, "bytes 0-0/10"),
        ("bytes=2-5", 2, 6, "bytes 2-5/10"),
        ("bytes=2-", 2, 10, "bytes 2-9/10"),
        ("bytes=-3", 7, 10, "bytes 7-9/10"),
        ("bytes=-99", 0, 10, "bytes 0-9/10"),
        ("bytes=9-99", 9, 10, "bytes 9-9/10"),
        ("Bytes = 0 - 3", 0, 4, "bytes 0-3/10"),
        ("bytes=10-", 10, 10, "bytes */10"),
        ("bytes=99-200", 99, 10, "bytes */10"),
        ("bytes=-0", 10, 10, "bytes */10"),
    ],
)
def test_ranges(header: str, start: int, end: int, content_range: str) -> None:
    part = parse_range(header, 10)
    assert part == ByteRange(start, end)
    assert part.content_range(10) == content_range


@pytest.mark.parametrize(
    "header", [None, "", "bytes", "bytes=", "bytes=-", "bytes=5-2", "bytes=0-1,3-4", "items=0-1", "bytes=a-b"]
)
def test_what_is_no_range_means_everything(header: str | None) -> None:
    assert parse_range(header, 10) is None


@given(st.integers(0, 50), st.integers(0, 60), st.integers(0, 60))
def test_a_range_is_what_slicing_gives(size: int, first: int, length: int) -> None:
    body = bytes(size)
    part = parse_range(f"bytes={first}-{first + length}", size)
    assert part is not None
    assert body[part.start : part.end] == body[first : first + length + 1]
