"""A byte source: the uncompressed bytes of a trace, whatever it lies in.

Gzip is recognised by its magic, not by the name. A stream that is cut short or damaged delivers all that inflates
and then says so in `problem`; whether that is fatal is for the format to decide (JSON keeps what it has, an XSpace what
comes before a cut).
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Protocol, Self

from tilescope.tiler.errors import TraceError
from tilescope.tiler.readers.gzip_member import GZIP_MAGIC, GzipMember
from tilescope.tiler.readers.inflation import Inflation

_READ_BYTES = 256 * 1024
_COMPRESSED_READ_BYTES = 32 * 1024  # what a damaged stream may lose: the step in which the damage is met
_INFLATE_STEP_BYTES = 4 * 1024 * 1024  # bounds what one small compressed read may blow up to


class StreamDamage(Exception):
    """What a `RawStream` raises where its bytes cannot go on. The text says why."""


class RawStream(Protocol):
    """Where stored bytes come from: a file, a member of an archive. Raises `StreamDamage` and OSError."""

    def read(self, n: int, /) -> bytes: ...

    def close(self) -> None: ...


class ByteSource:
    """Streams uncompressed bytes, forward only. Close it, or use it in a `with`.

    `size_bytes` and `bytes_read` count the bytes of the file as it lies on disk (of the member, inside an archive), so
    their ratio is the progress.
    """

    def __init__(self, path: Path, raw: RawStream, size_bytes: int, inflation: Inflation | None = None) -> None:
        """`inflation` counts what is inflated, and bounds it; by default it is that of this source alone."""
        self.path = path
        self.inflation = inflation or Inflation(path, size_bytes)
        self.size_bytes = size_bytes
        self.bytes_read = 0
        self.problem: str | None = None  # what is wrong with the compressed stream, once it has been met
        self.is_cut_short = False  # that is what is wrong: all that was delivered is sound
        self.trailing_bytes = 0  # compressed bytes after the last gzip member that are no gzip
        self._raw = raw
        self._also_close: list[Callable[[], None]] = []
        self._pending = b""  # uncompressed, delivered up to `_at`
        self._at = 0
        self._compressed = b""  # read, not yet inflated
        self._member: GzipMember | None = None  # the one that is being inflated
        self._ended = False

        head = self._read_raw(len(GZIP_MAGIC))
        self.is_compressed = head == GZIP_MAGIC
        if self.is_compressed:
            self._compressed = head
            self._member = GzipMember()
        else:
            self._pending = head

    @classmethod
    def open(cls, path: Path | str, max_inflated: int | None = None) -> ByteSource:
        """Opens a plain or gzip-compressed file. Raises `TraceError` when it cannot be opened."""
        path = Path(path)
        raw = open_raw(path)
        try:
            size_bytes = os.fstat(raw.fileno()).st_size
            return cls(path, raw, size_bytes, Inflation(path, size_bytes, max_inflated))
        except BaseException:
            raw.close()
            raise

    @property
    def truncated(self) -> bool:
        """True once the end of a damaged or incomplete compressed stream has been met."""
        return self.problem is not None

    def read(self, n: int) -> bytes:
        """Up to `n` uncompressed bytes, fewer only at the end, b"" after it."""
        parts: list[bytes] = []
        missing = n
        while missing > 0:
            if self._at == len(self._pending) and not self._refill(missing):
                break
            part = self._pending[self._at : self._at + missing]
            self._at += len(part)
            parts.append(part)
            missing -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def read_into(self, buffer: memoryview) -> int:
        """Fills the buffer with uncompressed bytes, and returns how many: fewer than it holds only at the end."""
        filled = 0
        while filled < len(buffer):
            if self._at < len(self._pending):
                part = memoryview(self._pending)[self._at : self._at + len(buffer) - filled]
                buffer[filled : filled + len(part)] = part
                self._at += len(part)
                filled += len(part)
            elif isinstance(self._raw, io.FileIO) and not self.is_compressed:
                count = self._read_file_into(self._raw, buffer[filled:])
                if not count:
                    break
                filled += count
            elif not self._refill(len(buffer) - filled):
                break
        return filled

    def skip(self, n: int) -> int:
        """Leaves out uncompressed bytes, and returns how many: fewer than `n` only at the end."""
        missing = n
        while missing > 0:
            if self._at < len(self._pending):
                step = min(missing, len(self._pending) - self._at)
                self._at += step
                missing -= step
            elif isinstance(self._raw, io.FileIO) and not self.is_compressed:
                step = min(missing, max(0, self.size_bytes - self.bytes_read))
                self._raw.seek(step, os.SEEK_CUR)
                self.bytes_read += step
                return n - missing + step
            elif not self._refill(missing):
                break
        return n - missing

    def peek(self, n: int) -> bytes:
        """The next bytes without consuming them: `n` of them, fewer only at the end."""
        head = self.read(n)
        self._pending = head + self._pending[self._at :]
        self._at = 0
        return head

    def file_descriptor(self) -> int | None:
        """Of an uncompressed file on disk, to map it; None for whatever must be inflated. Independent of `read`."""
        return self._raw.fileno() if isinstance(self._raw, io.FileIO) and not self.is_compressed else None

    def also_close(self, close: Callable[[], None]) -> None:
        """Has `close` called when this is closed: by what lies underneath."""
        self._also_close.append(close)

    def close(self) -> None:
        """Closes the file underneath."""
        self._raw.close()
        for close in self._also_close:
            close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _read_raw(self, n: int) -> bytes:
        try:
            data = self._raw.read(n)
        except StreamDamage as error:
            self._stop(str(error))
            return b""
        except OSError as error:
            raise TraceError(self.path, f"cannot be read: {error}", offset=self.bytes_read) from error
        self.bytes_read += len(data)
        return data

    def _read_file_into(self, file: io.FileIO, buffer: memoryview) -> int:
        try:
            count = file.readinto(buffer) or 0
        except OSError as error:
            raise TraceError(self.path, f"cannot be read: {error}", offset=self.bytes_read) from error
        self.bytes_read += count
        return count

    def _refill(self, wanted: int) -> bool:
        """Puts fresh bytes into `_pending`; False at the end."""
        self._pending = b""
        self._at = 0
        if not self.is_compressed:
            self._pending = self._read_raw(min(max(wanted, _READ_BYTES), _INFLATE_STEP_BYTES))
            return bool(self._pending)
        while not self._pending and not self._ended:
            self._inflate()
        return bool(self._pending)

    def _inflate(self) -> None:
        member = self._member
        if member is None:
            self._next_member()
            return
        if not self._compressed:
            self._compressed = self._read_raw(_COMPRESSED_READ_BYTES)
        at_end = not self._compressed
        self._pending = member.inflate(self._compressed, _INFLATE_STEP_BYTES)
        self._compressed = member.rest
        self.inflation.add(len(self._pending))
        if member.problem is not None:
            self._stop(f"the gzip stream is damaged ({member.problem})")
        elif member.ended:
            self._member = None
        elif at_end and not self._pending:
            self._stop("the gzip stream is cut short")
            self.is_cut_short = True

    def _next_member(self) -> None:
        """Between two members: skips zero padding, begins the next member or ends."""
        while True:
            self._compressed = self._compressed.lstrip(b"\x00")
            if len(self._compressed) >= len(GZIP_MAGIC):
                break
            more = self._read_raw(_COMPRESSED_READ_BYTES)
            if not more:
                break
            self._compressed += more
        if self._compressed.startswith(GZIP_MAGIC):
            self._member = GzipMember()
            return
        self._ended = True
        self.trailing_bytes = len(self._compressed) + max(0, self.size_bytes - self.bytes_read)
        self._compressed = b""

    def _stop(self, problem: str) -> None:
        self.problem = self.problem or problem  # the first is the cause
        self._ended = True
        self._compressed = b""


def open_raw(path: Path) -> BinaryIO:
    """Opens a file for reading; `TraceError` instead of `OSError`."""
    try:
        return path.open("rb", buffering=0)
    except OSError as error:
        raise TraceError(path, f"cannot be opened: {error.strerror or error}") from error
