"""A table beside the events of a trace: rows of cells under a header, as profilers write them into own files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from msgspec import Struct

from tilescope.tiler.columns.memory_extents import MemoryExtent


class SideColumn(Struct, frozen=True):
    """A column, and what its cells are."""

    name: str  # of the header; no other of its table has it
    numbers: int = 0  # cells that are integers or decimals
    texts: int = 0
    most_digits: int = 0  # behind the decimal point of any of its numbers
    most_magnitude: int = 0  # of the scaled integers that its numbers are stored as, without sign


@dataclass(frozen=True, slots=True)
class SideTable:
    """One table of a file, which has been read to its end. Its content may be larger than memory."""

    name: str  # of the file, or of the part of it
    family: str  # what kind of table: "kernel_details"; empty: none that is recognised
    columns: Sequence[SideColumn]
    chunk_rows: Sequence[int]  # rows of each chunk
    block_starts: Sequence[int]  # the first column of each block
    # Of each chunk the blocks, compressed as `records/column_blocks.py` encodes them.
    chunks: Callable[[], Iterator[Sequence[bytes]]] = field(compare=False)
    rank: int | None = None
    device: str = ""
    capture: str = ""  # the folder of its capture, where the name of that says so
    extents: Sequence[tuple[MemoryExtent, ...] | None] = ()  # of each chunk, of tables about memory; None: not stored
