"""Tables that profilers of Ascend devices write beside the timeline."""

from typing import Final

from tilescope.tiler.details import json_args
from tilescope.tiler.readers.ascend.families import LISTED_NAMES
from tilescope.tiler.readers.ascend.reader import ID, AscendTableReader
from tilescope.tiler.readers.ascend.signature import is_named_table, looks_like_table
from tilescope.tiler.readers.format import Format

ASCEND_TABLE: Final = Format(
    id=ID,
    title="tables of Ascend profilers",
    looks_like=looks_like_table,
    open=AscendTableReader,
    args=json_args.CODEC,
    suffixes=(),
    endings=(".csv", ".txt", ".json"),
    is_named=is_named_table,
    certain_names=LISTED_NAMES,
)

__all__ = ["ASCEND_TABLE"]
