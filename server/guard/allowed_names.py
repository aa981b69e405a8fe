"""Names of hosts, and origins of web pages, that a server allows: each by itself, or all below a name (`*.`)."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Final

ANY_BELOW: Final = "*."


def is_allowed(name: str, allowed: AbstractSet[str]) -> bool:
    """True for a host name or an origin that is among the allowed ones, or lies below one of them that has a `*.`."""
    if name in allowed:
        return True
    scheme, separator, host = name.rpartition("://")
    labels = host.split(".")
    names = (".".join(labels[first:]) for first in range(1, len(labels) - 1))
    return all(labels) and any(f"{scheme}{separator}{ANY_BELOW}{above}" in allowed for above in names)


def is_pattern(name: str) -> bool:
    """True for what allows all names below one: of at least two labels, the last of which is no number."""
    host = name.rpartition("://")[2]
    labels = host.removeprefix(ANY_BELOW).partition(":")[0].split(".")
    return host.startswith(ANY_BELOW) and len(labels) > 1 and all(labels) and not labels[-1].isdigit()
