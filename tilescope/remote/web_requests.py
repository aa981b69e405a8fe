"""GET requests to web servers, with the errors of blobs.

urllib3 follows no redirect here: each is looked at first, and no token goes to another origin.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin

from tilescope.remote.address import WEB, Address
from tilescope.remote.progress import DrippingHost
from tilescope.remote.tokens import VARIABLE
from tilescope.tiler.errors import BlobError, BlobForbidden, BlobMissing, HostUnreachable, Throttled, UsageError

if TYPE_CHECKING:
    from urllib3 import BaseHTTPResponse, PoolManager

_CONNECT_S: Final = 10.0
_READ_S: Final = 30.0  # without a byte
_MAX_REDIRECTS: Final = 5
_REDIRECTS: Final = (301, 302, 303, 307, 308)

# The pool that connects to an address. Raises BlobForbidden for one that may not be used.
ChoosePool = Callable[[Address], "PoolManager"]


class PassingError(Exception):
    """A failure that may pass when the host is tried again: `error` is raised where it does not."""

    def __init__(self, error: BlobError, retry_after_s: float | None = None) -> None:
        self.error = error
        self.retry_after_s = retry_after_s
        super().__init__(str(error))


class WebRequests:
    """Requests on behalf of one process, from any thread."""

    def __init__(self, choose_pool: ChoosePool, tokens: Mapping[str, str] | None) -> None:
        """`tokens`: by origin; None: none is used. `choose_pool` is called with each address, of redirects too."""
        self._choose_pool = choose_pool
        self._tokens = tokens

    def get(self, start: Address, headers: Mapping[str, str]) -> BaseHTTPResponse:
        """The answer, its body unread, of status 200, 206, 412 or 416. Raises `BlobError`s and PassingError."""
        address = start
        token = None if self._tokens is None else self._tokens.get(start.origin)
        for _ in range(_MAX_REDIRECTS + 1):
            response = self._send(start, address, headers, token)
            if response.status not in _REDIRECTS:
                if response.status not in (200, 206, 412, 416):
                    response.close()
                    raise self._refusal(start, response)
                return response
            response.close()
            address = _redirected(start, address, response.headers.get("Location", ""))
            if address.origin != start.origin:
                token = None  # for good: another host may not choose what the token is used for
        raise HostUnreachable(start.shown, f"the web server redirects more than {_MAX_REDIRECTS} times")

    def _send(
        self, start: Address, address: Address, headers: Mapping[str, str], token: str | None
    ) -> BaseHTTPResponse:
        import urllib3

        own = {} if token is None else {"Authorization": f"Bearer {token}"}
        try:
            return self._choose_pool(address).request(
                "GET",
                address.url,
                headers={"Accept-Encoding": "identity", **headers, **own},
                preload_content=False,
                decode_content=False,
                redirect=False,
                retries=False,
                timeout=urllib3.Timeout(connect=_CONNECT_S, read=_READ_S),
            )
        except DrippingHost as error:
            raise HostUnreachable(start.shown, str(error), advice="try later") from None
        except urllib3.exceptions.HTTPError as error:
            what = f"the web server does not answer ({type(error).__name__})"
            raise PassingError(HostUnreachable(start.shown, what)) from None  # its message may have the whole URL

    def _refusal(self, start: Address, response: BaseHTTPResponse) -> Exception:
        status = response.status
        if status in (404, 410):
            return BlobMissing(start.shown, "the web server has no such object")
        if status in (401, 403):
            what = f"the web server refuses it with status {status}"
            return BlobForbidden(start.shown, what, advice=self._advice(start))
        if status in (429, 503):
            what = f"the web server has too many requests (status {status})"
            return PassingError(Throttled(start.shown, what, advice="try later"), _retry_after_s(response))
        error = HostUnreachable(start.shown, f"the web server answers with status {status}")
        return PassingError(error) if status >= 500 else error

    def _advice(self, address: Address) -> str:
        """A way out of a refusal."""
        if self._tokens is None:
            return "no token is used for an address that was given in a browser: download it, or open a signed address"
        if address.origin in self._tokens:
            return f"the token that {VARIABLE} has for {address.origin} does not open it"
        return f"give a token for it: {VARIABLE}={address.origin}=TOKEN"


def _redirected(start: Address, address: Address, target: str) -> Address:
    try:
        redirected = Address.parse(urljoin(address.url, target)) if target else None
    except (ValueError, UsageError):
        redirected = None
    if redirected is None or redirected.scheme not in WEB:
        raise HostUnreachable(start.shown, "the web server redirects to what is no web address")
    if address.scheme == "https" and redirected.scheme == "http":
        raise HostUnreachable(start.shown, "the web server redirects from https to http")
    return redirected


def _retry_after_s(response: BaseHTTPResponse) -> float | None:
    text = response.headers.get("Retry-After", "")
    if text.isascii() and text.isdecimal():
        return float(text[:9])
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    date = date if date.tzinfo else date.replace(tzinfo=UTC)  # `-0000` is UTC
    return max(0.0, (date - datetime.now(UTC)).total_seconds())
