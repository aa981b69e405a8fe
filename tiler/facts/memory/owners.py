"""Owners of PyTorch's allocations: the innermost operator of the thread that allocates, at that moment.

PyTorch writes allocations as instants, which have a track of their own beside the slices of their thread.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Final

import numpy as np

from tilescope.tiler.facts.host_operations import operator_names, operator_threads
from tilescope.tiler.facts.host_operations.innermost_slices import innermost_names
from tilescope.tiler.facts.memory.records import Records
from tilescope.tiler.query import Interruptible, QueryReader

_INSTANTS: Final = " · instants"  # behind the name of a thread


def with_owners(reader: QueryReader, records: Records) -> Interruptible[Records]:
    """Records with the operators around them, where there are any. Raises DamagedStore."""
    threads = yield from _threads(reader)
    of_names = np.full(reader.names.count + 1, -1, np.int32)  # places in `texts` of names, that of none first
    operation, texts = records.arguments.operation.copy(), list(records.texts)
    is_operator = (yield from operator_names(reader)) != 0
    for track in np.unique(records.track).tolist():
        entry = reader.tree.tracks[track]
        rows = np.flatnonzero(records.track == track)
        key = entry.group, entry.name.removesuffix(_INSTANTS), entry.detail
        for thread in threads.get(key, ()) if entry.kind == "instant" else ():
            names = yield from innermost_names(reader, thread, records.start[rows], is_operator)
            new = np.unique(names[(names >= 0) & (of_names[names + 1] < 0)])
            of_names[new + 1] = np.arange(len(texts), len(texts) + len(new))
            texts += reader.names.texts(new)
            operation[rows] = np.where(names >= 0, of_names[names + 1], operation[rows])
    if len(texts) == len(records.texts):
        return records
    return replace(records, arguments=replace(records.arguments, operation=operation), texts=texts)


def _threads(reader: QueryReader) -> Interruptible[dict[tuple[int, str, str], list[int]]]:
    """Tracks with operators by process, name and detail."""
    threads: dict[tuple[int, str, str], list[int]] = defaultdict(list)
    for track in (yield from operator_threads(reader)):
        entry = reader.tree.tracks[track]
        threads[entry.group, entry.name, entry.detail].append(track)
    return threads
