"""Packed texts: whatever goes in comes out, in any order, one behind the other, and from damaged bytes an error."""

from __future__ import annotations

import contextlib
import random
from itertools import islice, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.details import chunk
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import decompress

MOST = 1 << 30

PIECES = st.one_of(
    st.sampled_from([b"0", b"00", b"007", b"18446744073709551616", b"9" * 40, b"-1.50", b"\x00", b"", b"a: ", b"\xff"]),
    st.integers(0, 10**25).map(lambda n: str(n).encode()),
    st.binary(max_size=6),
)
TEXTS = st.lists(st.lists(PIECES, max_size=6).map(b"".join), min_size=1, max_size=12)


def columns(texts: list[bytes]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    ends = np.cumsum([len(text) for text in texts]).astype(np.int64)
    return ends, np.frombuffer(b"".join(texts), np.uint8)


def split(lengths: NDArray[np.uint32], body: bytes) -> list[bytes]:
    ends = np.cumsum(lengths).tolist()
    return [body[a:b] for a, b in zip([0, *ends], ends, strict=False)]


@given(TEXTS, TEXTS)
def test_what_goes_in_comes_out(first: list[bytes], second: list[bytes]) -> None:
    packer = _native.PackedTexts()
    packed = [packer.pack(*columns(texts)) for texts in (first, second)]
    for texts, (ends, data) in zip((first, second), packed, strict=True):
        assert split(*packer.unpack(ends, data, 0, MOST, MOST)) == texts
        assert split(*packer.unpack(ends, data, len(texts) - 1, MOST, MOST)) == texts[-1:]
        # Texts one behind the other are one text.
        assert packer.unpack(ends[-1:], data, 0, MOST, MOST)[1] == b"".join(texts)


def test_texts_that_differ_in_numbers_take_little() -> None:
    texts = [b'{"External id": %d,"Sequence number": %d, "Ev Idx": %d}' % (n, n // 3, 7 * n) for n in range(5_000)]
    packer = _native.PackedTexts()
    _, data = packer.pack(*columns(texts))
    assert packer.shapes == 1
    assert len(data) < 0.2 * sum(map(len, texts))


def test_texts_that_do_not_repeat_are_bounded() -> None:
    rng = random.Random(1)
    texts = [bytes(rng.choices(b"abcdefgh", k=400)) for _ in range(40_000)]
    packer = _native.PackedTexts()
    ends, data = packer.pack(*columns(texts))
    assert packer.shapes * 400 <= 8 << 20
    assert len(data) < sum(map(len, texts))
    # A shape that is known is still found.
    again = packer.pack(*columns(texts[:1]))[1]
    assert len(again) < 5
    assert split(*packer.unpack(ends, data, 39_990, MOST, MOST)) == texts[39_990:]


def test_damaged_bytes_are_an_error() -> None:
    rng = random.Random(2)
    packer = _native.PackedTexts()
    ends, data = packer.pack(*columns([b"a1", b"b22c333", b"x" * 3000, b"no digits"]))
    refused = 0
    for _ in range(500):
        damaged = data.copy()
        damaged[rng.randrange(12)] = rng.randrange(256)
        try:
            packer.unpack(ends, damaged, 0, MOST, MOST)
        except ValueError:
            refused += 1
    assert refused > 50
    for bad_ends in ([5, 3], [-1], [len(data) + 1]):
        with pytest.raises((ValueError, IndexError)):
            packer.unpack(np.array(bad_ends, np.int64), data, 0, MOST, MOST)
        with pytest.raises((ValueError, IndexError)):
            packer.pack(np.array(bad_ends, np.int64), data)
    with pytest.raises(ValueError, match="not there"):
        packer.unpack(ends, data, 4, MOST, MOST)


@pytest.mark.parametrize(
    "sizes", [[0, 10, 0], [300_000, 1, 0, 300_000], [100_000] * 7, [0] * 20_000, [131_072, 131_072, 0, 1]]
)
def test_chunks_have_all_texts(sizes: list[int]) -> None:
    rng = random.Random(3)
    texts = [bytes(rng.choices(b"0123456789,:x", k=size)) for size in sizes]
    ends, data = columns(texts)
    packer = _native.PackedTexts()
    packed = packer.pack(ends, data)
    assert arguments_of(list(chunk.split(*packed, texts=packer))) == texts


def arguments_of(chunks: list[tuple[int, bytes]]) -> list[bytes]:
    parsed = [chunk.Chunk.parse(decompress(value), first) for first, value in chunks]
    assert [one.first for one in parsed[1:]] == [one.stop for one in parsed[:-1]]
    return [one.arguments(one.first + k) for one in parsed for k in range(len(one))]


@given(st.lists(TEXTS, min_size=1, max_size=8))
def test_chunks_of_rows_of_several_texts(rows: list[list[bytes]]) -> None:
    packer = _native.PackedTexts()
    ends, data = packer.pack(*columns([text for row in rows for text in row]))
    row_ends = ends[np.cumsum([len(row) for row in rows]) - 1]
    expected = [b"".join(row) for row in rows]
    assert arguments_of(list(chunk.split(row_ends, data, texts=packer))) == expected
    chunks = _native.TextChunks(packer)  # a second chunk has its own shapes, and numbers that begin anew
    for first in reversed(range(len(rows))):
        counts, body = chunks.next(row_ends, data, first, 0, MOST)
        found_ends, texts = _native.texts_of_chunk(counts, np.frombuffer(body, np.uint8), MOST)
        assert len(found_ends) >= 1
        assert texts[: found_ends[0]] == expected[first]


def chunks_beside(others: int, most_bytes: int) -> list[tuple[list[int], bytes]]:
    """The chunks of the same texts, packed after so many others that have a shape each."""
    packer = _native.PackedTexts()
    letters = "abcdefghijklmnop"
    packer.pack(*columns(["".join(four).encode() for four in islice(product(letters, repeat=4), others)] or [b""]))
    ends, data = packer.pack(*columns([f"of {letter} {k}".encode() for k in range(40) for letter in letters]))
    chunks, rows, writer = [], 0, _native.TextChunks(packer)
    while rows < len(ends):
        counts, body = writer.next(ends, data, rows, most_bytes, MOST)
        rows += len(counts)
        chunks.append((counts.tolist(), body))
    return chunks


@pytest.mark.parametrize("most_bytes", [50, 500, MOST])
def test_chunks_do_not_depend_on_the_numbers_of_their_shapes(most_bytes: int) -> None:
    """Threads that pack side by side number shapes as they come, until there is no room for another."""
    alone = chunks_beside(0, most_bytes)
    assert (len(alone) > 1) == (most_bytes < MOST)
    assert chunks_beside(127, most_bytes) == alone
    assert chunks_beside(20_000, most_bytes) == alone
    assert chunks_beside(32_760, most_bytes) == alone, "8 of 16 shapes have a number"
    assert chunks_beside(40_000, most_bytes) == alone


def test_damaged_chunks_are_an_error() -> None:
    texts = [b'{"n": %d, "m": -%d.5}' % (n * n, 7 * n) for n in range(200)] + [b"x" * 3000]
    packer = _native.PackedTexts()
    ends, data = packer.pack(*columns(texts))
    ((_, value),) = chunk.split(ends, data, texts=packer)
    whole = decompress(value)
    for size in range(len(whole)):
        with pytest.raises(DamagedStore):
            chunk.Chunk.parse(whole[:size])
    with pytest.raises(DamagedStore):
        chunk.Chunk.parse(whole + b"x")
    rng = random.Random(5)
    for _ in range(500):
        damaged = bytearray(whole)
        damaged[rng.randrange(len(whole))] = rng.randrange(256)
        with contextlib.suppress(DamagedStore):
            chunk.Chunk.parse(bytes(damaged))
    counts, body = _native.TextChunks(packer).next(ends, data, 0, MOST, MOST)
    with pytest.raises(ValueError, match="damaged"):
        _native.texts_of_chunk(counts, np.frombuffer(body, np.uint8), 1000)


def test_chunks_of_packed_texts_that_make_no_sense_are_refused() -> None:
    packer = _native.PackedTexts()
    ends, data = packer.pack(*columns([b"a1", b"b22c333", b"x" * 3000]))
    chunks = _native.TextChunks(packer)
    for bad_ends in ([5, 3], [-1], [len(data) + 1], [len(data) - 1]):
        with pytest.raises((ValueError, IndexError)):
            chunks.next(np.array(bad_ends, np.int64), data, 0, MOST, MOST)
    with pytest.raises(ValueError, match="not there"):
        chunks.next(ends, data, 3, MOST, MOST)
    with pytest.raises(ValueError, match="damaged"):
        _native.TextChunks(_native.PackedTexts()).next(ends, data, 0, MOST, MOST)
