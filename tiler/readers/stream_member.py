"""One member of a compressed file in zstd, xz or bzip2: a frame or a stream, inflated piece by piece.

Python's three decompressors have one interface. Where they meet damage, such as a wrong checksum, they throw away what
the same call has inflated before it. So little is asked of a call, and a short member is gone through again, byte by
byte.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Final, Protocol

MAX_WINDOW_LOG: Final = 27
MAX_WINDOW_BYTES: Final = 1 << MAX_WINDOW_LOG  # 128 MiB, in memory: the head of a file may ask for any amount

_STEP_BYTES: Final = 128 * 1024  # the largest block of zstd: what damage in a long member costs
_SHORT_BYTES: Final = 64 * 1024
_XZ_ROOM_BYTES: Final = 1 << 20  # what xz needs beside its window


class WindowTooLarge(Exception):
    """Inflating a member takes a larger window than `MAX_WINDOW_BYTES`."""


class Decompressor(Protocol):
    """The interface of `bz2`, `lzma` and `compression.zstd`."""

    @property
    def eof(self) -> bool: ...

    @property
    def needs_input(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


class StreamMember:
    """Feed it with `inflate` until `ended`, with nothing unless it `needs_input`; `rest` lies behind the member."""

    def __init__(self, new_decompressor: Callable[[], Decompressor]) -> None:
        self.ended = False
        self.needs_input = True
        self.problem: str | None = None  # what is wrong with it; it has ended then
        self.rest = b""
        self._new_decompressor = new_decompressor
        self._decompressor = new_decompressor()
        self._inflated_bytes = 0
        self._input: bytes | None = b""  # all of it, while the member is short

    def inflate(self, data: bytes, most: int) -> bytes:
        """Up to `most` bytes of what the member holds. Raises WindowTooLarge."""
        if self._input is not None and data:
            self._input = self._input + data if len(self._input) + len(data) <= _SHORT_BYTES else None
        try:
            piece = self._decompressor.decompress(data, min(most, _STEP_BYTES))
        except WindowTooLarge:
            raise
        except Exception as error:  # each of the three libraries has its own
            problem = str(error).rpartition("data: ")[2]
            if "memory" in problem.lower():
                raise WindowTooLarge from error
            self.ended = True
            self.problem = problem[:1].lower() + problem[1:]
            return b"" if self._input is None else self._before_damage(self._input)
        self._inflated_bytes += len(piece)
        self.needs_input = self._decompressor.needs_input
        if self._decompressor.eof:
            self.ended, self.rest = True, self._decompressor.unused_data
        return piece

    def _before_damage(self, data: bytes) -> bytes:
        """Bytes between all that was given and the damage: less than a step."""
        decompressor = self._new_decompressor()
        lost, offset, fed = b"", 0, 0
        while fed < len(data) and len(lost) < _STEP_BYTES:
            byte = data[fed : fed + 1] if decompressor.needs_input else b""
            fed += len(byte)
            try:
                piece = decompressor.decompress(byte, _STEP_BYTES)
            except Exception:  # where it was
                break
            lost += piece[max(0, self._inflated_bytes - offset) :]
            offset += len(piece)
        return lost


def zstd_member() -> StreamMember:
    """A frame of zstd, or a skippable one, which holds nothing. Raises ImportError."""
    try:
        from compression import zstd  # since Python 3.14
    except ImportError:
        from backports import zstd

    options = {zstd.DecompressionParameter.window_log_max: MAX_WINDOW_LOG}
    return StreamMember(lambda: zstd.ZstdDecompressor(options=options))


def xz_member() -> StreamMember:
    """A stream of xz. Raises ImportError."""
    import lzma

    return StreamMember(lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MAX_WINDOW_BYTES + _XZ_ROOM_BYTES))


def bzip2_member() -> StreamMember:
    """A stream of bzip2. Raises ImportError."""
    import bz2

    return StreamMember(bz2.BZ2Decompressor)


def zip_lzma_member() -> StreamMember:
    """A member of a zip that is compressed with LZMA. Raises ImportError."""
    import lzma  # noqa: F401

    return StreamMember(_ZipLzma)


class _ZipLzma:
    """LZMA as zip has it: behind the version of what wrote it and the properties, which `lzma` wants beforehand."""

    _HEAD: Final = struct.Struct("<2xHBI")  # how long the properties are: both others

    def __init__(self) -> None:
        self._head: bytes = b""
        self._decompressor: Decompressor | None = None

    @property
    def eof(self) -> bool:
        return self._decompressor is not None and self._decompressor.eof

    @property
    def needs_input(self) -> bool:
        return self._decompressor is None or self._decompressor.needs_input

    @property
    def unused_data(self) -> bytes:
        return b"" if self._decompressor is None else self._decompressor.unused_data

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        """Raises WindowTooLarge, ValueError and LZMAError."""
        if self._decompressor is None:
            self._head += data
            if len(self._head) < self._HEAD.size:
                return b""
            data = self._head[self._HEAD.size :]
            self._decompressor = self._begin()
        return self._decompressor.decompress(data, max_length)

    def _begin(self) -> Decompressor:
        import lzma

        size, packed, window_bytes = self._HEAD.unpack_from(self._head)
        if size != 5 or packed >= 9 * 5 * 5:
            raise ValueError("the properties of LZMA are wrong")
        if window_bytes > MAX_WINDOW_BYTES:
            raise WindowTooLarge
        bits, literal_context = divmod(packed, 9)
        position, literal_position = divmod(bits, 5)
        properties = {"lc": literal_context, "lp": literal_position, "pb": position, "dict_size": window_bytes}
        return lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_LZMA1, **properties}])
