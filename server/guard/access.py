"""Access by token: one check for HTTP, the WebSocket and gRPC, which knows nothing of any of them.

A server that only this machine can reach needs no token. Any other demands one, that was given or is made up at the
start. Whoever holds the token proves it in one of three ways: as a bearer in `Authorization` (gRPC: metadata of that
name), in an address that was printed for people, or by a cookie that a browser was given in exchange for it. The cookie
holds a proof made from the token, not the token: what a browser keeps cannot be used to log in elsewhere.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tilescope.server.errors import Unauthorized, WrongToken
from tilescope.tiler.errors import UsageError

TOKEN_VARIABLE: Final = "TILESCOPE_TOKEN"
TOKEN_BYTES: Final = 24  # of one that is made up: 192 bits, 48 hexadecimal digits
MIN_TOKEN_LENGTH: Final = 16  # of one that is given
COOKIE_PREFIX: Final = "tilescope-"

_BEARER: Final = re.compile(r"bearer +(\S+)", re.IGNORECASE)
_TOKEN: Final = re.compile(rf"[!-~]{{{MIN_TOKEN_LENGTH},4096}}")  # visible ASCII: fit for headers and files


@dataclass(frozen=True, slots=True)
class Access:
    """The rule of one server. Without a token everybody may ask who can connect."""

    token: str | None = field(default=None, repr=False)
    is_made_up: bool = False  # nobody knows the token until it is printed

    @property
    def is_open(self) -> bool:
        """True if no token is demanded."""
        return self.token is None

    def admits_token(self, offered: str | None) -> bool:
        """True if this is the token. Takes as long for a wrong one as for the right one."""
        return self.token is None or _same(offered, self.token)

    def admits_cookie(self, offered: str | None) -> bool:
        """True if this is the value that `cookie_value` gave out."""
        return self.token is None or _same(offered, self.cookie_value())

    def check_bearer(self, authorization: str | None) -> None:
        """Raises `Unauthorized` unless the value of an `Authorization` header (or gRPC metadata) has the token."""
        match = _BEARER.fullmatch(authorization or "")
        if not self.admits_token(match.group(1) if match else None):
            scheme, _, offered = (authorization or "").partition(" ")
            if scheme.lower() == "bearer" and offered.strip():
                raise WrongToken
            raise Unauthorized("this server requires a token: send it as Authorization: Bearer TOKEN")

    def cookie_name(self) -> str:
        """Differs from token to token: cookies do not know ports, and several servers may share a host."""
        return f"{COOKIE_PREFIX}{self._proof('name')[:8]}"

    def cookie_value(self) -> str:
        """A proof that whoever holds it once had the token."""
        return self._proof("cookie")

    def _proof(self, purpose: str) -> str:
        return hmac.new((self.token or "").encode(), purpose.encode(), hashlib.sha256).hexdigest()


OPEN: Final = Access()


def choose_access(
    host: str, token: str | None = None, token_file: Path | None = None, environ: Mapping[str, str] = os.environ
) -> Access:
    """The rule for a server that is bound to `host`.

    The token is the one given, or that in the file, or that in `TILESCOPE_TOKEN`; without any, an address that others
    can reach has one made up. Raises `UsageError` for a token that is too weak, or a file that cannot be read.
    """
    if token is not None and token_file is not None:
        raise UsageError("give --token or --token-file, not both")
    if token is not None:
        return Access(_checked(token, "--token"))
    if token_file is not None:
        return Access(_checked(_read(token_file), str(token_file)))
    if environ.get(TOKEN_VARIABLE):
        return Access(_checked(environ[TOKEN_VARIABLE], TOKEN_VARIABLE))
    return OPEN if is_loopback(host) else Access(secrets.token_hex(TOKEN_BYTES), is_made_up=True)


def is_loopback(host: str) -> bool:
    """True if a host (name, IPv4 or IPv6 address, without port and brackets) means this machine alone."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not ASCII text"
        raise UsageError(f"{file}: the token cannot be read: {reason}") from None


def _checked(token: str, source: str) -> str:
    if _TOKEN.fullmatch(token) is None:
        raise UsageError(f"{source}: a token must have at least {MIN_TOKEN_LENGTH} characters, all visible ASCII")
    return token


def _same(offered: str | None, wanted: str) -> bool:
    # Digests are of one length: not even that of the token shows in the time that this takes.
    digests = (hashlib.sha256(text.encode(errors="surrogateescape")).digest() for text in (offered or "", wanted))
    return hmac.compare_digest(*digests)
