"""Facts of a capture as a whole, from stats of the planes of an XSpace: counters of the hardware, and losses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tilescope.tiler.caches import OwnerCache
from tilescope.tiler.details.typed_stats import plane_stats
from tilescope.tiler.details.wire import WireDamage
from tilescope.tiler.query import QueryReader
from tilescope.tiler.records.attachments import ATTACHMENTS
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


_FACTS: Final = OwnerCache[QueryReader, tuple[PlaneFacts, ...]]("plane_facts", "Stats of the planes of a capture")


def plane_facts(reader: QueryReader) -> Sequence[PlaneFacts]:
    """Facts of all planes of a run that have stats; what is damaged is left out. Raises DamagedStore.

    There are none yet while the run is indexed. Afterwards they are kept for the next question.
    """
    record = reader.store.get(ATTACHMENTS)
    if record is None:
        return ()
    facts = _FACTS.get(reader)
    return _FACTS.keep(reader, tuple(_read_facts(reader, record))) if facts is None else facts


def _read_facts(reader: QueryReader, record: bytes) -> Iterator[PlaneFacts]:
    stats_by_content: dict[bytes, dict[str, object]] = {}  # planes of one kind often say the same
    for entry in listed(record):
        is_stats = entry.name.startswith(_PLANE) and entry.name.endswith(_STATS)
        if not is_stats or entry.size_bytes > _MAX_BYTES:
            continue
        raw = b"".join(content(reader.store, entry))
        try:
            if raw not in stats_by_content:
                stats_by_content[raw] = {stat.name: stat.value for stat in plane_stats(raw)}
        except WireDamage:
            continue
        plane = entry.name.removeprefix(_PLANE).removesuffix(_STATS)
        yield PlaneFacts(entry.file, plane, stats_by_content[raw])
