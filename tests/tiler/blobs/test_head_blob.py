"""Blobs whose beginning is kept: the same bytes, and the first of them in one request."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.tiler.store.archive.test_archive_reader import BytesBlob
from tilescope.tiler.blobs import BlobRange, HeadBlob
from tilescope.tiler.blobs.head_blob import HEAD_BYTES


@given(
    size=st.sampled_from([0, 1, 1000, HEAD_BYTES - 1, HEAD_BYTES, HEAD_BYTES + 1, 3 * HEAD_BYTES]),
    bounds=st.lists(st.tuples(st.integers(0, 4 * HEAD_BYTES), st.integers(0, HEAD_BYTES)), max_size=5),
)
def test_bytes_are_those_of_the_blob(size: int, bounds: list[tuple[int, int]]) -> None:
    data = bytes(number % 251 for number in range(size))
    blob = BytesBlob(data)
    head_blob = HeadBlob(blob)
    ranges = [BlobRange(start, start + count) for start, count in bounds]
    expected = [data[slice(*place)] for place in ranges]
    assert [head_blob.read(*place) for place in ranges] == expected
    assert head_blob.read_many(ranges) == expected
    assert head_blob.state().size_bytes == size
    assert blob.reads.count(BlobRange(0, HEAD_BYTES)) == 1
    assert all(place.stop > HEAD_BYTES for place in blob.reads[1:])


def test_a_head_that_was_read_before() -> None:
    blob = BytesBlob(bytes(10))
    assert HeadBlob(blob, bytes(10)).read(2, 20) == bytes(8)
    assert not blob.reads
