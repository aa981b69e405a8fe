"""From where may be captured: what the operator has allowed, and nothing else.

Whoever may ask this server could otherwise have it connect to any machine that it reaches. Addresses are compared as
they are written, before any name is looked up.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from tilescope.capture.address import ProfilerAddress, parse_address
from tilescope.server.errors import BadRequest, Forbidden
from tilescope.server.guard.access import is_loopback
from tilescope.tiler.errors import UsageError

NONE: Final = "none"
LOOPBACK: Final = "loopback"

_NAME: Final = re.compile(r"[\w][\w .@-]{0,63}")


@dataclass(frozen=True, slots=True)
class AllowedHost:
    """A profiler server that may be asked."""

    name: str  # as a person wrote it
    address: ProfilerAddress
    is_loopback_only: bool = False  # its name must not lead anywhere else
    is_target: bool = False  # the operator has given it its name

    @property
    def file_name(self) -> str:
        """Name of its files, without a suffix."""
        return self.name if self.is_target else self.address.host


@dataclass(frozen=True, slots=True)
class CaptureRules:
    """Addresses that the operator allows. The default is whatever listens on this machine for this machine alone."""

    targets: Mapping[str, ProfilerAddress] = field(default_factory=lambda: MappingProxyType({}))
    addresses: frozenset[ProfilerAddress] | None = None  # None: all of the loopback interface

    @property
    def is_anything_allowed(self) -> bool:
        """True if any address at all may be captured."""
        return bool(self.targets) or self.addresses is None or bool(self.addresses)

    def find(self, text: str) -> AllowedHost:
        """The server of that name or address. Raises `BadRequest`, and `Forbidden` for one that is not allowed."""
        if text in self.targets:
            return AllowedHost(text, self.targets[text], is_target=True)
        try:
            address = _plain(parse_address(text))
        except UsageError as error:
            raise BadRequest(str(error)) from None
        if self.addresses is None:
            if is_loopback(address.host):
                return AllowedHost(text, address, is_loopback_only=True)
        elif address in self.addresses:
            return AllowedHost(text, address)
        raise Forbidden(f"this server does not capture from {address}: start it with --allow-capture {address}")

    def display_names(self) -> list[str]:
        """The addresses, as clients are told of them."""
        return [LOOPBACK] if self.addresses is None else sorted(map(str, self.addresses))


NOTHING_BUT_LOOPBACK: Final = CaptureRules()


def parse_capture_rules(targets: Sequence[str], allowed: Sequence[str]) -> CaptureRules:
    """The rules of `NAME=HOST:PORT` and of `HOST:PORT`, `loopback` or `none`. Raises `UsageError`."""
    named: dict[str, ProfilerAddress] = {}
    for text in targets:
        name, equals, address = text.partition("=")
        if not equals or _NAME.fullmatch(name) is None:
            raise UsageError(f"{text!r}: a target has a name and an address: NAME=HOST:PORT")
        if name in named:
            raise UsageError(f"{name}: two targets have this name")
        named[name] = _plain(parse_address(address))
    words = [text for text in allowed if text in (NONE, LOOPBACK)]
    if words and len(allowed) > 1:
        raise UsageError(f"--allow-capture {words[0]} stands alone: it allows no other addresses")
    addresses = None if words == [LOOPBACK] or not allowed else frozenset(_parsed(allowed))
    return CaptureRules(MappingProxyType(named), addresses)


def _parsed(allowed: Sequence[str]) -> list[ProfilerAddress]:
    return [_plain(parse_address(text)) for text in allowed if text != NONE]


def _plain(address: ProfilerAddress) -> ProfilerAddress:
    """The same in the one way of writing it: `::1` for `0:0::1`, names in lower case, without the dot at their end."""
    try:
        host = str(ipaddress.ip_address(address.host))
    except ValueError:
        host = address.host.lower().removesuffix(".")
    return ProfilerAddress(host, address.port)
