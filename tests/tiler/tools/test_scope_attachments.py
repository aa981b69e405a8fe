"""How tools reach what a store keeps of a trace beside its events."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.tiler.readers import wire_writer as w
from tests.tiler.store.stored import built
from tilescope.tiler.details.typed_stats import Stat, StatType
from tilescope.tiler.query import QueryReader
from tilescope.tiler.tools import Scope


def test_contents_and_stats_by_the_name_of_events(tmp_path: Path) -> None:
    stats = w.message(5, w.number(1, 7), w.number(3, 1 << 63)), w.message(5, w.number(1, 7), w.number(3, 2))
    entries = w.event_metadata(1, "fusion", "", stats[0]), w.event_metadata(2, "fusion", "", stats[1])
    events = b"".join(w.message(4, w.number(1, key), w.number(2, 10_000 * key), w.number(3, 5000)) for key in (1, 2))
    line = w.message(3, w.data(2, "XLA Ops"), events)
    plane = w.message(1, w.data(2, "/device:TPU:0"), w.stat_metadata(7, "flops"), *entries, line)
    path = tmp_path / "h.xplane.pb"
    path.write_bytes(plane + w.message(1, w.data(2, "env"), w.message(6, w.number(1, 1), w.number(4, -3))))
    with built([path], tmp_path / "store") as run:
        scope = Scope(QueryReader(run))
        (entry,) = scope.attachments()
        assert entry.name == "plane/env/stats"
        assert len(b"".join(scope.attachment(entry))) == entry.size_bytes
        track = next(track.id for track in scope.reader.tree.tracks if track.name == "XLA Ops")
        tables = scope.event_metadata(track)
        assert tables is not None
        numbers = np.flatnonzero(tables.name == 0).tolist()  # two programs have an operation of this name
        assert [tables.stats(number) for number in numbers] == [
            [Stat("flops", StatType.UINT64, 1 << 63)],
            [Stat("flops", StatType.UINT64, 2)],
        ]
        rollup = next(track.id for track in scope.reader.tree.tracks if track.kind == "rollup")
        assert scope.event_metadata(rollup) is None
