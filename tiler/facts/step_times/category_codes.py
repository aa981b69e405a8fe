"""Parts of a step of operations, by the category in their metadata."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details.instruction_stats import CATEGORY
from tilescope.tiler.distinct import distinct
from tilescope.tiler.facts.metadata_codes import metadata_codes
from tilescope.tiler.facts.step_times.parts import TPU_PARTS, StepPart, part_of_category
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.records.device.operations import OperationKinds, TrackKinds

Codes = NDArray[np.uint8]

PART_CODES: Final = {part: code for code, part in enumerate(TPU_PARTS)}


def code_of_category(category: str) -> int:
    """The place of the part in `TPU_PARTS` that operations of a category are."""
    return PART_CODES[part_of_category(category)]


def part_codes(reader: QueryReader, track: int, kinds: TrackKinds) -> Interruptible[Codes]:
    """Place in `TPU_PARTS` of the part of each kind of operations of a track. Raises DamagedStore."""
    codes = _PART_CODES.get(reader, track)
    return _PART_CODES.keep(reader, track, (yield from _read_codes(reader, track, kinds))) if codes is None else codes


_PART_CODES: Final = KeyedRunCache[int, Codes]("step_parts", "Parts of steps that operations belong to")


def _read_codes(reader: QueryReader, track: int, kinds: TrackKinds) -> Interruptible[Codes]:
    file = reader.file_of(track)
    tables = reader.event_metadata(file)
    if tables is None:
        return np.full(len(kinds.kinds), PART_CODES[StepPart.LOW_FLOPS], np.uint8)
    metadata = OperationKinds.of(kinds.kinds).metadata
    code_of_kind = np.full(len(metadata), code_of_category(""), np.uint8)
    has_metadata = (metadata >= 0) & (metadata < len(tables))
    codes_of_run = metadata_codes(reader)  # codes are of this one: the next call may return another
    category = yield from codes_of_run.column(file, tables, tables.alike[metadata[has_metadata]], CATEGORY)
    used, place = distinct(category)
    values = codes_of_run.values.of(used)
    codes = [code_of_category(value if isinstance(value, str) else "") for value in values]
    code_of_kind[has_metadata] = np.array(codes, np.uint8)[place]
    return code_of_kind
