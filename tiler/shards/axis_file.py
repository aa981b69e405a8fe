"""The file of a run's axis: times and names that all of its shards share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from tilescope.tiler.errors import NoStore
from tilescope.tiler.indexing.reading.axis import RunAxis
from tilescope.tiler.shards.folder import AXIS
from tilescope.tiler.store.documents import read_document, write_document
from tilescope.tiler.ticks import TICK_LIMIT

_MOST_BYTES: Final = 1 << 30


class AxisDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """An axis as it is stored."""

    id: Annotated[str, Meta(pattern="^[0-9a-f]{24}$")]
    origin_ns: str  # decimal
    tick_ps: Literal[1, 1000]
    end: Annotated[str, Meta(pattern="^[0-9]{1,19}$")]  # decimal
    rounds: bool
    names: list[tuple[str, str]]


def write_axis(folder: Path, axis: RunAxis) -> None:
    """Writes the axis of a folder of shards. Raises StoreError."""
    tick_ps: Literal[1, 1000] = 1 if axis.tick_ps == 1 else 1000
    document = AxisDocument(axis.id, str(axis.origin_ns), tick_ps, str(axis.end), axis.rounds, list(axis.names))
    write_document(folder / AXIS, document)


def read_axis(folder: Path) -> RunAxis | None:
    """The axis of a folder of shards; None: it has none yet. Raises StoreError or DamagedStore."""
    try:
        document = read_document(folder / AXIS, AxisDocument, _MOST_BYTES)
    except NoStore:
        return None
    return RunAxis(
        document.id,
        int(document.origin_ns),
        document.tick_ps,
        min(int(document.end), TICK_LIMIT),
        document.rounds,
        document.names,
    )
