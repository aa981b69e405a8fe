"""What is read of operations, however their arguments are written: what plain Python makes of their stats."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from tests.tiler.details.test_typed_stats import varint
from tilescope.tiler import _native

_BEGIN, _DURATION, _NUMBERS, _OF_KIND, _UNWANTED = 1, 2, (3, 300), (5, 200), 9
_TICK_PS = 1000


class Stat(Struct, frozen=True):
    id: int
    tag: int  # of an unsigned integer, an integer, a reference or a text
    value: int | bytes

    def written(self) -> bytes:
        value = varint(self.value) if isinstance(self.value, int) else varint(len(self.value)) + self.value
        message = b"\x08" + varint(self.id) + bytes([self.tag]) + value
        return b"\x22" + varint(len(message)) + message


_TIMES = st.integers(0, 300) | st.integers(0, 2**50)
_ANY_STAT = st.builds(
    Stat,
    st.sampled_from([_BEGIN, _DURATION, *_NUMBERS, *_OF_KIND, _UNWANTED]),
    st.sampled_from([0x18, 0x20, 0x38]),
    st.integers(0, 3) | st.integers(0, 2**64 - 1),
) | st.builds(
    Stat,
    st.sampled_from([_BEGIN, *_NUMBERS, *_OF_KIND, _UNWANTED]),
    st.just(0x2A),
    st.sampled_from([b"", b"one", b"two"]),
)


@st.composite
def events(draw: st.DrawFn) -> tuple[int, tuple[Stat, ...]]:
    """Metadata and stats, nearly always with both times first."""
    times = Stat(_BEGIN, 0x18, draw(_TIMES)), Stat(_DURATION, 0x18, draw(_TIMES))
    rest = draw(st.lists(_ANY_STAT, max_size=3))
    return draw(st.sampled_from([0, 5, 300, 70_000])), (*(times if draw(st.integers(0, 3)) else ()), *rest)


class Told(Struct):
    """The columns, one by one."""

    kind: list[int]
    duration: list[int]
    told: list[int]
    numbers: list[list[int]]


def plainly(read: list[tuple[int, tuple[Stat, ...]]], durations: list[int]) -> Told:
    kinds: dict[object, int] = {}
    found = Told([], [], [], [])
    for place, (metadata, stats) in enumerate(read):
        integers = {stat.id: stat.value for stat in stats if stat.tag in (0x18, 0x20)}
        begin, lasting, *numbers = (_signed(integers.get(stat, -1)) for stat in (_BEGIN, _DURATION, *_NUMBERS))
        own = tuple(
            next(((stat.tag, stat.value) for stat in reversed(stats) if stat.id == of), None) for of in _OF_KIND
        )
        found.kind.append(kinds.setdefault((metadata, own), len(kinds)))
        found.duration.append(lasting if min(begin, lasting) >= 0 else durations[place] * _TICK_PS)
        if max(numbers) >= 0:
            found.told.append(place)
            found.numbers.append([max(-1, number) for number in numbers])
    return found


def _signed(value: int | bytes) -> int:
    assert isinstance(value, int)
    return value if value < 2**63 else value - 2**64


@given(st.lists(events(), min_size=1, max_size=12), st.integers(1, 3), st.integers(1, 9), st.sampled_from([0, 64]))
def test_columns_are_what_stats_say(
    some: list[tuple[int, tuple[Stat, ...]]], times: int, piece: int, behind: int
) -> None:
    read = some * times
    durations = [3 + place % 5 for place in range(len(read))]
    args = [varint(metadata) + b"".join(stat.written() for stat in stats) for metadata, stats in read]
    ends = np.cumsum([len(of) for of in args], dtype=np.int64)
    data = np.frombuffer(b"".join(args) + bytes(behind), np.uint8)
    operations = _native.Operations(
        [_BEGIN], [_DURATION], [[of] for of in _NUMBERS], [[of] for of in _OF_KIND], 99, _TICK_PS
    )
    own = np.array(durations, np.int64)
    found = Told([], [], [], [])
    for first in range(0, len(read), piece):
        of = slice(first, first + piece)
        begin = int(ends[first - 1]) if first else 0
        columns, _ = operations.add_with_chunks(ends[of], begin, data, np.zeros_like(own[of]), own[of], 7, 999)
        kind, parent, took, told, numbers, _ = columns
        assert len(parent) == len(kind)
        found.kind += kind.tolist()
        found.duration += took.tolist()
        found.told += (first + told).tolist()
        filled = [column if len(column) else np.full(len(told), -1) for column in numbers]
        found.numbers += np.array(filled, np.int64).T.tolist()
    assert found == plainly(read, durations)
