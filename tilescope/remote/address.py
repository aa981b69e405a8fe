"""Addresses of objects and places, as people write them, and as messages show them: without credentials."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Final, Self
from urllib.parse import SplitResult, unquote, urlsplit

from msgspec import Struct

from tilescope.tiler.errors import UsageError

WEB: Final = ("http", "https")
CLOUD: Final = ("s3", "gs", "az")
_USUAL_PORTS: Final = {"http": 80, "https": 443}
_SIGNATURE: Final = re.compile(r"[?&](?:sig|[\w-]*signature)=", re.IGNORECASE)  # of Azure, S3 and Google
_MAX_CHARACTERS: Final = 8192


class Address(Struct, frozen=True):
    """An address, taken apart."""

    scheme: str
    host: str  # with its port, of a web server; of a bucket or container, its name
    path: str  # without the first slash, as it is written
    query: str = ""  # of a web server: signatures of signed addresses are in it

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raises UsageError, without what the text may have of credentials."""
        try:
            parts = urlsplit(text)
            host = _host(parts)
        except ValueError:
            raise UsageError("this is no address: its host or port is wrong") from None
        if parts.scheme not in (*WEB, *CLOUD) or not host or len(text) > _MAX_CHARACTERS or not text.isprintable():
            raise UsageError(f"{parts.scheme}://{host}: addresses begin with {', '.join((*WEB, *CLOUD))} and a host")
        if parts.username is not None or parts.password is not None:
            raise UsageError(
                f"{parts.scheme}://{host}: user and password do not belong in an address "
                "(a token for it can be given in TILESCOPE_TOKENS)"
            )
        if parts.scheme in CLOUD:  # keys of objects may have any character
            if _SIGNATURE.search(text):
                raise UsageError(
                    f"{parts.scheme}://{host}: signatures do not belong in addresses of buckets "
                    "(a signed address begins with https)"
                )
            return cls(parts.scheme, host, text.partition("://")[2].partition("/")[2])
        return cls(parts.scheme, host, parts.path.removeprefix("/"), parts.query)

    @property
    def origin(self) -> str:
        """Scheme and host: what a token belongs to."""
        return f"{self.scheme}://{self.host}"

    @property
    def shown(self) -> str:
        """As messages and indexes show it. What stands behind `?` is left out: it may be a signature."""
        return f"{self.origin}/{self.path}"

    @property
    def url(self) -> str:
        """As a request needs it: with signatures."""
        return self.shown + (f"?{self.query}" if self.query else "")

    @property
    def name(self) -> str:
        """The last part of the path, without escapes; the host where there is none."""
        path = unquote(self.path) if self.scheme in WEB else self.path
        return PurePosixPath(path).name or self.host

    @property
    def is_web(self) -> bool:
        """True of a web server, which has no listing; False of a bucket."""
        return self.scheme in WEB


def is_address(text: str) -> bool:
    """True of what is meant as an address rather than a path."""
    scheme, separator, _ = text.partition("://")
    return bool(separator) and scheme.lower() in (*WEB, *CLOUD)


def _host(parts: SplitResult) -> str:
    """The host in small letters, with a port that is not the usual one. Raises ValueError."""
    if parts.scheme not in WEB:
        return parts.netloc.rpartition("@")[2]
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    return host if parts.port in (None, _USUAL_PORTS[parts.scheme]) else f"{host}:{parts.port}"
