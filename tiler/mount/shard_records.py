"""A shard of a mounted run: its store, and what is read of it when it is mounted."""

from __future__ import annotations

import json
from typing import Any

from msgspec import Struct

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.lookup.origins import origins
from tilescope.tiler.mount.bases import Bases
from tilescope.tiler.pages import decompress
from tilescope.tiler.records.origins import Origins
from tilescope.tiler.records.tables import TABLES, TableEntry, decode_tables
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.store.attachments import AttachmentEntry, attachments_of
from tilescope.tiler.store.run_store import RunStore
from tilescope.tiler.store.store import need
from tilescope.tiler.store.validation import must_make_sense


class ShardRecords(Struct, frozen=True):
    """A shard, decoded as far as it is merged with others."""

    title: str  # in messages
    store: RunStore
    public: dict[str, Any]  # the manifest
    tree: dict[str, list[dict[str, Any]]]
    attachments: tuple[AttachmentEntry, ...]
    tables: tuple[TableEntry, ...]
    origins: Origins

    @classmethod
    def read(cls, title: str, store: RunStore) -> ShardRecords:
        """Raises DamagedStore."""
        with must_make_sense(store.location):
            try:
                tree = json.loads(decompress(need(store, TRACKS)))
            except RecursionError as error:
                raise DamagedStore(f"{store.location}: the track tree is damaged") from error
            tables = store.get(TABLES)
            return cls(
                title,
                store,
                store.manifest(),
                {"groups": list(tree["groups"]), "tracks": list(tree["tracks"])},
                attachments_of(store),
                () if tables is None else decode_tables(tables),
                origins(store),
            )

    def next_bases(self, bases: Bases) -> Bases:
        """The bases of the shard behind this one."""
        return Bases(
            bases.block + int(self.public["blocks"]),
            bases.file + len(self.public["files"]),
            bases.attachment + len(self.attachments),
            bases.table + len(self.tables),
            bases.carrier + len(self.origins.carriers),
            bases.group + len(self.tree["groups"]),
        )
