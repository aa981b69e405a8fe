"""Launches of some slices of a device are those that all of its launches have, whatever chunks they are stored in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.tiler.facts.launches.test_step_work import reading, x
from tests.tiler.json_traces import write_trace
from tilescope.tiler.facts.launches import device_launches, has_launches, launches_of_slices
from tilescope.tiler.indexing.flows import correlation
from tilescope.tiler.lookup.launches import launches_of_track
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.records import launches as records

STREAM = 7


@contextmanager
def launched(kernels: Sequence[Sequence[tuple[int, int]]], folder: Path) -> Iterator[tuple[QueryReader, int]]:
    """A run with kernels on a stream, of each its launches (thread and time), in chunks of 3; and its track."""
    events = [
        {"ph": "M", "pid": 1, "name": "process_labels", "args": {"labels": "CPU"}},
        {"ph": "M", "pid": 2, "name": "process_labels", "args": {"labels": "GPU 0"}},
    ]
    for key, calls in enumerate(kernels):
        args = {"correlation": key + 1}
        events.append(x(f"kernel {key}", 2, STREAM, 1000 + 10 * key, 5, cat="kernel", args=args))
        for place, (thread, time) in enumerate(calls):  # the second by a flow, which is surer
            events.append(x("cudaLaunchKernel", 1, thread, time, 1, cat="cuda_runtime", args={} if place else args))
            if place:
                flow = {"name": "ac2g", "cat": "ac2g", "id": key}
                events.append({"ph": "s", "pid": 1, "tid": thread, "ts": time, **flow})
                events.append({"ph": "f", "bp": "e", "pid": 2, "tid": STREAM, "ts": 1000 + 10 * key, **flow})
    with pytest.MonkeyPatch.context() as patch:
        for module in (records, correlation):
            patch.setattr(module, "LAUNCHES_OF_A_CHUNK", 3)
        with reading(write_trace(folder / "trace.json", events), folder) as reader:
            (track,) = (number for number, each in enumerate(reader.tree.tracks) if str(STREAM) in each.name)
            yield reader, track


KERNELS = st.lists(st.lists(st.tuples(st.integers(2, 3), st.integers(0, 800)), max_size=2), min_size=1, max_size=24)


@given(kernels=KERNELS, data=st.data())
@settings(max_examples=examples(40), deadline=None)
def test_launches_of_some_slices_are_those_among_all(
    tmp_path_factory: pytest.TempPathFactory, kernels: list[list[tuple[int, int]]], data: st.DataObject
) -> None:
    with launched(kernels, tmp_path_factory.mktemp("launches")) as (reader, track):
        ordinals = np.array(data.draw(st.lists(st.integers(0, len(kernels) - 1))), np.int64)
        part = finish(launches_of_slices(reader, track, ordinals))  # before all have been read
        whole = finish(device_launches(reader, track))
        assert has_launches(reader, track) == any(kernels) == bool(len(whole))
        part_rows, rows = part.rows(ordinals), whole.rows(ordinals)
        assert (part_rows < 0).tolist() == (rows < 0).tolist()
        part_rows, rows = part_rows[rows >= 0], rows[rows >= 0]
        for column in ("track", "launch", "start"):
            assert getattr(part, column)[part_rows].tolist() == getattr(whole, column)[rows].tolist()


def test_only_the_chunks_of_some_slices_are_read(tmp_path: Path) -> None:
    """Kernel 7, the first of the third chunk, is launched by nothing."""
    kernels = [[] if key == 7 else [(2, 10 * key)] for key in range(14)]
    with launched(kernels, tmp_path) as (reader, track):
        chunks = [chunk.ordinal.tolist() for chunk in launches_of_track(reader.store, track)]
        assert chunks == [[0, 1, 2], [3, 4, 5], [6, 8, 9], [10, 11, 12], [13]]
        for first, last in combinations(range(15), 2):
            parts = [chunk.ordinal.tolist() for chunk in launches_of_track(reader.store, track, first, last)]
            begins = max(place for place, chunk in enumerate(chunks) if chunk[0] <= first)
            assert parts == [chunk for chunk in chunks[begins:] if chunk[0] <= last]
