"""Records that a run has once, of those of all shards: the overview, attachments, tables, origins and metadata."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from msgspec import structs

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.mount.mounted import Mounted
from tilescope.tiler.pages import compress, decompress
from tilescope.tiler.records.origins import FileOrigin, Origins
from tilescope.tiler.records.overview import OverviewEntries
from tilescope.tiler.records.tables import TableEntry, encode_tables
from tilescope.tiler.store.attachments import AttachmentEntry, list_record

_Entry = TypeVar("_Entry", AttachmentEntry, TableEntry)


def overview_page(mounted: Mounted, level: int, page: int) -> bytes | None:
    """A page of the overview; None where no shard has one. Raises DamagedStore."""
    parts = []
    for shard, bases, _ in mounted.present():
        stored = shard.overview.get(page)
        if stored is not None:
            entries = OverviewEntries.decode(decompress(stored), level, page)
            parts.append(structs.replace(entries, track=entries.track + bases.track))
    return compress(OverviewEntries.join(parts).encode(level, page)) if parts else None


def attachment_list(mounted: Mounted) -> bytes:
    """The list of attachments."""
    entries: list[AttachmentEntry] = []
    for shard, bases, names in mounted.present():
        entries += _of_run(shard.attachments, bases.attachment, bases.file, shard.public["hosts"], names)
    return compress(list_record(entries))


def table_list(mounted: Mounted) -> bytes:
    """The list of tables."""
    entries: list[TableEntry] = []
    for shard, bases, names in mounted.present():
        entries += _of_run(shard.tables, bases.table, bases.file, shard.public["hosts"], names)
    return encode_tables(entries)


def merged_origins(mounted: Mounted) -> bytes:
    """The origins of all tracks. Raises DamagedStore."""
    tracks = mounted.tracks
    merged = Origins([], [None] * tracks, [])
    for shard, bases, _ in mounted.present():
        files: list[FileOrigin | None] = shard.origins.files
        if bases.track + len(shard.origins.tracks) > tracks:
            raise DamagedStore(f"{shard.store.location}: has origins of more tracks than it has")
        merged.files.extend(files)
        merged.tracks[bases.track : bases.track + len(shard.origins.tracks)] = shard.origins.tracks
        for carrier in shard.origins.carriers:
            track = carrier.track if carrier.track < 0 else carrier.track + bases.track
            merged.carriers.append(structs.replace(carrier, file=carrier.file + bases.file, track=track))
    return compress(merged.encode())


def _of_run(
    entries: Sequence[_Entry], first: int, first_file: int, own: Sequence[str], names: Sequence[str]
) -> Iterator[_Entry]:
    """Entries of a shard as the run has them: `own` hosts are called `names` there."""
    for entry in entries:
        host = names[own.index(entry.host)] if entry.host in own else entry.host
        yield structs.replace(entry, id=entry.id + first, file=entry.file + first_file, host=host)
