"""The compressions in which traces are read, by the first bytes of a file; names only say which files are copies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from msgspec import Struct

from tilescope.tiler.readers.gzip_member import GzipMember
from tilescope.tiler.readers.stream_member import bzip2_member, xz_member, zstd_member

MAGIC_BYTES: Final = 10  # that tell a compression: bzip2 begins as text might


class CompressedMember(Protocol):
    """A part of a compressed file that is compressed by itself."""

    ended: bool
    needs_input: bool
    problem: str | None
    rest: bytes

    def inflate(self, data: bytes, most: int) -> bytes: ...


class Compression(Struct, frozen=True):
    """Compression of a file: any number of members, one behind the other."""

    name: str
    ending: str  # of the names of files
    magics: tuple[bytes, ...]  # that a member begins with
    new_member: Callable[[], CompressedMember]  # raises ImportError, where Python was built without


_BZIP2_MAGICS: Final = tuple(b"BZh%d" % size + block for size in range(1, 10) for block in (b"1AY&SY", b"\x17rE8P\x90"))
# Some writers that compress in parallel put frames that are skipped before and between the others.
_ZSTD_MAGICS: Final = (b"\x28\xb5\x2f\xfd", *(bytes([first]) + b"\x2a\x4d\x18" for first in range(0x50, 0x60)))
_COMPRESSIONS: Final = (
    Compression("gzip", ".gz", (b"\x1f\x8b\x08",), GzipMember),
    Compression("zstd", ".zst", _ZSTD_MAGICS, zstd_member),
    Compression("xz", ".xz", (b"\xfd7zXZ\0",), xz_member),
    Compression("bzip2", ".bz2", _BZIP2_MAGICS, bzip2_member),
)
ENDINGS: Final = tuple(compression.ending for compression in _COMPRESSIONS)
TAR_ENDINGS: Final = (".tgz", ".tzst", ".txz", ".tbz2", ".tbz")


def compression_of(head: bytes) -> Compression | None:
    """The compression of a file that begins so, with `MAGIC_BYTES` or more; None for one that has none."""
    return next((compression for compression in _COMPRESSIONS if head.startswith(compression.magics)), None)


def without_ending(name: str) -> str:
    """The name that a file has when it is decompressed."""
    return next((name.removesuffix(ending) for ending in ENDINGS if name.endswith(ending)), name)
