"""Operations of the framework and their name scopes that operations of TPU cores come from, as numbers of names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.operations.framework import framework_op_name
from tilescope.tiler.facts.operations.track_records import track_kinds
from tilescope.tiler.facts.operations.xla_instructions import instruction_places
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import RunCache

Ints = NDArray[np.int64]

# With two rows for each of 8,192 bins, a lane of so many rows keeps below what an answer may have.
MAX_SCOPES: Final = 12

_AT_ONCE: Final = 1 << 12


@dataclass(frozen=True, slots=True)
class PathRows:
    """Rows of a lane for paths. Equal numbers in a row are one thing; its name is `names[name[number]]`.

    `numbers` has shape (paths + 1, rows), -1 where a path has nothing in a row; the last is that of no path.
    """

    names: Sequence[str]
    name: Ints
    numbers: Ints

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.numbers.shape[1])

    def first(self, rows: int) -> PathRows:
        """The first so many rows."""
        return PathRows(self.names, self.name, self.numbers[:, :rows])


@dataclass(frozen=True, slots=True)
class FrameworkPaths:
    """Paths of the operations of tracks: of each kind of a track the number of its path, -1 where it says none."""

    operations: PathRows  # a row with the operation of the framework
    scopes: PathRows  # from the outside in
    deeper: int  # paths with more than MAX_SCOPES scopes
    by_track: Mapping[int, Ints]

    def depth(self, track: int) -> int:
        """Number of scopes of the deepest path of a track, of those that have rows."""
        used = np.unique(self.by_track[track])
        return int((self.scopes.numbers[used] >= 0).any(axis=0).sum())

    def says_any(self, track: int) -> bool:
        """True if any operation of a track says a path."""
        return bool((self.by_track[track] >= 0).any())


def framework_paths(reader: QueryReader, tracks: Sequence[int]) -> Interruptible[FrameworkPaths]:
    """The paths of the operations of some tracks, always the same of a run. Raises DamagedStore, NotBuilt."""
    paths = _PATHS.get(reader)
    if paths is None:
        paths = _PATHS.keep(reader, (yield from _paths(reader, tracks)))
    return paths


_PATHS: Final = RunCache[FrameworkPaths](
    "framework_paths_of_tracks",
    "Operations of frameworks by kind of operations of TPU cores",
    lambda paths: (
        sum(column.nbytes for column in (*paths.by_track.values(), paths.scopes.numbers))
        + 200 * (len(paths.operations.names) + len(paths.scopes.names))
    ),
)


def _paths(reader: QueryReader, tracks: Sequence[int]) -> Interruptible[FrameworkPaths]:
    instructions = instruction_places(reader)
    places: dict[int, Ints] = {}
    for track in tracks:
        kinds = track_kinds(reader, track)
        of_kinds = None if kinds is None else (yield from instructions.places(track, kinds))
        if of_kinds is not None:
            places[track] = of_kinds
        yield
    # Cores that run one program share its instructions: each path is parsed once.
    every = np.unique(np.concatenate([np.zeros(0, np.int64), *places.values()]))
    texts, text = instructions.stat_texts("tf_op", every)
    names: dict[str, int] = {}
    path_of_text = np.full(len(texts), -1)
    for number, path in enumerate(texts):
        if number % _AT_ONCE == 0:
            yield
        if name := path and framework_op_name(path):
            path_of_text[number] = names.setdefault(name, len(names))
    path_of_place = np.full(int(every.max(initial=-1)) + 1, -1)
    path_of_place[every] = path_of_text[text]
    scopes, deeper = yield from scope_rows(list(names))
    numbers = np.append(np.arange(len(names)), -1)
    return FrameworkPaths(
        PathRows(list(names), numbers[:-1], numbers[:, None]),
        scopes,
        deeper,
        {track: path_of_place[of_kinds] for track, of_kinds in places.items()},
    )


def scope_rows(paths: Sequence[str]) -> Interruptible[tuple[PathRows, int]]:
    """Scopes of paths, and how many have more than are kept: "jit(f)/layer/add" has jit(f), and layer in it."""
    numbers = np.full((len(paths) + 1, MAX_SCOPES), -1)
    scopes: dict[tuple[int, str], int] = {}  # by the scope around it, and its name
    names: dict[str, int] = {}
    deeper = 0
    for place, path in enumerate(paths):
        if place % _AT_ONCE == 0:
            yield
        *parts, _ = path.split("/", MAX_SCOPES + 1)
        deeper += len(parts) > MAX_SCOPES
        around = -1
        for row, part in enumerate(parts[:MAX_SCOPES]):
            names.setdefault(part, len(names))
            around = numbers[place, row] = scopes.setdefault((around, part), len(scopes))
    name = np.array([names[part] for _, part in scopes], np.int64)
    rows = int((numbers >= 0).any(axis=0).sum())
    return PathRows(list(names), name, np.ascontiguousarray(numbers[:, :rows])), deeper
