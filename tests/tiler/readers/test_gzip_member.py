"""GzipMember: heads of all kinds, and ends that are wrong lose nothing."""

from __future__ import annotations

import gzip
import struct
import zlib

import pytest

from tilescope.tiler.readers.gzip_member import GzipMember

TEXT = b"a trace, " * 5000


def written(flags: int = 0, more: bytes = b"", text: bytes = TEXT) -> bytes:
    """One member with these flags in its head, and what belongs to them."""
    deflate = zlib.compressobj(wbits=-15)
    body = deflate.compress(text) + deflate.flush()
    return b"\x1f\x8b\x08" + bytes([flags]) + bytes(6) + more + body + struct.pack("<LL", zlib.crc32(text), len(text))


def inflated(data: bytes, piece: int, most: int) -> tuple[bytes, GzipMember, bytes]:
    """What comes out of a member that is fed in pieces; the member; what lies behind it."""
    member, out, at, rest = GzipMember(), b"", 0, b""
    while not member.ended and (rest or at < len(data)):
        fed = rest or data[at : at + piece]
        at += 0 if rest else piece
        out += member.inflate(fed, most)
        rest = member.rest
    return out, member, rest + data[at:]


HEADS = {
    "plain": (0, b""),
    "extra": (4, b"\x03\0abc"),
    "name": (8, b"trace.json\0"),
    "comment": (16, b"\0"),
    "checksum": (2, b"\x12\x34"),
    "everything": (1 | 2 | 4 | 8 | 16, b"\x01\0x" + b"name\0" + b"comment\0" + b"\x12\x34"),
}


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize(("piece", "most"), [(1, 1 << 20), (7, 100), (1 << 20, 1 << 20), (1 << 20, 33)])
def test_reads_whatever_is_in_the_head(head: str, piece: int, most: int) -> None:
    out, member, behind = inflated(written(*HEADS[head]) + b"behind", piece, most)
    assert (out, member.ended, member.problem, behind) == (TEXT, True, None, b"behind")


@pytest.mark.parametrize("piece", [1, 1 << 20])
@pytest.mark.parametrize(("at", "problem"), [(-8, "its checksum is wrong"), (-1, "its size is not what it says")])
def test_a_wrong_end_loses_nothing(piece: int, at: int, problem: str) -> None:
    data = bytearray(gzip.compress(TEXT))
    data[at] ^= 1
    out, member, _ = inflated(bytes(data), piece, 1 << 20)
    assert (out, member.ended, member.problem) == (TEXT, True, problem)


def test_flags_that_nobody_knows() -> None:
    out, member, _ = inflated(written(0x20), 1 << 20, 1 << 20)
    assert (out, member.problem) == (b"", "its head has flags that no standard knows")


def test_a_head_without_end_takes_no_memory() -> None:
    member = GzipMember()
    fed = 0
    member.inflate(b"\x1f\x8b\x08\x08" + bytes(6), 100)
    while not member.ended:
        member.inflate(b"n" * 100_000, 100)
        fed += 100_000
    assert fed < 2_000_000
    assert member.problem == "its head is longer than 1,048,576 bytes"


def test_damage_inside() -> None:
    _, member, _ = inflated(written()[:30] + b"\xff" * 50, 1 << 20, 1 << 20)
    assert member.ended
    assert member.problem
