"""Codes of launches on several tracks: against plain Python, and of very many tracks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler import _native
from tilescope.tiler.indexing.flows.correlation import CorrelatedSlices, correlated_pairs
from tilescope.tiler.indexing.flows.edges import FlowPart
from tilescope.tiler.records.launches import Launches

# Small steps, and any.
PARTNERS = st.lists(
    st.tuples(st.sampled_from([0, 3, 64, 67, 1 << 40]), st.integers(0, 20) | st.integers(0, 1 << 40)), max_size=60
)


def plain(partners: list[tuple[int, int]]) -> tuple[list[int], list[int], list[int]]:
    """Codes, tracks and what is before their first partners, as docs/page-format.md says."""
    tracks = list(dict.fromkeys(track for track, _ in partners))
    bits = (len(tracks) - 1).bit_length() if tracks else 0
    shift: dict[int, int] = {}
    before: list[int] = []
    codes, clock = [], 0
    for track, ordinal in partners:
        if track not in shift:
            shift[track] = clock - (ordinal - 1)
            before.append(ordinal - 1)
        place = ordinal + shift[track]
        codes.append((place - clock << bits) + tracks.index(track))
        if place < clock:
            shift[track] = clock - ordinal
        else:
            clock = place
    return codes, tracks, before


@given(PARTNERS)
def test_codes_are_those_of_plain_python(partners: list[tuple[int, int]]) -> None:
    track, ordinal = np.array(partners, np.int64).reshape(-1, 2).T.copy()
    code, tracks, before, least, greatest = _native.partner_codes(track, ordinal)
    assert (code.tolist(), tracks.tolist(), before.tolist()) == plain(partners)
    of_track = [[value for number, value in partners if number == own] for own in tracks.tolist()]
    assert (least.tolist(), greatest.tolist()) == ([*map(min, of_track)], [*map(max, of_track)])
    again = _native.decoded_partners(code, tracks, before)
    assert [column.tolist() for column in again] == [track.tolist(), ordinal.tolist()]


@given(st.lists(st.integers(-(1 << 63), (1 << 63) - 1)), st.lists(st.integers(-(1 << 63), (1 << 63) - 1), max_size=5))
def test_any_codes_are_decoded_or_refused(code: list[int], before: list[int]) -> None:
    tracks, mask = np.arange(len(before)), (1 << (max(len(before) - 1, 0)).bit_length()) - 1
    columns = np.array(code, np.int64), tracks, np.array(before, np.int64)
    if all(value & mask < len(before) for value in code):
        track, ordinal = _native.decoded_partners(*columns)
        assert track.tolist() == [value & mask for value in code]
        assert len(ordinal) == len(code)
    else:
        with pytest.raises(ValueError, match="on no track of the list"):
            _native.decoded_partners(*columns)


def test_a_step_that_has_no_room_beside_its_place_is_refused() -> None:
    track, ordinal = np.array([0, 1, 0]), np.array([0, 0, (1 << 62) + 1])
    with pytest.raises(ValueError, match="too far from the one before"):
        _native.partner_codes(track, ordinal)


def paired(count: int) -> list[list[int]]:
    """Stored launches of so many streams, each with one of its own thread: stream, its slice, thread, its slice."""
    streams = [CorrelatedSlices(k, None, 0, np.array([-3 - 2 * (k + 1)]), np.array([100])) for k in range(count)]
    threads = [CorrelatedSlices(count + k, None, 0, np.array([-2 - 2 * (k + 1)]), np.array([0])) for k in range(count)]
    none = np.zeros(0, np.uint32)
    pairs = correlated_pairs([*streams, *threads], FlowPart.none(), (none, none), np.zeros(2 * count, np.bool_), count)
    assert pairs is not None
    by_track = pairs.by_track()
    chunks = [(track, chunk) for track, own in by_track.items() for chunk in own.stored()]
    launches = [(track, Launches.decode(chunk.data, track)) for track, chunk in chunks]
    return [
        [track, *map(int, (own.ordinal[0], own.partner_track[0], own.partner_ordinal[0]))] for track, own in launches
    ]


def test_each_of_many_tracks_is_stored_with_the_thread_that_launched_on_it() -> None:
    assert paired(48_000) == [[k, 0, 48_000 + k, 0] for k in range(48_000)]
