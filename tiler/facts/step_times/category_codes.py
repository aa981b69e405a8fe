"""Which part of a step operations are, by the category that their metadata says."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details.instruction_stats import CATEGORY
from tilescope.tiler.facts.distinct import distinct
from tilescope.tiler.facts.metadata_codes import metadata_codes
from tilescope.tiler.facts.step_times.parts import TPU_PARTS, StepPart, part_of_category
from tilescope.tiler.kept_with import KeptWith
from tilescope.tiler.query import QueryReader, Steps
from tilescope.tiler.records.device.operations import OperationKinds, TrackKinds

Codes = NDArray[np.uint8]

PART_CODES: Final = {part: code for code, part in enumerate(TPU_PARTS)}


def code_of_category(category: str) -> int:
    """The place of the part in `TPU_PARTS` that operations of a category are."""
    return PART_CODES[part_of_category(category)]


def part_codes(reader: QueryReader, track: int, kinds: TrackKinds) -> Steps[Codes]:
    """Of each kind of operations of a track the place of its part in `TPU_PARTS`. Raises DamagedStore."""
    known = {} if reader.store.is_growing else _KNOWN.setdefault(reader, {})
    if track not in known:
        known[track] = yield from _read_codes(reader, track, kinds)
    return known[track]


_KNOWN: KeptWith[QueryReader, dict[int, Codes]] = KeptWith()


def _read_codes(reader: QueryReader, track: int, kinds: TrackKinds) -> Steps[Codes]:
    file = reader.file_of(track)
    tables = reader.event_metadata(file)
    if tables is None:
        return np.full(len(kinds.kinds), PART_CODES[StepPart.LOW_FLOPS], np.uint8)
    metadata = OperationKinds.of(kinds.kinds).metadata
    found = np.full(len(metadata), code_of_category(""), np.uint8)
    known = (metadata >= 0) & (metadata < len(tables))
    category = yield from metadata_codes(reader).column(file, tables, tables.alike[metadata[known]], CATEGORY)
    used, place = distinct(category)
    values = metadata_codes(reader).values.of(used)
    codes = [code_of_category(of if isinstance(of, str) else "") for of in values]
    found[known] = np.array(codes, np.uint8)[place]
    return found
