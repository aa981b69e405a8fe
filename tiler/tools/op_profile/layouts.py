"""Details that programs give of a tree's operations: layouts of values, use of matrix units, parts of fusions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from tilescope.tiler.facts.hlo.layouts import layout_dimensions, padding, shape_of_text
from tilescope.tiler.facts.hlo.matrix_use import MatrixUse
from tilescope.tiler.facts.matrix_unit import operation_matrix_use
from tilescope.tiler.facts.operations import Instructions, OpTable
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Note
from tilescope.tiler.tools.op_profile.tree import Node

# Operations that take the least time have no parts: nobody looks for them.
MAX_OPERATIONS: Final = 1000
_MOST_NOTES: Final = 8


@dataclass(frozen=True, slots=True)
class KnownLayout:
    """Layout of an operation's value. `text`: its dimensions, the one that varies fastest last."""

    text: str = ""
    padding: float | None = None  # the part of the memory that is padding
    matrix_use: MatrixUse | None = None  # None: it is no product, or layouts do not say


NO_LAYOUT: Final = KnownLayout()


def known_layouts(
    instructions: Instructions, table: OpTable, root: Node, notes: list[Note]
) -> Interruptible[dict[int, KnownLayout]]:
    """By the identity of the operation. Puts the parts of fusions below these; `notes` get why a program has none."""
    by_operation: dict[int, KnownLayout] = {}
    layouts: dict[tuple[str, tuple[tuple[int, str], ...]], KnownLayout] = {}
    own = table.columns.own
    least = np.partition(own, len(own) - MAX_OPERATIONS)[len(own) - MAX_OPERATIONS] if len(own) > MAX_OPERATIONS else 0
    leaves = sorted((node for node in root.leaves() if node.own >= least), key=lambda node: -node.own)
    for node in leaves[:MAX_OPERATIONS]:
        operation = node.operation
        if operation is None:
            continue
        facts = yield from instructions.facts(operation)
        for part in facts.parts:
            below = node.child(part.name)
            below.fused, below.flops, below.track = part, part.flops * operation.count, operation.track
        key = operation.metadata.shape, tuple(facts.meanings.items())
        if key not in layouts:  # many values are alike
            layouts[key] = _layout(*key)
        use = operation_matrix_use(operation, facts)
        if layouts[key] is not NO_LAYOUT or use is not None:
            by_operation[id(operation)] = replace(layouts[key], matrix_use=use)
        yield
    texts = {note.text for note in notes}
    notes += [Note("warning", text) for text in instructions.notes[:_MOST_NOTES] if text not in texts]
    return by_operation


def _layout(text: str, meanings: tuple[tuple[int, str], ...]) -> KnownLayout:
    shape = shape_of_text(text)
    if shape is None:
        return NO_LAYOUT
    dimensions = [] if shape.is_tuple else layout_dimensions(shape, dict(meanings))
    return KnownLayout(" · ".join(dimension.text for dimension in dimensions), padding(shape))
