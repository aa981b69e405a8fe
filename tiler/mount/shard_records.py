"""A shard of a mounted run: its store, and what is read of it to merge it with others."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.lookup.origins import origins
from tilescope.tiler.lookup.steps import marked_steps
from tilescope.tiler.mount.bases import Bases
from tilescope.tiler.mount.busy_names import busy_names
from tilescope.tiler.mount.shard_store import ShardStore
from tilescope.tiler.pages import TRACKS_PER_BLOCK, decompress
from tilescope.tiler.records.origins import Origins
from tilescope.tiler.records.overview import OVERVIEW
from tilescope.tiler.records.tables import TABLES, TableEntry, decode_tables
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.shards.own_axis import OwnAxis
from tilescope.tiler.shards.sharded_run import Shard
from tilescope.tiler.store.attachments import AttachmentEntry, attachments_of
from tilescope.tiler.store.store import need
from tilescope.tiler.store.validation import must_make_sense
from tilescope.tiler.ticks import TICK_LIMIT


class ShardRecords(Struct, frozen=True):
    """A shard, decoded as far as it is merged with others: whoever merges them opens it once."""

    name: str
    title: str  # in messages
    own: OwnAxis | None  # its axis, where that is not the one of the run
    store: ShardStore
    public: Mapping[str, Any]  # the manifest
    internals: Mapping[str, Any]
    tree: Mapping[str, list[dict[str, Any]]]
    attachments: tuple[AttachmentEntry, ...]
    tables: tuple[TableEntry, ...]
    origins: Origins
    overview: Mapping[int, bytes]  # pages by number, as they are stored
    steps: frozenset[int]  # numbers
    busy: Mapping[int, int]  # ticks by name id

    @classmethod
    def read(cls, shard: Shard, store: ShardStore) -> ShardRecords:
        """Raises StoreError."""
        with store.opened() as opened, must_make_sense(store.location):
            try:
                tree = json.loads(decompress(need(opened, TRACKS)))
            except RecursionError as error:
                raise DamagedStore(f"{store.location}: the track tree is damaged") from error
            tables = opened.get(TABLES)
            internals, public = opened.internals(), opened.manifest()
            if shard.own is not None and abs(int(shard.own.shift_ps)) >= TICK_LIMIT * public["tick_ps"]:
                raise DamagedStore(f"{store.location}: its run shifts it by more than a run is long")
            blocks = public["blocks"]
            if blocks != -(-len(internals["tracks"]) // TRACKS_PER_BLOCK):
                raise DamagedStore(f"{store.location}: {len(internals['tracks']):,} tracks are not {blocks:,} blocks")
            return cls(
                shard.name,
                shard.title,
                shard.own,
                store,
                public,
                internals,
                {"groups": list(tree["groups"]), "tracks": list(tree["tracks"])},
                attachments_of(opened),
                () if tables is None else decode_tables(tables),
                origins(opened),
                {number: page for (number,), page in opened.scan(OVERVIEW)},
                frozenset(number for _, steps in marked_steps(opened) for number in steps.number.tolist()),
                busy_names(opened, internals["tracks"]),
            )

    def next_bases(self, bases: Bases) -> Bases:
        """The bases of the shard behind this one."""
        return bases.behind(
            blocks=int(self.public["blocks"]),
            files=len(self.public["files"]),
            attachments=len(self.attachments),
            tables=len(self.tables),
            carriers=len(self.origins.carriers),
            groups=len(self.tree["groups"]),
        )

    @property
    def names(self) -> Sequence[str]:
        """Its hosts."""
        hosts: Sequence[str] = self.public["hosts"]
        return hosts
