"""Records that are as they were written, and make no sense all the same: a store may come from anybody."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from tilescope.tiler.errors import DamagedStore

# What decoding raises where a field is missing, of another type, out of range, or nested without end.
_FAULTS: Final = (
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    struct.error,
    AssertionError,
)


@contextmanager
def must_make_sense(where: object) -> Iterator[None]:
    """Within the block, where records are decoded, such errors are DamagedStore of the store at `where`."""
    try:
        yield
    except _FAULTS as error:
        what = " ".join(f"{type(error).__name__}: {error}".split())
        raise DamagedStore(f"{where}: a record is invalid ({what}): index the trace again") from error
