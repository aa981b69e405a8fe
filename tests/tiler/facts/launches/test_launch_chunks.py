"""Chunks of launches that matter for a part of a stream: against each chunk and each of its launches."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.facts.launches.launch_chunks import LaunchChunks

# By chunk: the first launch on each of some tracks. Its slices are ten, from ten times its place on.
FIRSTS = st.lists(st.dictionaries(st.integers(0, 3), st.integers(0, 20), min_size=1), max_size=6)


@given(FIRSTS, st.integers(0, 70), st.lists(st.integers(0, 22), min_size=4, max_size=4))
def test_chunks_that_overlap_a_part(firsts: list[dict[int, int]], first: int, ends: list[int]) -> None:
    rows = [(k, track, launch) for k, by_track in enumerate(firsts) for track, launch in sorted(by_track.items())]
    chunk, place, earliest = np.array(rows, np.int64).reshape(-1, 3).T
    begin = 10 * np.arange(len(firsts))
    chunks = LaunchChunks(begin, begin + 9, np.arange(4), chunk, place, earliest)
    expected = [
        k
        for k, by_track in enumerate(firsts)
        if 10 * k + 9 >= first and any(launch < ends[track] for track, launch in by_track.items())
    ]
    assert chunks.overlapping(first, np.array(ends)).tolist() == expected
