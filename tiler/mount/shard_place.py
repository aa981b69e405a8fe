"""ShardPlace of a shard in a run, as the merged manifest keeps it: all that is needed to read the shard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, convert

from tilescope.tiler.mount.bases import Bases
from tilescope.tiler.mount.missing_shard import MissingShard
from tilescope.tiler.mount.mounted import Mounted


class ShardPlace(Struct, frozen=True):
    """The place of one shard."""

    name: str
    hosts: Sequence[str]  # as the shard calls them; empty where nothing is known of it
    build: str  # empty: it is missing
    store_bytes: int
    bases: Bases
    blocks: int


def places_of(mounted: Mounted) -> list[ShardPlace]:
    """Places of all shards, in the order of their numbers."""
    places = []
    for place in mounted.places:
        shard = place.shard
        blocks = shard.next_bases(place.bases).block - place.bases.block
        build = "" if isinstance(shard, MissingShard) else shard.store.build
        size = 0 if isinstance(shard, MissingShard) else int(shard.public["store_bytes"])
        hosts = shard.hosts if isinstance(shard, MissingShard) else shard.names
        places.append(ShardPlace(shard.name, hosts, build, size, place.bases, blocks))
    return places


def read_places(internals: Mapping[str, Any]) -> list[ShardPlace]:
    """As `places_of` made them. Raises ValueError."""
    return convert(internals["shards"], list[ShardPlace])
