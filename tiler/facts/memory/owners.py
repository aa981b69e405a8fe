"""Owners of PyTorch's allocations: operators, module and function around them, of the thread, at that moment.

PyTorch writes allocations as instants, which have a track of their own beside the slices of their thread.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.memory.records import OwnerFrames, Records
from tilescope.tiler.facts.stacks.chains import FrameChains, chains_at
from tilescope.tiler.facts.stacks.frame_kinds import FUNCTIONS, MODULES, OPERATORS, frame_names, frame_threads
from tilescope.tiler.facts.stacks.innermost_names import innermost_names
from tilescope.tiler.query import Interruptible, QueryReader

Ints = NDArray[np.int64]

_INSTANTS: Final = " · instants"  # behind the name of a thread
_KINDS: Final = (OPERATORS, MODULES, FUNCTIONS)


def with_owners(reader: QueryReader, records: Records) -> Interruptible[Records]:
    """Records with the frames around them, where there are any. Raises DamagedStore, UsageError: too many chains."""
    threads = yield from owner_threads(reader)
    chains = FrameChains()
    operators = np.zeros(len(records), np.int32)  # numbers of `chains`
    module, function = np.full(len(records), -1), np.full(len(records), -1)  # ids of names
    is_operator = yield from frame_names(reader, OPERATORS)
    is_module = yield from frame_names(reader, MODULES)
    is_function = yield from frame_names(reader, FUNCTIONS)
    for track in np.unique(records.track).tolist():
        rows = np.flatnonzero(records.track == track)
        for thread in threads(track):
            times = records.start[rows]
            around = yield from chains_at(reader, thread, times, is_operator, chains)
            operators[rows] = np.where(around, around, operators[rows])
            for names, is_wanted in ((module, is_module), (function, is_function)):
                if is_wanted.any():
                    inner = yield from innermost_names(reader, thread, times, is_wanted)
                    names[rows] = np.where(inner >= 0, inner, names[rows])
    listed = chains.listed()
    if len(listed) == 1 and not (module >= 0).any() and not (function >= 0).any():
        return records
    return _with_texts(reader, records, listed, operators, module, function)


def _with_texts(
    reader: QueryReader,
    records: Records,
    chains: list[tuple[int, ...]],
    operators: NDArray[np.int32],
    module: Ints,
    function: Ints,
) -> Records:
    """Records with names of frames as places in their texts."""
    ids = sorted({name for chain in chains for name in chain} | set(np.unique([module, function]).tolist()) - {-1})
    places = np.full(reader.names.count + 1, -1, np.int32)  # of names, that of none first
    places[np.array(ids, np.int64) + 1] = np.arange(len(records.texts), len(records.texts) + len(ids))
    of_chains = [[int(places[name + 1]) for name in chain] for chain in chains]
    innermost = np.array([chain[-1] if chain else -1 for chain in of_chains], np.int32)[operators]
    operation = np.where(operators, innermost, records.arguments.operation)
    return replace(
        records,
        arguments=replace(records.arguments, operation=operation.astype(np.int32)),
        texts=[*records.texts, *reader.names.texts(np.array(ids, np.int64))],
        owners=OwnerFrames(operators, places[module + 1], places[function + 1], of_chains),
    )


def owner_threads(reader: QueryReader) -> Interruptible[Callable[[int], Sequence[int]]]:
    """Tracks with the slices of the thread whose instants a track has: those of its process, name and detail."""
    tracks: set[int] = set()
    for kind in _KINDS:
        tracks.update((yield from frame_threads(reader, kind)))
    threads: dict[tuple[int, str, str], list[int]] = defaultdict(list)
    for track in sorted(tracks):
        entry = reader.tree.tracks[track]
        threads[entry.group, entry.name, entry.detail].append(track)

    def of_instants(track: int) -> Sequence[int]:
        entry = reader.tree.tracks[track]
        key = entry.group, entry.name.removesuffix(_INSTANTS), entry.detail
        return threads.get(key, ()) if entry.kind == "instant" else ()

    return of_instants
