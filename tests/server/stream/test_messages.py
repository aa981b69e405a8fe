from __future__ import annotations

from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.server.errors import BadMessage
from tilescope.server.stream.messages import (
    MAX_WANTS,
    Credit,
    Want,
    done_message,
    error_message,
    missing_message,
    page_message,
    parse,
)
from tilescope.tiler.pages import PageKey

KEY = PageKey(3, 2, 10**12, 31)


def split(frame: bytes) -> tuple[dict[str, Any], bytes]:
    """Head and payload of a frame, as a client sees them."""
    unpacker = msgpack.Unpacker()
    unpacker.feed(frame)
    return unpacker.unpack(), frame[unpacker.tell() :]


def test_want_and_credit_are_parsed() -> None:
    assert parse(msgpack.packb({"type": "want", "id": 7, "pages": [list(KEY)]})) == Want(7, (KEY,), None)
    assert parse(msgpack.packb({"type": "want", "id": 8, "pages": [], "received": 5})) == Want(8, (), 5)
    assert parse(msgpack.packb({"type": "credit", "bytes": 1048576})) == Credit(1048576)


@pytest.mark.parametrize(
    ("message", "complaint"),
    [
        ([], "msgpack map"),
        ({}, "type of a message"),
        ({"type": "hello"}, "type of a message"),
        ({"type": ["want"]}, "type of a message"),
        ({"type": "want", "id": 1}, "pages"),
        ({"type": "want", "id": 1, "pages": {}}, "pages"),
        ({"type": "want", "id": -1, "pages": []}, '"id"'),
        ({"type": "want", "id": True, "pages": []}, '"id"'),
        ({"type": "want", "id": 1.0, "pages": []}, '"id"'),
        ({"type": "want", "id": 2**60, "pages": []}, '"id"'),
        ({"type": "want", "id": 1, "pages": [], "received": "3"}, '"received"'),
        ({"type": "want", "id": 1, "pages": [[0, 0, 0]]}, "page key"),
        ({"type": "want", "id": 1, "pages": ["abcd"]}, "page key"),
        ({"type": "want", "id": 1, "pages": [7]}, "page key"),
        ({"type": "want", "id": 1, "pages": [[0, 0, 0, 32]]}, "page key"),
        ({"type": "want", "id": 1, "pages": [[0, 32, 0, 0]]}, "page key"),
        ({"type": "want", "id": 1, "pages": [[2**32, 0, 0, 0]]}, "page key"),
        ({"type": "want", "id": 1, "pages": [[0, 0, 2**53, 0]]}, "page key"),
        ({"type": "want", "id": 1, "pages": [[0, 0, -1, 0]]}, "page key"),
        ({"type": "want", "id": 1, "pages": [[0, 0, None, 0]]}, "page key"),
        ({"type": "want", "id": 1, "pages": [[0, 0, 0, 0]] * (MAX_WANTS + 1)}, "at most 4,096"),
        ({"type": "credit"}, '"bytes"'),
        ({"type": "credit", "bytes": -1}, '"bytes"'),
        ({"type": "credit", "bytes": "many"}, '"bytes"'),
    ],
)
def test_nonsense_is_refused_with_the_reason(message: object, complaint: str) -> None:
    with pytest.raises(BadMessage, match=complaint):
        parse(msgpack.packb(message))


@pytest.mark.parametrize("data", [b"", b"\xc1", b"\x81", b"\x80\x80", b"\x91" * 5000, b"\xc9\xff\xff\xff\xff\x00"])
def test_what_is_not_msgpack_is_refused(data: bytes) -> None:
    with pytest.raises(BadMessage):
        parse(data)


@given(st.binary(max_size=300))
def test_random_bytes_are_refused_or_parsed_but_never_fail_otherwise(data: bytes) -> None:
    try:
        message = parse(data)
    except BadMessage:
        return
    assert isinstance(message, Want | Credit)


def test_frames_are_a_head_and_the_payload_behind_it() -> None:
    head, payload = split(page_message(7, KEY, b"\x1f\x8bbytes"))
    assert head == {"type": "page", "id": 7, "key": list(KEY), "bytes": 7}
    assert payload == b"\x1f\x8bbytes"
    assert split(missing_message(7, KEY)) == ({"type": "missing", "id": 7, "key": list(KEY)}, b"")
    assert split(done_message(7)) == ({"type": "done", "id": 7}, b"")
    assert split(error_message("bad", "why")) == ({"type": "error", "code": "bad", "message": "why"}, b"")
