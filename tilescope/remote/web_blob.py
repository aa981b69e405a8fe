"""An object on a web server, read by ranges over HTTP.

A body that breaks off is continued behind what has come. The first answer tells size and ETag, and each further one
must be of the same object.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from tilescope.remote.address import Address
from tilescope.remote.progress import LEAST_BYTES, DrippingHost
from tilescope.remote.read_ahead import read_ahead, read_at_once
from tilescope.remote.retries import Retries
from tilescope.remote.web_requests import PassingError, WebRequests
from tilescope.tiler.blobs import BlobRange, BlobState
from tilescope.tiler.blobs.blob import checked_range
from tilescope.tiler.blobs.noted_state import NotedState
from tilescope.tiler.errors import BlobChanged, BlobCut, HostUnreachable, NoRanges

if TYPE_CHECKING:
    from urllib3 import BaseHTTPResponse

_PIECE_BYTES: Final = 1 << 20
_CONTENT_RANGE: Final = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18})")
_RANGES_ADVICE: Final = "serve it with nginx or Caddy, or download it"


class WebBlob:
    """An object behind an `http` or `https` address."""

    def __init__(
        self,
        address: Address,
        requests: WebRequests,
        retries: Retries | None = None,
        state: BlobState | None = None,
    ) -> None:
        """`state` is the one that it must have; None: the one of the first answer."""
        self._address = address
        self.requests = requests
        self.retries = retries or Retries()
        self._state = NotedState(address.shown, state)

    @property
    def address(self) -> str:
        return self._address.shown

    def state(self) -> BlobState:
        if self._state.now is None:
            self.read(0, 1)
        assert self._state.now is not None
        return self._state.now

    def read(self, start: int, stop: int) -> bytes:
        checked_range(start, stop)
        if self._state.now is not None:
            stop = min(stop, self._state.now.size_bytes)
        parts: list[bytearray] = []
        position, failures = start, 0
        while position < stop:
            retry_after_s = None
            try:
                stop = self._attempt(position, stop, parts)
                break
            except PassingError as passing:
                error, retry_after_s = passing.error, passing.retry_after_s
            came = start + sum(map(len, parts)) - position
            position += came
            # One that breaks off after each byte would be asked for ever.
            failures = 1 if came >= LEAST_BYTES else failures + 1
            if not self.retries.wait(failures, retry_after_s):
                raise error
        return b"".join(parts)

    def read_many(self, ranges: Sequence[BlobRange]) -> list[bytes]:
        return read_at_once(self.read, ranges)

    def stream(self, start: int = 0) -> Iterator[bytes]:
        yield from read_ahead(self.read, start, self.state().size_bytes)

    def close(self) -> None:
        """Does nothing: the connections are shared."""

    def _attempt(self, start: int, stop: int, parts: list[bytearray]) -> int:
        """Appends the bytes of a range, as far as they come. Returns where it ends: where the object does, at most."""
        headers = {"Range": f"bytes={start}-{stop - 1}"}
        noted = self._state.now
        if noted is not None and noted.etag is not None and not noted.etag.startswith("W/"):
            headers["If-Range"] = noted.etag
        response = self.requests.get(self._address, headers)
        try:
            stop = self._look_at(response, start, stop)
            self._take(response, start, stop, parts)
        except BaseException:
            response.close()  # what is left of its body is not waited for
            raise
        response.release_conn()
        return stop

    def _look_at(self, response: BaseHTTPResponse, start: int, stop: int) -> int:
        """Returns where the range ends, by the head of the answer. Raises where it is not of this object and range."""
        etag, noted = response.headers.get("ETag"), self._state.now
        if response.status == 206:
            match = _CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", ""))
            first, last, size = map(int, match.groups()) if match is not None else (-1, -1, -1)
            if first != start or last + 1 != min(stop, size):
                raise HostUnreachable(self.address, "the web server sends another range than was asked for")
            self._state.note(BlobState(size, etag))
            return last + 1
        if response.status == 416 and noted is None:
            size_text = response.headers.get("Content-Range", "").removeprefix("bytes */")
            if size_text.isascii() and size_text.isdecimal() and int(size_text[:18]) <= start:
                self._state.note(BlobState(int(size_text[:18]), etag))
                return start
        if response.status == 200:
            length = response.headers.get("Content-Length", "")
            whole = BlobState(int(length[:18]) if length.isascii() and length.isdecimal() else -1, etag)
            if noted is None and start == 0 and 0 <= whole.size_bytes <= stop:  # small ones are sent so by some
                self._state.note(whole)
                return whole.size_bytes
            if noted in (None, whole):
                raise NoRanges(self.address, "the web server sends whole objects only", advice=_RANGES_ADVICE)
        if noted is None:
            raise HostUnreachable(self.address, f"the web server answers with status {response.status}, and no size")
        raise BlobChanged(self.address)  # by If-Range, or since it has become shorter

    def _take(self, response: BaseHTTPResponse, start: int, stop: int, parts: list[bytearray]) -> None:
        """Appends the bytes of a body. Raises PassingError where it breaks off, HostUnreachable where it stalls."""
        import urllib3

        part = bytearray()
        parts.append(part)
        try:
            with suppress(urllib3.exceptions.HTTPError, OSError):  # as where it ends too early
                while start < stop and (piece := response.read1(min(stop - start, _PIECE_BYTES), decode_content=False)):
                    part += piece
                    start += len(piece)
        except DrippingHost as error:
            raise HostUnreachable(self.address, str(error), advice="try later") from None
        if start < stop:
            raise PassingError(BlobCut(self.address, "the web server breaks off", offset=start, advice="try again"))
