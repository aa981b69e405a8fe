"""Bytes in the compressions that traces are read in."""

from __future__ import annotations

import bz2
import gzip
import lzma
import sys
from collections.abc import Callable, Mapping
from typing import Final

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["COMPRESS", "skippable_frame", "zstd"]

COMPRESS: Final[Mapping[str, Callable[[bytes], bytes]]] = {
    "gzip": gzip.compress,
    "zstd": lambda data: zstd.compress(data, options={zstd.CompressionParameter.checksum_flag: 1}),
    "xz": lzma.compress,
    "bzip2": bz2.compress,
}


def skippable_frame(data: bytes) -> bytes:
    """A frame that decompressors of zstd leave out."""
    return b"\x5a\x2a\x4d\x18" + len(data).to_bytes(4, "little") + data
