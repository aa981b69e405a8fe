"""The shards of a run, side by side: in screen order, and with the numbers that each has in the run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from tilescope.tiler.distinct_names import DistinctNames
from tilescope.tiler.mount.bases import Bases
from tilescope.tiler.mount.missing_shard import MissingShard
from tilescope.tiler.mount.shard_records import ShardRecords
from tilescope.tiler.natural_order import natural_key


class MountedShard(Struct, frozen=True):
    """A shard in its place."""

    shard: ShardRecords | MissingShard
    bases: Bases
    hosts: Sequence[str]  # as the run calls them: of several that have one name, all but the first have numbers


class Mounted(Struct, frozen=True):
    """All shards of a run."""

    places: Sequence[MountedShard]
    stop: Bases  # behind the last of them

    @classmethod
    def from_shards(cls, shards: Sequence[ShardRecords | MissingShard]) -> Mounted:
        """Shards in the order of their hosts; of one host in the order of the run."""
        bases, places, names = Bases(), list[MountedShard](), DistinctNames()
        for shard in sorted(shards, key=lambda shard: natural_key(next(iter(shard.names), ""))):
            places.append(MountedShard(shard, bases, [names.add(host) for host in shard.names]))
            bases = shard.next_bases(bases)
        return cls(places, bases)

    @property
    def tracks(self) -> int:
        """Count of track numbers, vacant ones included."""
        return self.stop.track

    def present(self) -> Iterator[tuple[ShardRecords, Bases, Sequence[str]]]:
        """Shards that are there, with their bases and hosts."""
        for place in self.places:
            if isinstance(place.shard, ShardRecords):
                yield place.shard, place.bases, place.hosts

    def missing(self) -> list[MissingShard]:
        """Shards that are not there."""
        return [place.shard for place in self.places if isinstance(place.shard, MissingShard)]
