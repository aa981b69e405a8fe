"""ByteSource: plain and gzip, in whatever state the stream is."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest

from tilescope.tiler.errors import TraceError
from tilescope.tiler.readers.source import ByteSource

DATA = random.Random(1).randbytes(300_000) + b"a" * 900_000


def drain(source: ByteSource, n: int = 70_001) -> bytes:
    parts = []
    while part := source.read(n):
        parts.append(part)
    return b"".join(parts)


def write(tmp_path: Path, data: bytes) -> Path:
    path = tmp_path / "trace"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("step", [1_000, 70_001, 10_000_000])
@pytest.mark.parametrize("members", [0, 1, 3])
def test_delivers_all_bytes(tmp_path: Path, members: int, step: int) -> None:
    cut = len(DATA) // max(1, members)
    parts = [DATA[i * cut : (i + 1) * cut if i < members - 1 else None] for i in range(members)]
    stored = b"".join(gzip.compress(part) for part in parts) if members else DATA
    with ByteSource.open(write(tmp_path, stored)) as source:
        assert source.is_compressed == bool(members)
        assert drain(source, step) == DATA
        assert source.read(1) == b""
        assert source.bytes_read == source.size_bytes == len(stored)
        assert not source.truncated


@pytest.mark.parametrize("peeked", [0, 5, 400_000])
@pytest.mark.parametrize("compressed", [False, True])
def test_fills_a_buffer(tmp_path: Path, compressed: bool, peeked: int) -> None:
    stored = gzip.compress(DATA) if compressed else DATA
    buffer = bytearray(100_001)
    parts = []
    with ByteSource.open(write(tmp_path, stored)) as source:
        source.peek(peeked)
        while filled := source.read_into(memoryview(buffer)):
            assert filled == len(buffer) or not source.peek(1)
            parts.append(bytes(buffer[:filled]))
        assert source.bytes_read == source.size_bytes == len(stored)
    assert b"".join(parts) == DATA


def test_peek_consumes_nothing(tmp_path: Path) -> None:
    with ByteSource.open(write(tmp_path, gzip.compress(DATA))) as source:
        assert source.peek(1000) == DATA[:1000]
        assert source.peek(10) == DATA[:10]
        assert source.read(20) + drain(source) == DATA


@pytest.mark.parametrize("keep", [2, 3, 11, 1_000, 200_000, -1, -8])
def test_truncated_gzip_delivers_what_inflates(tmp_path: Path, keep: int) -> None:
    with ByteSource.open(write(tmp_path, gzip.compress(DATA)[:keep])) as source:
        got = drain(source)
        if keep == 2:
            assert got == b"\x1f\x8b"
            return
        assert source.truncated
        assert source.problem == "the gzip stream is cut short"
        assert DATA.startswith(got)
        assert len(got) >= (len(DATA) if keep < 0 else keep - 2_000)


def test_damaged_gzip_says_so(tmp_path: Path) -> None:
    stored = bytearray(gzip.compress(DATA))
    stored[-5] ^= 1
    with ByteSource.open(write(tmp_path, bytes(stored))) as source:
        got = drain(source)
        assert DATA.startswith(got)
        assert source.truncated
        assert source.problem is not None
        assert "damaged" in source.problem


def test_padding_and_garbage_after_the_last_member(tmp_path: Path) -> None:
    with ByteSource.open(write(tmp_path, gzip.compress(b"abc") + b"\0" * 100_000)) as source:
        assert drain(source) == b"abc"
        assert (source.truncated, source.trailing_bytes) == (False, 0)
    with ByteSource.open(write(tmp_path, gzip.compress(b"abc") + b"\0garbage" + b"x" * 50_000)) as source:
        assert drain(source) == b"abc"
        assert (source.truncated, source.trailing_bytes) == (False, 50_007)


def test_padding_between_members(tmp_path: Path) -> None:
    stored = gzip.compress(b"abc") + b"\0" * 40_000 + gzip.compress(b"def")
    with ByteSource.open(write(tmp_path, stored)) as source:
        assert drain(source) == b"abcdef"


def test_empty_file(tmp_path: Path) -> None:
    with ByteSource.open(write(tmp_path, b"")) as source:
        assert source.peek(10) == b""
        assert source.read(10) == b""


def test_missing_file_is_a_trace_error(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="cannot be opened"):
        ByteSource.open(tmp_path / "none")
    with pytest.raises(TraceError, match=r"cannot be (opened|read)"):
        ByteSource.open(tmp_path)
