"""Own texts of hostile events: what is made of them stays small beside their arguments."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tests.tiler.readers.wire_writer import data, message, number, varint
from tilescope.tiler import _native

PART_EVENTS = 100
NO_SLOTS = np.zeros(0, np.int32)


def maker_of(events: Sequence[bytes], slots: Sequence[int] = ()) -> _native.OwnTextMaker:
    maker = _native.OwnTextMaker(0, np.array(slots, np.int32), PART_EVENTS)
    maker.add(np.cumsum([len(event) for event in events]), 0, np.frombuffer(b"".join(events), np.uint8))
    return maker


def event(*stats: bytes, metadata: int = 0) -> bytes:
    return varint(metadata) + b"".join(message(4, stat) for stat in stats)


def test_texts_that_never_repeat_are_not_kept() -> None:
    events = [event(number(1, 1) + data(5, f"text {k} {'x' * 40}")) for k in range(40_000)]
    is_readable, ids, texts, sizes, places, *_ = maker_of(events).finish()
    assert is_readable
    assert ids == [1]
    assert texts == []
    assert len(places) == 0
    assert sizes.tolist() == [-1] * 400


def test_long_texts_are_kept_as_far_as_arguments_have_room() -> None:
    text = b"z" * 100_000
    events = [event(number(1, 1) + data(5, text + bytes([64 + k % 20]))) for k in range(400)]
    is_readable, _, texts, sizes, _, counts, *_ = maker_of(events).finish()
    assert is_readable
    assert sum(map(len, texts)) <= (1 << 18) + sum(map(len, events)) // 32
    assert (sizes == -1).any()
    assert counts.sum() == PART_EVENTS * (sizes >= 0).sum()


@pytest.mark.parametrize(("stats", "is_readable"), [(2048, True), (2049, False), (40_000, False)])
def test_stats_of_an_event_are_as_many_as_are_listed(stats: int, is_readable: bool) -> None:
    """Events with more stats make arguments unreadable; descending ids are the slowest order to insert."""
    ids = range(stats, 0, -1)
    made = maker_of([event(*(number(1, stat) + number(4, 1) for stat in ids))] * 3).finish()
    assert made[0] == is_readable
    assert made[1] == (sorted(ids) if is_readable else [])


def test_slots_that_no_event_has_take_nothing() -> None:
    slots = [-1, 2, 0, -5, 1 << 30]
    *_, used, events = maker_of([event(metadata=k) for k in (4, 1, 1, 0, 3, 9, 4, 4)], slots).finish()
    assert used.tolist() == [2, 1 << 30]
    assert events.tolist() == [2, 3]


def test_bounds() -> None:
    maker = _native.OwnTextMaker(0, NO_SLOTS, PART_EVENTS)
    row = np.frombuffer(event(), np.uint8)
    for begin, ends in ((0, [2]), (-1, [1]), (1, [0]), (0, [1, 0])):
        with pytest.raises(ValueError, match="beyond the data"):
            maker.add(np.array(ends), begin, row)
    with pytest.raises(ValueError, match="without events"):
        _native.OwnTextMaker(0, NO_SLOTS, 0)
