"""Names of a host's slices that are work of its threads: operators and calls, and which of these wait for a device."""

from __future__ import annotations

import re
from enum import IntEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.query import Interruptible, Name, QueryReader
from tilescope.tiler.query.run_caches import RunCache

Codes = NDArray[np.uint8]


class HostCode(IntEnum):
    """Roles of the slices of a thread."""

    NONE = 0  # a function of Python, or what users mark: it lies around work, and is none
    WORK = 1
    WAITING = 2  # a call that returns when a device has done something
    RECORD = 3  # a call that marks a place in a stream, for others to wait for


_AROUND: Final = frozenset({"python_function", "user_annotation", "gpu_user_annotation", "trace"})
_WAITING: Final = re.compile(r"synchronize|^(?:cuda|hip|acl|aclrt)memcpy$|^hipmemcpywithstream$", re.IGNORECASE)
_RECORD: Final = re.compile(r"^(?:cuda|hip|cu|aclrt)(?:eventrecord|recordevent)", re.IGNORECASE)

_CODES: Final = RunCache[Codes]("path_host_names", "Names of the work of hosts' threads")


def host_codes(reader: QueryReader) -> Interruptible[Codes]:
    """The code of each name, that of events without one first. Raises DamagedStore."""
    codes = _CODES.get(reader)
    return _CODES.keep(reader, (yield from reader.names.numbers(host_code))) if codes is None else codes


def host_code(name: Name) -> int:
    """The code of a slice of a host's thread."""
    if name.category.casefold() in _AROUND or name.text.startswith(("$", "ProfilerStep#")) or not name.text:
        return HostCode.NONE
    if "::" not in name.text and _WAITING.search(name.text):
        return HostCode.WAITING
    return HostCode.RECORD if _RECORD.match(name.text) else HostCode.WORK
