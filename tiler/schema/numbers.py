"""Numbers as JSON has them."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta

_PATTERN: Final = "^-?[0-9]+$"

# A number that a double holds exactly.
Count = Annotated[int, Meta(ge=0)]

# 64-bit integers as decimal text, because JSON numbers are doubles in most clients.
Decimal = Annotated[str, Meta(pattern=_PATTERN, extra_json_schema={"format": "int64"})]

# The same for times and durations. A tick is `tick_ps` picoseconds of the manifest.
Ticks = Annotated[str, Meta(pattern=_PATTERN, extra_json_schema={"format": "int64", "x-unit": "ticks"})]

# Sums of ticks over many tracks may exceed 64 bits.
TickSum = Annotated[str, Meta(pattern=_PATTERN, extra_json_schema={"format": "decimal", "x-unit": "ticks"})]
