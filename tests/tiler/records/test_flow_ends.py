"""Chunks of flow ends: what goes in comes out, cut where a slice ends."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.records import flow_ends
from tilescope.tiler.records.flow_ends import FlowEnds


def ends(per_slice: list[int]) -> FlowEnds:
    """So many ends of each slice, with columns that all differ."""
    ordinal = np.repeat(np.arange(len(per_slice)) * 3, per_slice)
    n = len(ordinal)
    rng = np.random.default_rng(n)
    tick = np.arange(n) * 1000
    a, b, c, d = (rng.integers(0, 1 << 40, n) for _ in range(4))
    return FlowEnds(ordinal, rng.integers(0, 2, n), tick, a, b, c, d, rng.integers(-1, 50, n))


def same(a: FlowEnds, b: FlowEnds) -> bool:
    return all(np.array_equal(getattr(a, column), getattr(b, column)) for column in FlowEnds.__struct_fields__)


@given(st.lists(st.integers(1, 12), min_size=1, max_size=30), st.integers(1, 20))
def test_chunks_have_whole_slices(per_slice: list[int], size: int) -> None:
    whole = ends(per_slice)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flow_ends, "_CHUNK_ENDS", size)
        chunks = list(whole.chunks())
    seen = [set(chunk.ordinal.tolist()) for chunk in chunks]
    assert sum(map(len, seen)) == len(per_slice)
    assert all(len(chunk) <= size or len(slices) == 1 for chunk, slices in zip(chunks, seen, strict=True))
    decoded = [FlowEnds.decode(chunk.encode(7), 7) for chunk in chunks]
    joined = FlowEnds(*(np.concatenate([getattr(d, column) for d in decoded]) for column in FlowEnds.__struct_fields__))
    assert same(joined, whole)
    for a, b in pairwise(chunks):
        assert len(a) + int((b.ordinal == b.ordinal[0]).sum()) > size  # no chunk is cut early


def test_what_is_no_chunk_of_the_track() -> None:
    data = ends([3]).encode(7)
    for damaged, track in ((data, 8), (data[:-1], 7), (b"", 7), (b"TSPG" + data[4:], 7)):
        with pytest.raises(DamagedStore):
            FlowEnds.decode(damaged, track)
