"""Which instructions come from one operation of the framework: as numbers, without the names of tens of thousands."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details.instruction_stats import NAME, STAT
from tilescope.tiler.facts.distinct import distinct
from tilescope.tiler.facts.host_operations.naming import ITERATOR
from tilescope.tiler.facts.metadata_codes import Codes, MetadataCodes
from tilescope.tiler.facts.operations.framework_names import framework_op_name
from tilescope.tiler.facts.operations.metadata import text_of
from tilescope.tiler.overloads import overload

Ints = NDArray[np.int64]


class FrameworkNames(Sequence[str]):
    """What operations of the framework are called, made when looked at: first those of plain paths, then others."""

    def __init__(self, codes: MetadataCodes, plain: Codes, others: Sequence[str]) -> None:
        """`plain`: codes of paths that are names with a colon at their end."""
        self._codes, self._plain, self._others = codes, plain, others

    def __len__(self) -> int:
        return len(self._plain) + len(self._others)

    @overload
    def __getitem__(self, number: int) -> str: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[str]: ...

    def __getitem__(self, number: int | slice) -> str | Sequence[str]:
        if isinstance(number, slice):
            return [self[at] for at in range(len(self))[number]]
        at = range(len(self))[number]
        if at >= len(self._plain):
            return self._others[at - len(self._plain)]
        return text_of(self._codes.values[int(self._plain[at])])[:-1]


def framework_numbers(codes: MetadataCodes, rows: Ints) -> tuple[FrameworkNames, Ints]:
    """What operations are called that rows of metadata come from, and of each row which of them it is.

    They are called as the path of the instruction says, or else as the instruction is.
    """
    of = codes.matrix[rows]
    paths, place = distinct(of[:, STAT["tf_op"]])
    is_plain = codes.values.plain_paths(paths, f"{ITERATOR}:")
    plain = paths[is_plain]
    number = np.full(len(paths), -1)
    number[is_plain] = np.arange(len(plain))
    names: dict[str, int] = {}

    def number_of(name: str) -> int:
        """A path may be the same but for its colon."""
        code = codes.values.code_of(name + ":")
        at = int(np.searchsorted(plain, code)) if code >= 0 else len(plain)
        if at < len(plain) and plain[at] == code:
            return at
        return names.setdefault(name, len(plain) + len(names))

    others = np.flatnonzero(~is_plain)
    for at, path in zip(others.tolist(), codes.values.of(paths[others]), strict=True):
        if text := text_of(path):
            number[at] = number_of(framework_op_name(text))
    found: Ints = number[place]
    unnamed = np.flatnonzero(found < 0)
    used, own = distinct(of[unnamed, NAME])
    found[unnamed] = np.array([number_of(name) for name in codes.names(used)], np.int64)[own]
    return FrameworkNames(codes, plain, list(names)), found
