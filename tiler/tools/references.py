"""References of a question: to a host of the run, and to other builds to compare it with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeVar

import msgspec

from tilescope.tiler.errors import UsageError

MAX_REFERENCE_TEXT: Final = 4096  # characters: the path of a store
_NAMED_HOSTS: Final = 20  # in a message, of those there are


class Reference(str):
    """Base of such names."""

    __slots__ = ()


class BuildRef(Reference):
    """Another build: RUN/BUILD where a server is asked, the path of a store elsewhere. `Scope.for_build` opens it."""

    __slots__ = ()


class HostRef(Reference):
    """A host of the run, by its name in the manifest. `Scope.tracks_of` has its tracks."""

    __slots__ = ()


R = TypeVar("R", bound=Reference)


def reference(kind: type[R], value: Any) -> R:
    """A name from what a client wrote. Raises UsageError."""
    if not isinstance(value, str) or not 0 < len(value) <= MAX_REFERENCE_TEXT:
        raise UsageError(f"a {NOUNS[kind]} is named by a text of 1 to {MAX_REFERENCE_TEXT:,} characters")
    return kind(value)


def references(question: msgspec.Struct, kind: type[R]) -> dict[str, R]:
    """The names of one kind in a question, by field."""
    values = ((name, getattr(question, name)) for name in question.__struct_fields__)
    return {name: value for name, value in values if isinstance(value, kind)}


def check_hosts(question: msgspec.Struct, hosts: Sequence[str]) -> None:
    """Raises UsageError for a host that is not there, naming those that are."""
    for field, host in references(question, HostRef).items():
        if host not in hosts:
            more = f" and {len(hosts) - _NAMED_HOSTS:,} more" if len(hosts) > _NAMED_HOSTS else ""
            there = f"there are {', '.join(hosts[:_NAMED_HOSTS])}{more}" if hosts else "the run has none"
            raise UsageError(f"{field}: there is no host {str(host)[:80]!r}: {there}")


NOUNS: Final[dict[type[Reference], str]] = {BuildRef: "build", HostRef: "host"}
