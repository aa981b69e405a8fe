"""Records of trace-event files for an export that equals them."""

from __future__ import annotations

from collections.abc import Iterator

from tilescope.tiler.details.chunk import Chunk
from tilescope.tiler.pages import decompress
from tilescope.tiler.records.origins import ORIGINS, Origins
from tilescope.tiler.records.written_flows import WRITTEN_FLOW_ARGUMENTS, WRITTEN_FLOWS, WrittenFlows
from tilescope.tiler.store.store import Store, need


def origins(store: Store) -> Origins:
    """Origins of tracks in their files. Raises DamagedStore, StoredLast."""
    return Origins.decode(decompress(need(store, ORIGINS)))


def written_flows(store: Store, carrier: int, first: int) -> WrittenFlows | None:
    """The chunk of a carrier's flow ends that begins with number `first`; None where there is none."""
    chunk = store.get(WRITTEN_FLOWS, carrier, first)
    return None if chunk is None else WrittenFlows.decode(decompress(chunk), carrier)


def written_flow_arguments(store: Store, carrier: int, first: int, count: int) -> Iterator[bytes]:
    """The arguments of `count` flow ends of a carrier, from number `first` on, as their codec has them."""
    chunk: Chunk | None = None
    for number in range(first, first + count):
        if chunk is None or number >= chunk.stop:
            record = store.at_most(WRITTEN_FLOW_ARGUMENTS, carrier, number)
            chunk = None if record is None else Chunk.parse(decompress(record[1]), record[0][1])
        yield b"" if chunk is None else chunk.arguments(number)
