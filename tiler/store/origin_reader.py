"""What a store keeps of its trace-event files for an export that equals them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tilescope.tiler.details.chunk import Chunk
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import decompress
from tilescope.tiler.records.origins import ORIGINS, Origins
from tilescope.tiler.records.written_flows import WRITTEN_FLOW_ARGUMENTS, WRITTEN_FLOWS, WrittenFlows
from tilescope.tiler.store.lmdb_reader import LmdbReader


class OriginReader:
    """Reads each record when it is asked for. All methods raise DamagedStore."""

    def __init__(self, data: LmdbReader, path: Path) -> None:
        self._data = data
        self._path = path

    def all(self) -> Origins:
        """Where tracks come from."""
        record = self._data.get(ORIGINS.key())
        if record is None:
            raise DamagedStore(f"{self._path}: the origins of tracks are missing (index the trace again)")
        return Origins.decode(decompress(record))

    def flows(self, carrier: int, first: int) -> WrittenFlows | None:
        """The chunk of a carrier's flow ends that begins with number `first`; None: there is none."""
        chunk = self._data.get(WRITTEN_FLOWS.key(carrier, first))
        return None if chunk is None else WrittenFlows.decode(decompress(chunk), carrier)

    def flow_args(self, carrier: int, first: int, count: int) -> Iterator[bytes]:
        """The arguments of so many flow ends of a carrier, from number `first` on, as their codec has them."""
        prefix = WRITTEN_FLOW_ARGUMENTS.prefix(carrier)
        chunk: Chunk | None = None
        for number in range(first, first + count):
            if chunk is None or number >= chunk.stop:
                found = self._data.last_at_most(WRITTEN_FLOW_ARGUMENTS.key(carrier, number), prefix)
                chunk = (
                    None
                    if found is None
                    else Chunk.parse(decompress(found[1]), WRITTEN_FLOW_ARGUMENTS.numbers_in(found[0])[1])
                )
            yield b"" if chunk is None else chunk.of(number)
