"""What the planes of an XSpace say of a capture as a whole, in their stats: counters of the hardware, and losses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from tilescope.tiler.details.typed_stats import plane_stats
from tilescope.tiler.details.wire import WireDamage
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store.attachments import content, listed

# Stats of a real plane take some kilobytes.
_MAX_BYTES: Final = 1 << 20

_PLANE, _STATS = "plane/", "/stats"

Number = int | float


@dataclass(frozen=True, slots=True)
class PlaneFacts:
    """`values`: the stats of one plane of a file."""

    file: int
    plane: str
    values: Mapping[str, object]

    def number(self, name: str) -> Number | None:
        """A number that is above 0; None: not recorded, as profilers write 0 for what they have not measured."""
        value = self.values.get(name)
        return value if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else None


def plane_facts(reader: QueryReader) -> Iterator[PlaneFacts]:
    """Those of all planes of a run that have stats; what is damaged is left out. Raises DamagedStore."""
    record = reader.store.attachments()
    for entry in () if record is None else listed(record):
        is_stats = entry.name.startswith(_PLANE) and entry.name.endswith(_STATS)
        if not is_stats or entry.size_bytes > _MAX_BYTES:
            continue
        try:
            stats = plane_stats(b"".join(content(entry, partial(reader.store.attachment_chunk, entry.id))))
        except WireDamage:
            continue
        plane = entry.name.removeprefix(_PLANE).removesuffix(_STATS)
        yield PlaneFacts(entry.file, plane, {stat.name: stat.value for stat in stats})
