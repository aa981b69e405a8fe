"""A byte source: the uncompressed bytes of a trace, whatever it lies in.

A compression is recognised by its magic, not by the name, and text in UTF-16 or UTF-32 is delivered as UTF-8. A stream
that is cut short or damaged delivers all that inflates and then says so in `problem`; whether that is fatal is for the
format to decide (JSON keeps what it has, an XSpace what comes before a cut).
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from tilescope.tiler.blobs import BlobFile, ScratchCopy, open_mirrored
from tilescope.tiler.errors import TooLarge, TraceError
from tilescope.tiler.readers.compression import MAGIC_BYTES, CompressedMember, Compression, compression_of
from tilescope.tiler.readers.inflation import Inflation
from tilescope.tiler.readers.stream_member import MAX_WINDOW_BYTES, WindowTooLarge
from tilescope.tiler.readers.transcoding import ENCODING_BYTES, Transcoder, transcoder_of

_READ_BYTES = 256 * 1024
_COMPRESSED_READ_BYTES = 32 * 1024  # what a damaged stream may lose: the step in which the damage is met
_INFLATE_STEP_BYTES = 4 * 1024 * 1024  # bounds what one small compressed read may blow up to


class StreamDamage(Exception):
    """Raised by a `RawStream` where its bytes cannot go on. The text says why."""


class RawStream(Protocol):
    """Stream of stored bytes: of a file, or a member of an archive. Raises `StreamDamage` and OSError."""

    def read(self, n: int, /) -> bytes: ...

    def close(self) -> None: ...


class RawFile(RawStream, Protocol):
    """Stored bytes of a file or of an object elsewhere."""

    def seek(self, offset: int, whence: int = 0, /) -> int: ...

    def fileno(self) -> int:
        """A descriptor, for reading at any place."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> None: ...


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
        self.problem: str | None = None  # what is wrong with the stored bytes, once it has been met
        self.is_cut_short = False  # that is what is wrong: all that was delivered is sound
        self.trailing_bytes = 0  # behind the last member of a compressed file: they are of no compression
        self._raw = raw
        self._also_close: list[Callable[[], None]] = []
        self._pending = b""  # uncompressed, of which `_delivered` bytes were delivered
        self._delivered = 0
        self._compressed = b""  # read, not yet inflated
        self._member: CompressedMember | None = None  # the one that is being inflated
        self._transcoder: Transcoder | None = None
        self._ended = False

        head = self._read_first(ENCODING_BYTES)
        self._compression = compression_of(head)
        self._is_begun = self._compression is None
        if self._compression is None:
            self._begin(head)
        else:
            self._compressed = head
            self._member = self._new_member(self._compression)

    @classmethod
    def open(cls, path: Path | str, max_inflated: int | None = None) -> ByteSource:
        """Opens a file, compressed or not. Raises `TraceError` when it cannot be opened."""
        path = Path(path)
        raw = open_raw(path)
        try:
            size_bytes = raw.seek(0, os.SEEK_END)
            raw.seek(0)
            return cls(path, raw, size_bytes, Inflation(path, size_bytes, max_inflated))
        except BaseException:
            raw.close()
            raise

    @property
    def is_compressed(self) -> bool:
        """True if the file is compressed, as it lies on disk."""
        return self._compression is not None

    @property
    def encoding(self) -> str | None:
        """That of a text that is delivered as UTF-8 and is not; None for whatever is delivered as it is."""
        return None if self._transcoder is None else self._transcoder.name

    @property
    def counted(self) -> str:
        """Words on how delivered bytes are counted, to stand behind one in a message; none for plain files."""
        if self.encoding is not None:
            return ", counted in the text as UTF-8"
        return ", counted in the inflated data" if self.is_compressed else ""

    @property
    def truncated(self) -> bool:
        """True once the end of a damaged or incomplete compressed stream has been met."""
        return self.problem is not None

    def read(self, n: int) -> bytes:
        """Up to `n` uncompressed bytes, fewer only at the end, b"" after it."""
        parts: list[bytes] = []
        missing = n
        while missing > 0:
            if self._delivered == len(self._pending) and not self._refill(missing):
                break
            part = self._pending[self._delivered : self._delivered + missing]
            self._delivered += len(part)
            parts.append(part)
            missing -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def read_into(self, buffer: memoryview) -> int:
        """Fills the buffer with uncompressed bytes, and returns how many: fewer than it holds only at the end."""
        filled = 0
        while filled < len(buffer):
            if self._delivered < len(self._pending):
                part = memoryview(self._pending)[self._delivered : self._delivered + len(buffer) - filled]
                buffer[filled : filled + len(part)] = part
                self._delivered += len(part)
                filled += len(part)
            elif self._is_as_stored and isinstance(self._raw, io.FileIO):
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
            if self._delivered < len(self._pending):
                step = min(missing, len(self._pending) - self._delivered)
                self._delivered += step
                missing -= step
            elif self._is_as_stored and isinstance(self._raw, io.FileIO):
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
        self._pending = head + self._pending[self._delivered :]
        self._delivered = 0
        return head

    def file_descriptor(self) -> int | None:
        """Descriptor of a file that lies on disk as delivered, to map it; None for others. Independent of `read`."""
        return self._raw.fileno() if self._is_as_stored and isinstance(self._raw, io.FileIO) else None

    def scratch_copy(self) -> ScratchCopy | None:
        """A copy of an object elsewhere, which lies there as delivered; None for all else. Independent of `read`."""
        return self._raw.scratch_copy() if self._is_as_stored and isinstance(self._raw, BlobFile) else None

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

    @property
    def _is_as_stored(self) -> bool:
        return self._compression is None and self._transcoder is None

    def _read_first(self, n: int) -> bytes:
        head = b""
        while len(head) < n and (more := self._read_raw(n - len(head))):
            head += more
        return head

    def _begin(self, head: bytes) -> None:
        """Takes the first uncompressed bytes, which say how a text is encoded."""
        self._is_begun = True
        self._transcoder = transcoder_of(head)
        self._pending = head if self._transcoder is None else self._transcoder.transcode(head)

    def _refill(self, wanted: int) -> bool:
        """Puts fresh bytes into `_pending`; False at the end."""
        self._pending = b""
        self._delivered = 0
        if not self._is_begun:
            head = self._next_piece(wanted)
            while 0 < len(head) < ENCODING_BYTES and (more := self._next_piece(wanted)):
                head += more
            self._begin(head)
        while not self._pending and (piece := self._next_piece(wanted)):
            self._pending = piece if self._transcoder is None else self._transcoder.transcode(piece)
        transcoder = self._transcoder
        if not self._pending and self.problem is None and transcoder is not None and transcoder.is_within_character:
            self._stop(f"the text in {transcoder.name} is cut short: it ends within a character")
            self.is_cut_short = True
        return bool(self._pending)

    def _next_piece(self, wanted: int) -> bytes:
        """The next uncompressed bytes; none at the end."""
        if self._compression is None:
            return self._read_raw(min(max(wanted, _READ_BYTES), _INFLATE_STEP_BYTES))
        piece = b""
        while not piece and not self._ended:
            if self._member is None:
                self._next_member(self._compression)
            else:
                piece = self._inflate(self._compression, self._member)
        return piece

    def _inflate(self, compression: Compression, member: CompressedMember) -> bytes:
        at_end = False
        if not self._compressed and member.needs_input:
            self._compressed = self._read_raw(_COMPRESSED_READ_BYTES)
            at_end = not self._compressed
        try:
            piece = member.inflate(self._compressed, _INFLATE_STEP_BYTES)
        except WindowTooLarge:
            what = f"takes a window of more than {MAX_WINDOW_BYTES >> 20} MiB to inflate"
            raise TooLarge(self.path, what, advice="decompress it first, as with zstd -d --long=31") from None
        self._compressed = member.rest
        self.inflation.add(len(piece))
        if member.problem is not None:
            self._stop(f"the {compression.name} stream is damaged ({member.problem})")
        elif member.ended:
            self._member = None
        elif at_end and not piece:
            self._stop(f"the {compression.name} stream is cut short")
            self.is_cut_short = True
        return piece

    def _next_member(self, compression: Compression) -> None:
        """Between two members: skips zero padding, begins the next member or ends."""
        while True:
            self._compressed = self._compressed.lstrip(b"\x00")
            if len(self._compressed) >= MAGIC_BYTES:
                break
            more = self._read_raw(_COMPRESSED_READ_BYTES)
            if not more:
                break
            self._compressed += more
        if self._compressed.startswith(compression.magics):
            self._member = self._new_member(compression)
            return
        self._ended = True
        self.trailing_bytes = len(self._compressed) + max(0, self.size_bytes - self.bytes_read)
        self._compressed = b""

    def _new_member(self, compression: Compression) -> CompressedMember:
        try:
            return compression.new_member()
        except ImportError as error:
            what = f"is compressed with {compression.name}, which this Python was built without"
            raise TraceError(self.path, what, advice="decompress it first") from error

    def _stop(self, problem: str) -> None:
        self.problem = self.problem or problem  # the first is the cause
        self._ended = True
        self._compressed = b""


def open_raw(path: Path) -> RawFile:
    """Opens a file for reading, or the object that it stands for. `TraceError` instead of `OSError`."""
    mirrored = open_mirrored(path)
    if mirrored is not None:
        return mirrored
    try:
        return path.open("rb", buffering=0)
    except OSError as error:
        raise TraceError(path, f"cannot be opened: {error.strerror or error}") from error
