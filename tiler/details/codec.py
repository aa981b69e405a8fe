"""The contract of a codec: how the arguments of events are written in a store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details.values import Values

UNREADABLE: Final = "[unreadable]"  # the name of an argument that says why there are no others

Arguments = list[tuple[str, object]]
PageOf = Callable[[int], bytes]


class Integers(Protocol):
    """Finds one argument of many events at once."""

    def __call__(
        self, args_end: NDArray[np.int64], args: NDArray[np.uint8], rows: NDArray[np.int64], name: str, tables: Any, /
    ) -> NDArray[np.int64]:
        """The integer argument of this name, of the events `rows`, all of one track; -1 where it is none or below 0."""


class ReadValues(Protocol):
    """Finds some arguments of many events at once."""

    def __call__(
        self,
        args_end: NDArray[np.int64],
        args: NDArray[np.uint8],
        rows: NDArray[np.int64],
        names: Sequence[str],
        tables: Any,
        /,
    ) -> list[Values]:
        """First argument of each name, as `decode` reads it, of the events `rows`, all of one track."""


def _head_itself(head: bytes, _page: PageOf) -> bytes:
    return head


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgsCodec:
    """One way to write arguments."""

    id: str  # in manifests
    # One event's arguments from its bytes, in order, as (name, value): None, bool, int, float, str, lists and dicts of
    # these. The second argument is what `tables` has made.
    decode: Callable[[bytes, Any], Arguments]
    # What decoding needs of a file, from the head of its tables, and from what reads their pages when they are needed.
    tables: Callable[[bytes, PageOf], Any] = _head_itself
    integers: Integers | None = None  # None: step annotations are found by their names alone
    values: ReadValues | None = None  # None: events are decoded one by one
    in_pages: bool = False  # whether the tables are those of `xstat_tables.py`, which tools ask as well
    in_columns: bool = False  # whether arguments of neighbours are alike byte by byte: then they compress better


def unknown_codec(name: str) -> ArgsCodec:
    """Stands for one of a package that is not here."""
    why = f"arguments are written as {name[:80]!r}: install the package that reads them"
    return ArgsCodec(id=name, decode=lambda _raw, _tables: [(UNREADABLE, why)])
