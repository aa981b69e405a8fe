"""Addresses that people may have a server open: those below prefixes that its command line names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Self
from urllib.parse import unquote

from msgspec import Struct

from tilescope.remote.address import CLOUD, WEB, Address
from tilescope.tiler.errors import BlobForbidden, UsageError

_ANY_HOST: Final = tuple(f"{scheme}://" for scheme in WEB)


class AllowedPrefix(Struct, frozen=True):
    """A prefix: an origin and the beginning of a path, or all hosts of a scheme (`https://`)."""

    scheme: str
    host: str  # empty: any
    segments: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raises UsageError for what is no prefix, or has a query."""
        if text.lower() in _ANY_HOST:
            return cls(text.lower().partition(":")[0], "", ())
        address = Address.parse(text)
        if address.query:
            raise UsageError(f"{address.shown}: a prefix of addresses has no query")
        segments = _segments(address)
        return cls(address.scheme, address.host, segments[:-1] if segments[-1:] == ("",) else segments)

    def allows(self, address: Address) -> bool:
        """True of an address of this origin whose path begins with these segments, and has more."""
        if address.scheme != self.scheme or self.host not in ("", address.host):
            return False
        segments = _segments(address)
        return len(segments) > len(self.segments) and segments[: len(self.segments)] == self.segments

    @property
    def shown(self) -> str:
        """As it was written, with a slash at its end."""
        return f"{self.scheme}://" + "".join(f"{part}/" for part in (self.host, *self.segments) if part)


class AllowedPrefixes:
    """The prefixes of one server."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Raises UsageError."""
        self.prefixes = tuple(map(AllowedPrefix.parse, texts))

    def check(self, address: Address) -> None:
        """Raises BlobForbidden for an address that lies below none of them."""
        if not any(prefix.allows(address) for prefix in self.prefixes):
            advice = f"allowed is what lies below {', '.join(prefix.shown for prefix in self.prefixes)}"
            raise BlobForbidden(address.shown, "this server does not open this address", advice=advice)

    def may_be_private(self, address: Address) -> bool:
        """True of an address below a prefix that names its host: it may be of a private network."""
        return any(prefix.host and prefix.allows(address) for prefix in self.prefixes)


def _segments(address: Address) -> tuple[str, ...]:
    """The path, part by part. Raises BlobForbidden for one that a server may take for another path."""
    segments = tuple(address.path.split("/"))
    for segment in segments:
        plain = segment if address.scheme in CLOUD else unquote(segment)
        if plain.partition(";")[0] in (".", "..") or "/" in plain or "\\" in plain or not plain.isprintable():
            raise BlobForbidden(address.shown, "a path with `.`, `..` or an escaped slash is not opened")
    return segments
