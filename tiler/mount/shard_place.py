"""Place of a shard in a run, as the merged manifest keeps it: all that is needed to read the shard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, convert, structs

from tilescope.tiler.mount.bases import Bases
from tilescope.tiler.mount.missing_shard import MissingShard
from tilescope.tiler.mount.mounted import Mounted
from tilescope.tiler.pages import TRACKS_PER_BLOCK


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
    """As `places_of` made them. Raises ValueError where shards do not lie one behind the other on the run's tracks."""
    places = convert(internals["shards"], list[ShardPlace])
    stop = len(internals["tracks"]) // TRACKS_PER_BLOCK
    for number, place in enumerate(places):
        behind = places[number + 1].bases if number + 1 < len(places) else structs.replace(place.bases, block=stop)
        pairs = zip(structs.astuple(place.bases), structs.astuple(behind), strict=True)
        is_in_order = all(0 <= own <= next_ for own, next_ in pairs)
        if not is_in_order or place.blocks < 0 or place.bases.block + place.blocks != behind.block:
            raise ValueError(f"shard {place.name:.40} does not lie before the next one")
    return places
