from __future__ import annotations

from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.server.errors import BadMessage
from tilescope.server.services import ViewRequest
from tilescope.server.stream.frames import (
    done_message,
    error_message,
    missing_message,
    page_message,
    resolved_message,
)
from tilescope.server.stream.messages import MAX_WANTS, Credit, TierEnd, ViewWant, Want, WantTier, parse
from tilescope.tiler.pages import PageKey

KEY = PageKey(3, 2, 10**12, 31)


def split(frame: bytes) -> tuple[dict[str, Any], bytes]:
    """Head and payload of a frame, as a client sees them."""
    unpacker = msgpack.Unpacker()
    unpacker.feed(frame)
    return unpacker.unpack(), frame[unpacker.tell() :]


def test_want_and_credit_are_parsed() -> None:
    assert parse(msgpack.packb({"type": "want", "id": 7, "pages": [KEY.to_json()]})) == Want(7, (KEY,), None)
    with_parts = {"type": "want", "id": 7, "pages": [[*KEY[:4], 0], KEY.residual.to_json()]}
    assert parse(msgpack.packb(with_parts)) == Want(7, (KEY, KEY.residual), None)
    assert parse(msgpack.packb({"type": "want", "id": 8, "pages": [], "received": 5})) == Want(8, (), 5)
    assert parse(msgpack.packb({"type": "credit", "bytes": 1048576})) == Credit(1048576)


OTHER = PageKey(0, 0, 0, 0)


def test_tiers_come_in_their_own_order() -> None:
    tiers = {"prefetch": [OTHER.to_json()], "visible": [KEY.to_json(), OTHER.to_json()], "margin": []}
    ends = (TierEnd(WantTier.VISIBLE, 2), TierEnd(WantTier.MARGIN, 2), TierEnd(WantTier.PREFETCH, 3))
    message = {"type": "want", "id": 7, "tiers": tiers, "received": 2}
    assert parse(msgpack.packb(message)) == Want(7, (KEY, OTHER, OTHER), 2, ends)
    assert parse(msgpack.packb({"type": "want", "id": 7, "tiers": {}})) == Want(7, ())


VIEW = {"type": "view", "id": 7, "start": 10, "end": 2**60, "px": 1600, "tracks": [3, 1]}


def test_views_are_parsed() -> None:
    assert parse(msgpack.packb(VIEW)) == ViewWant(7, ViewRequest(10, 2**60, 1600, (3, 1)))
    everything = parse(msgpack.packb({name: value for name, value in VIEW.items() if name != "tracks"}))
    assert everything == ViewWant(7, ViewRequest(10, 2**60, 1600, None))
    full = VIEW | {"start": "-5", "end": str(2**60), "nearby": [9], "have": [KEY.to_json()], "received": 4}
    view = ViewRequest(-5, 2**60, 1600, (3, 1), (9,))
    assert parse(msgpack.packb(full)) == ViewWant(7, view, frozenset({KEY}), 4)
    exact = parse(msgpack.packb(VIEW | {"residuals": True}))
    assert exact == ViewWant(7, ViewRequest(10, 2**60, 1600, (3, 1), (), residuals=True))


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
        ({"type": "want", "id": 1, "pages": [[0, 0, 0, 0, 2]]}, "page key"),
        ({"type": "want", "id": 1, "pages": [[0, 0, 0, 0, 0, 0]]}, "page key"),
        (VIEW | {"residuals": 1}, '"residuals"'),
        ({"type": "want", "id": 1, "pages": ["abcd"]}, "page key"),
        ({"type": "want", "id": 1, "pages": [7]}, "page key"),
        ({"type": "want", "id": 1, "pages": [[0, 0, 0, 32]]}, "page key"),
        ({"type": "want", "id": 1, "pages": [[0, 32, 0, 0]]}, "page key"),
        ({"type": "want", "id": 1, "pages": [[2**32, 0, 0, 0]]}, "page key"),
        ({"type": "want", "id": 1, "pages": [[0, 0, 2**53, 0]]}, "page key"),
        ({"type": "want", "id": 1, "pages": [[0, 0, -1, 0]]}, "page key"),
        ({"type": "want", "id": 1, "pages": [[0, 0, None, 0]]}, "page key"),
        ({"type": "want", "id": 1, "pages": [[0, 0, 0, 0]] * (MAX_WANTS + 1)}, "at most 4,096"),
        ({"type": "want", "id": 1, "pages": [], "tiers": {}}, "either"),
        ({"type": "want", "id": 1, "tiers": []}, "either"),
        ({"type": "want", "id": 1, "tiers": {"soon": []}}, "either"),
        ({"type": "want", "id": 1, "tiers": {"margin": 7}}, '"margin" is an array'),
        ({"type": "want", "id": 1, "tiers": {tier: [[0, 0, 0, 0]] * 2000 for tier in WantTier}}, "at most 4,096"),
        (VIEW | {"start": 2**60}, "no view|no span|are no"),
        (VIEW | {"start": "1e3"}, '"start" is a number of ticks'),
        (VIEW | {"start": 1.0}, '"start" is a number of ticks'),
        (VIEW | {"end": 2**63}, '"end" is a number of ticks'),
        (VIEW | {"end": "9" * 5000}, '"end" is a number of ticks'),
        (VIEW | {"px": 0}, "pixels wide"),
        (VIEW | {"px": 10**6}, "pixels wide"),
        (VIEW | {"tracks": 3}, '"tracks" is an array'),
        (VIEW | {"tracks": [-1]}, '"tracks" is an array'),
        (VIEW | {"nearby": ["3"]}, '"nearby" is an array'),
        (VIEW | {"tracks": [0] * 1000, "nearby": [0] * 25}, "at most 1,024 tracks"),
        (VIEW | {"have": [[1]]}, "page key"),
        (VIEW | {"have": [[0, 0, 0, 0]] * 4097}, "at most 4,096"),
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
    assert isinstance(message, Want | ViewWant | Credit)


def test_frames_are_a_head_and_the_payload_behind_it() -> None:
    head, payload = split(page_message(7, KEY, b"\x1f\x8bbytes"))
    assert head == {"type": "page", "id": 7, "key": KEY.to_json(), "bytes": 7}
    assert payload == b"\x1f\x8bbytes"
    assert split(missing_message(7, KEY)) == ({"type": "missing", "id": 7, "key": KEY.to_json()}, b"")
    done = {"type": "done", "id": 7, "tier": "margin"}
    assert split(done_message(7, WantTier.MARGIN)) == (done, b"")
    ends = (TierEnd(WantTier.VISIBLE, 1), TierEnd(WantTier.MARGIN, 1), TierEnd(WantTier.PREFETCH, 2))
    tiers = {"visible": [KEY.to_json()], "margin": [], "prefetch": [OTHER.to_json()]}
    assert split(resolved_message(7, (KEY, OTHER), ends)) == ({"type": "resolved", "id": 7, "tiers": tiers}, b"")
    assert split(done_message(7)) == ({"type": "done", "id": 7}, b"")
    assert split(error_message("bad", "why")) == ({"type": "error", "code": "bad", "message": "why"}, b"")
