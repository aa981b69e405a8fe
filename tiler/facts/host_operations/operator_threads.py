"""Operators of PyTorch on threads of hosts: slices of categories of their own, such as `aten::mm`."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.errors import NotBuilt
from tilescope.tiler.facts.host_operations.naming import pytorch_op
from tilescope.tiler.query import SLICE_KINDS, Interruptible, Name, QueryReader
from tilescope.tiler.query.run_caches import RunCache

_NAMES: Final = RunCache[NDArray[np.uint8]]("operator_names", "Names of operators of PyTorch")


def operator_names(reader: QueryReader) -> Interruptible[NDArray[np.uint8]]:
    """Mask of names of operators, that of events without one first. Raises DamagedStore."""
    names = _NAMES.get(reader)
    return _NAMES.keep(reader, (yield from reader.names.numbers(_is_operator))) if names is None else names


def _is_operator(name: Name) -> int:
    return int(pytorch_op(name.text, name.category) is not None)


_OPERATOR_THREADS: Final = RunCache[list[int]]("operator_threads", "Threads that run operators of PyTorch")


def operator_threads(reader: QueryReader) -> Interruptible[list[int]]:
    """The tracks on which operators of PyTorch run. Raises DamagedStore."""
    threads = _OPERATOR_THREADS.get(reader)
    if threads is None:
        is_operator = (yield from operator_names(reader)) != 0
        threads = []
        for track in reader.tree.leaves(None) if is_operator.any() else ():
            entry = reader.tree.tracks[track]
            if entry.kind in SLICE_KINDS and entry.events != 0 and _may_run(reader, track, is_operator):
                threads.append(track)
            yield
        _OPERATOR_THREADS.keep(reader, threads)
    return threads


def _may_run(reader: QueryReader, track: int, is_wanted: NDArray[np.bool_]) -> bool:
    """False where no slice of a track has one of these names; that of events without one is the first."""
    try:
        whole = reader.whole_histogram(track)
    except NotBuilt:
        return False
    return whole is None or whole.has_other_names or bool(is_wanted[whole.name + 1].any())
