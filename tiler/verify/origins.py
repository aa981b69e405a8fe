"""Origins of tracks: for each file and track, and flow ends as files have them, as many as were read."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tilescope.tiler.columns import Phase
from tilescope.tiler.details.chunk import count_of
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.lookup.origins import origins as stored_origins
from tilescope.tiler.records.record import Record
from tilescope.tiler.records.written_flows import WRITTEN_FLOW_ARGUMENTS, WRITTEN_FLOWS, WrittenFlows
from tilescope.tiler.store.store import Store, unexpected
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.verify.catalogue import Catalogue
from tilescope.tiler.verify.page_reader import inflate
from tilescope.tiler.verify.prover import Take
from tilescope.tiler.verify.report import Tally


class OriginCheck:
    """Takes the chunks of all carriers in the order of their keys."""

    def __init__(self, store: Store, catalogue: Catalogue, tally: Tally) -> None:
        """Raises DamagedStore when the record does not fit to the track tree."""
        self._catalogue = catalogue
        self._tally = tally
        origins = stored_origins(store)
        self._carriers = origins.carriers
        if (len(origins.files), len(origins.tracks)) != (len(catalogue.files), len(catalogue.tracks)):
            raise self._error(f"there are origins of {len(origins.files)} files and {len(origins.tracks)} tracks")
        for number, carrier in enumerate(self._carriers):
            if not 0 <= carrier.file < len(catalogue.files) or not -1 <= carrier.track < len(catalogue.tracks):
                raise self._error(f"carrier {number} is of a file or track that is not there")
        ends, counted = sum(carrier.ends for carrier in self._carriers), catalogue.counts["flow_ends"]
        if None not in origins.files and ends != counted:
            raise self._error(f"carriers have {ends} flow ends, the manifest says {counted}")
        self._seen = [0] * len(self._carriers)  # flow ends so far
        self._args = [0] * len(self._carriers)  # of which arguments were seen
        self._tick = [-TICK_LIMIT] * len(self._carriers)  # of the last flow end

    @property
    def takes(self) -> Mapping[Record, Take]:
        """Its kinds of records."""
        return {WRITTEN_FLOW_ARGUMENTS: self.take_args, WRITTEN_FLOWS: self.take}

    def take(self, key: bytes, value: bytes) -> None:
        """The next chunk of flow ends. Raises DamagedStore."""
        carrier = self._take(key, WRITTEN_FLOWS, self._seen, "flow ends")
        flows = WrittenFlows.decode(inflate(value), carrier)
        # Those that no slice has may be beside the run.
        ticks = np.diff(flows.tick, prepend=self._tick[carrier])
        phases = (flows.phase >= Phase.FLOW_START) & (flows.phase <= Phase.FLOW_END)
        names = (flows.name >= -1) & (flows.name < self._catalogue.names)
        if (ticks < 0).any() or not phases.all() or not names.all() or int(flows.tick[-1]) >= TICK_LIMIT:
            raise self._error(f"carrier {carrier}: flow ends from number {self._seen[carrier]} on cannot be")
        self._tick[carrier] = int(flows.tick[-1])
        self._seen[carrier] += len(flows)
        self._tally["written_flow_ends"] += len(flows)

    def take_args(self, key: bytes, value: bytes) -> None:
        """The next chunk of arguments of flow ends. Raises DamagedStore."""
        carrier = self._take(key, WRITTEN_FLOW_ARGUMENTS, self._args, "arguments of flow ends")
        count = count_of(inflate(value))
        if not count:
            raise self._error(f"carrier {carrier}: arguments from number {self._args[carrier]} on are damaged")
        self._args[carrier] += count

    def finish(self) -> None:
        """All chunks have been taken. Raises DamagedStore."""
        for number, carrier in enumerate(self._carriers):
            counted, expected = (self._seen[number], self._args[number]), (carrier.ends, carrier.args)
            if counted != expected:
                ends, args = counted
                what = f"{ends} flow ends and arguments of {args}, at ingest {carrier.ends} and {carrier.args}"
                raise self._error(f"carrier {number}: there are {what}")

    def _take(self, key: bytes, record: Record, seen: list[int], what: str) -> int:
        """The carrier of a key, if it is that of the next chunk."""
        carrier, _ = record.numbers_in(key)
        if carrier >= len(self._carriers):
            raise unexpected(self._catalogue.location, key)
        if key != record.key(carrier, seen[carrier]):
            raise self._error(f"carrier {carrier}: {what} from number {seen[carrier]} on are missing")
        return carrier

    def _error(self, what: str) -> DamagedStore:
        return DamagedStore(f"{self._catalogue.location}: {what}")
