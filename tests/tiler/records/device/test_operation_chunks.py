"""Arguments of operations come back byte for byte, though durations are kept elsewhere and begins as differences."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.tiler.details.test_typed_stats import varint
from tilescope.tiler import _native
from tilescope.tiler.details.chunk import CHUNK_BYTES, CHUNK_EVENTS, Chunk, count_of, operation_chunks
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import decompress

pytestmark = pytest.mark.slow

_DURATION, _BEGIN = 2, 300
_LIMIT = 2**64


def stat(number: int, tag: int, value: int, *, is_long: bool = False) -> bytes:
    """`is_long`: the value in a byte more than it needs."""
    written = varint(value)
    if is_long:
        written = written[:-1] + bytes([written[-1] | 0x80, 0])
    message = b"\x08" + varint(number) + bytes([tag]) + written
    return b"\x22" + varint(len(message)) + message


NUMBERS = st.integers(0, 3000) | st.integers(0, _LIMIT - 1)
STATS = st.builds(stat, st.sampled_from([_DURATION, _BEGIN, 1, 7]), st.sampled_from([0x18, 0x20]), NUMBERS)
ODD = st.sampled_from(
    [
        b"\x22\x05\x08\x02\x18\x85\x00",  # five, in more bytes than it needs
        b"\x22\x04\x18\x05\x08\x02",  # the value before the id
        b"\x22\x06\x08\x02\x18\x05\x18\x05",
        b"\x2a\x04\x08\x02\x18\x05",  # in another field
        b"\x22\x02\x08\x02",
        b"\x22",
        b"\x08\x05",
    ]
)
EVENTS = st.lists(st.tuples(NUMBERS, st.lists(STATS | ODD | st.binary(max_size=3), max_size=4)), max_size=20)


def chunks_of(
    events: list[bytes],
    durations: list[int],
    before: bytes = b"",
    most: tuple[int, int] = (CHUNK_EVENTS, CHUNK_BYTES),
    of_begin: int = _BEGIN,
) -> tuple[list[tuple[int, bytes]], NDArray[np.int64]]:
    """The chunks of events that last so long where their arguments do not say it, and how long they take."""
    ends = len(before) + np.cumsum([len(event) for event in events], dtype=np.int64)
    own = np.array(durations, np.uint64).view(np.int64)
    args = np.frombuffer(before + b"".join(events), np.uint8)
    operations = _native.Operations([of_begin], [_DURATION], [], [], 9, 1)
    (_, _, took, *_), found = operations.add_with_chunks(ends, len(before), args, np.zeros_like(own), own, *most)
    assert sum(count for _, count, _, _ in found) == len(events)
    return [(first, decompress(chunk)) for first, chunk in operation_chunks(found, took)], took


def restored(chunks: list[tuple[int, bytes]], duration: NDArray[np.int64]) -> list[bytes]:
    found: list[bytes] = []
    for first, data in chunks:
        chunk = Chunk.parse(data, first, lambda at, count: duration[at : at + count])
        assert len(chunk) == count_of(data)
        found += [chunk.arguments(ordinal) for ordinal in range(chunk.first, chunk.stop)]
    return found


@given(EVENTS, st.binary(max_size=3), st.tuples(st.integers(1, 9), st.integers(0, 99)))
def test_any_arguments_come_back(events: list[tuple[int, list[bytes]]], before: bytes, most: tuple[int, int]) -> None:
    raws = [b"\x05" + stat(_DURATION, 0x18, took) * (took % 3) + b"".join(stats) for took, stats in events]
    for limits in (most, (CHUNK_EVENTS, CHUNK_BYTES)):
        chunks, duration = chunks_of(raws, [took for took, _ in events], before, limits)
        assert restored(chunks, duration) == raws
        firsts = [first for first, _ in chunks]
        for first, stop in zip(firsts, [*firsts, len(raws)][1:], strict=True):
            assert stop - first <= limits[0]
            assert stop - first == 1 or sum(map(len, raws[first:stop])) <= limits[1]
            # No chunk ends before it has to.
            is_full = stop - first == limits[0] or sum(map(len, raws[first : stop + 1])) > limits[1]
            assert is_full or stop == len(raws)


NOTHING_MORE = st.just(b"") | STATS | ODD


LONG = st.sampled_from([(False, False)] * 4 + [(True, False), (False, True)])


@given(st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS, NOTHING_MORE, st.sampled_from([0x18, 0x20]), LONG), max_size=20))
def test_usual_arguments_come_back(events: list[tuple[int, int, int, bytes, int, tuple[bool, bool]]]) -> None:
    for of_begin in (7, _BEGIN):
        raws = [
            varint(metadata)
            + stat(of_begin, tag, begin, is_long=is_long[0])
            + stat(_DURATION, tag, took, is_long=is_long[1])
            + rest
            for metadata, begin, took, rest, tag, is_long in events
        ]
        for limits in ((3, 70), (CHUNK_EVENTS, CHUNK_BYTES)):
            chunks, duration = chunks_of(raws, [3] * len(raws), b"", limits, of_begin)
            assert restored(chunks, duration) == raws


@pytest.mark.parametrize("of_begin", [300, 5])
def test_what_is_told_elsewhere_is_taken_out(of_begin: int) -> None:
    events = [b"\x07" + stat(of_begin, 0x18, 9 * k) + stat(_DURATION, 0x20, k) + stat(4, 0x18, k) for k in range(9)]
    ends = np.cumsum([len(event) for event in events], dtype=np.int64)
    times = np.zeros(9, np.int64)
    operations = _native.Operations([of_begin], [_DURATION], [], [], 9, 1)
    args = np.frombuffer(b"".join(events), np.uint8)
    (_, _, took, *_), [(_, _, _, data)] = operations.add_with_chunks(ends, 0, args, times, times, 99, 9999)
    assert took.tolist() == list(range(9))
    lengths = data[6 : 6 + 9]
    assert lengths.tolist() == [len(b"\x07" + stat(4, 0x18, k)) for k in range(9)]


def test_arguments_beyond_the_data_are_refused() -> None:
    operations = _native.Operations([_BEGIN], [_DURATION], [], [], 9, 1)
    times = np.zeros(2, np.int64)
    for ends, begin, events in (([1, 5], 0, 9), ([3, 2], 0, 9), ([1, 2], -1, 9), ([1, 2], 2, 9), ([1, 2], 0, 0)):
        with pytest.raises(ValueError, match=r"beyond the data|without events"):
            operations.add_with_chunks(np.array(ends), begin, np.zeros(4, np.uint8), times, times, events, 99)


def test_usual_arguments_take_little_room() -> None:
    rng = random.Random(5)
    begin, events, durations = 10**15, [], []
    for _ in range(20_000):
        begin += rng.randrange(2_000) * 1_000
        durations.append(rng.randrange(10**7))
        events.append(b"\x07" + stat(_BEGIN, 0x18, begin) + stat(_DURATION, 0x18, durations[-1]))
    chunks, duration = chunks_of(events, durations)
    assert [first for first, _ in chunks] == [0, 8192, 16384]
    assert restored(chunks, duration) == events
    # A number of metadata, two lengths and places, and what is left of a begin.
    assert sum(len(data) for _, data in chunks) < 11 * len(events) < sum(len(event) for event in events) / 2


def test_other_durations_are_noticed() -> None:
    chunks, duration = chunks_of([b"\x05" + stat(_DURATION, 0x18, 9)] * 3, [9, 9, 9])
    (_, data) = chunks[0]
    for wrong in (duration + 1, duration[:2], np.zeros(0, np.int64)):
        with pytest.raises(DamagedStore, match="of other operations"):
            Chunk.parse(data, 0, lambda _first, _count, wrong=wrong: wrong)  # type: ignore[misc]
    with pytest.raises(DamagedStore):
        Chunk.parse(data, 0)


@given(st.randoms(use_true_random=False), st.integers(1, 4))
def test_damaged_bytes_are_refused_or_read(rng: random.Random, changes: int) -> None:
    events = [b"\x05" + stat(_DURATION, 0x18, k) + stat(_BEGIN, 0x20, 5_000 * k) for k in range(9)]
    ((_, data),), duration = chunks_of(events, list(range(9)))
    damaged = bytearray(data[: rng.randrange(len(data) + 1)] if rng.random() < 0.3 else data)
    for _ in range(changes if damaged else 0):
        damaged[rng.randrange(len(damaged))] = rng.randrange(256)
    try:
        found = Chunk.parse(bytes(damaged), 0, lambda at, count: duration[at : at + count])
    except DamagedStore:
        return
    assert len(found.args) <= len(damaged) + 48 * len(found)
    for ordinal in range(len(found)):
        found.arguments(ordinal)
