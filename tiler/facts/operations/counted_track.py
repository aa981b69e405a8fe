"""Operations of a core, and what is known of each of their kinds: what sums of programs are made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.operations.cut_parts import CutParts
from tilescope.tiler.facts.operations.instruction_columns import Exact, InstructionColumns, products, sum_of
from tilescope.tiler.facts.operations.operation import Operation
from tilescope.tiler.facts.operations.records import OperationRecords
from tilescope.tiler.facts.operations.roofline import is_control, is_feed

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class CountedTrack:
    """A line of operations of a core."""

    track: int
    records: OperationRecords
    places: Ints
    feeds: Mask  # those that do not belong to the program, nor does their time
    custom: Ints  # kinds of custom calls: what these say themselves goes before what their instructions say
    counted: Ints  # where each kind is counted: custom calls of each track by themselves
    first_custom: int  # the first place where any of these are

    def of_custom(self, counts: Ints) -> Ints:
        """The counts of custom calls."""
        return counts[self.first_custom : self.first_custom + len(self.custom)]

    def add_custom(
        self, found: Operation, known: InstructionColumns, uncut: Ints, cut: CutParts, said: dict[str, int]
    ) -> None:
        """Adds custom calls of the track: what they say themselves goes before what their instructions say.

        `uncut`: of each of `custom` how many start and are not cut; `cut`: parts of all kinds.
        """
        if not len(self.custom):
            return
        some = cut.take(np.isin(cut.kind, self.custom))

        def total(column: Exact) -> int:
            of_kind = column[self.places]
            return sum_of(products(of_kind[self.custom], uncut)) + sum(some.parts(of_kind))

        flops = said.get("flops")
        found.flops += total(known.flops) if flops is None else flops
        model_flops = said.get("model_flops", flops)
        found.model_flops += total(known.model_flops) if model_flops is None else model_flops
        moved = said.get("bytes_accessed")
        found.bytes += total(known.bytes) if moved is None else moved


def of_program(known: InstructionColumns, *, with_feeds: bool) -> Mask:
    """The instructions whose FLOPs and bytes are those of the program."""
    some: Mask = known.has_symbol & ~known.are(is_control)
    return some if with_feeds else some & ~known.are(is_feed)


def summed_columns(known: InstructionColumns, some: Mask) -> tuple[dict[str, Exact], dict[tuple[int, bool], Exact]]:
    """What some instructions compute and move, 0 of others; and what of that each memory has."""
    moved = {"flops": known.flops, "model_flops": known.model_flops, "bytes": known.bytes}
    return (
        {name: np.where(some, of, 0) for name, of in moved.items()},
        {name: np.where(some, of, 0) for name, of in known.traffic.items()},
    )
