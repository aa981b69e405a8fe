"""What a device could reach at most, as the stats of its plane say."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Final

from tilescope.tiler.details.typed_stats import plane_stats
from tilescope.tiler.details.wire import WireDamage
from tilescope.tiler.facts.devices import plane_of
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store.attachments import content, listed

# Stats of a real plane take some kilobytes.
_MAX_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Peaks:
    """Of one core; None: not recorded. Bytes per second are decimal."""

    device: str = ""  # "TPU v6 Lite"
    flops: float | None = None  # per second
    hbm: float | None = None  # bytes per second
    cmem_read: float | None = None
    cmem_write: float | None = None
    vmem_read: float | None = None
    vmem_write: float | None = None


def peaks_of(reader: QueryReader, group: int, file: int) -> Peaks:
    """Those of a device, which is a process of the track tree. Raises DamagedStore."""
    record = reader.store.attachments()
    wanted = f"plane/{plane_of(reader.tree.groups[group])}/stats"
    for entry in () if record is None else listed(record):
        if entry.file == file and entry.name == wanted and entry.size_bytes <= _MAX_BYTES:
            parts = content(entry, partial(reader.store.attachment_chunk, entry.id))
            try:
                found = plane_stats(b"".join(parts))
            except WireDamage:
                return Peaks()
            return _peaks({stat.name: stat.value for stat in found})
    return Peaks()


def _peaks(stats: dict[str, object]) -> Peaks:
    def number(name: str, scale: float) -> float | None:
        value = stats.get(name)
        return value * scale if isinstance(value, int | float) and value > 0 else None

    return Peaks(
        str(stats.get("device_type_string", "")),
        number("peak_teraflops_per_second", 1e12),
        *(
            number(f"peak_{memory}_bw_gigabytes_per_second", 1e9)
            for memory in ("hbm", "cmem_rd", "cmem_wr", "vmem_rd", "vmem_wr")
        ),
    )
