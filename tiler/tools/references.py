"""References of a question: to a host of the run, and to other builds to compare it with."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from typing import Any, Final, TypeVar

import msgspec

from tilescope.tiler.errors import UsageError
from tilescope.tiler.tools.argument_names import text_of_names

MAX_REFERENCE_TEXT: Final = 4096  # characters: the path of a store
MAX_BUILDS: Final = 32  # that one field names
_NAMED_HOSTS: Final = 20  # in a message, of those there are


class Reference(str):
    """Base of such names."""

    __slots__ = ()


class BuildRef(Reference):
    """Another build: RUN/BUILD where a server is asked, the path of a store elsewhere. `Scope.for_build` opens it."""

    __slots__ = ()


class BuildRefs(tuple[BuildRef, ...]):
    """Several other builds, each once, separated by commas; one whose name has a comma stands in quotation marks."""

    __slots__ = ()

    @classmethod
    def convert(cls, value: Any) -> BuildRefs:
        """From a text, or a list of names. Raises UsageError."""
        try:
            names = next(csv.reader([value], strict=True), []) if isinstance(value, str) else value
        except csv.Error:
            raise UsageError("builds are separated by commas, and one that has a comma is quoted") from None
        if not isinstance(names, list | tuple) or not 0 < len(names) <= MAX_BUILDS:
            raise UsageError(f"1 to {MAX_BUILDS} builds are wanted")
        return cls(dict.fromkeys(reference(BuildRef, name) for name in names))

    def text(self) -> str:
        """As `convert` reads it."""
        return text_of_names(self)


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
    """The names of one kind in a question, by field; of several in a field by "FIELD 2" and so on from the second."""
    named: dict[str, R] = {}
    for field in question.__struct_fields__:
        value = getattr(question, field)
        for number, name in enumerate(value if isinstance(value, BuildRefs) else [value]):
            if isinstance(name, kind):
                named[f"{field} {number + 1}" if number else field] = name
    return named


def check_hosts(question: msgspec.Struct, hosts: Sequence[str]) -> None:
    """Raises UsageError for a host that is not there, naming those that are."""
    for field, host in references(question, HostRef).items():
        if host not in hosts:
            more = f" and {len(hosts) - _NAMED_HOSTS:,} more" if len(hosts) > _NAMED_HOSTS else ""
            there = f"there are {', '.join(hosts[:_NAMED_HOSTS])}{more}" if hosts else "the run has none"
            raise UsageError(f"{field}: there is no host {str(host)[:80]!r}: {there}")


NOUNS: Final[dict[type[Reference], str]] = {BuildRef: "build", HostRef: "host"}
