"""Statistics of real traces against sums over their events."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from tests.corpus import corpus_path
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import EVERYTHING, QueryReader, finish
from tilescope.tiler.query.reading import Reading
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools.stats.summary import summary
from tilescope.tiler.windows import Windows, everywhere


@pytest.mark.parametrize(
    "name",
    [
        "kineto/resnet50_workers4.pt.trace.json.gz",
        "kineto/nccl_data.json.gz",
        "xplane/jax_cpu_pytracer_400steps.xplane.pb",
    ],
)
def test_every_figure_of_every_name(tmp_path: Path, name: str) -> None:
    build_store([corpus_path(name)], tmp_path / "s")
    store = open_run_store(tmp_path / "s")
    reader = QueryReader(store)
    plans = [
        reader.plan(track, EVERYTHING) for track in reader.tree.leaves(None) if reader.tree.tracks[track].events != 0
    ]
    parts = [part for plan in plans for part in Reading(reader).events(plan, plan.leaf_runs)]
    start, duration, names = (
        np.concatenate([getattr(part, column) for part in parts]) for column in ("start", "duration", "name")
    )
    rng = random.Random(1)
    spans = [(0, reader.end + 1), *(sorted(rng.sample(range(reader.end), 2)) for _ in range(3))]
    for first, stop in spans:
        found = finish(summary(reader, everywhere(Windows.single(first, stop)), None, 100_000)).rows
        rows = found.histogram
        inside = (start >= first) & (start < stop)
        overlap = np.maximum(np.minimum(start + duration, stop) - np.maximum(start, first), 0)
        assert set(names[inside | (overlap > 0)].tolist()) == set(rows.name.tolist())
        for row, of in enumerate(rows.name.tolist()):
            lengths = np.sort(duration[(names == of) & inside])
            n = len(lengths)
            assert rows.count[row] == n
            assert rows.busy[row] == overlap[names == of].sum()
            assert rows.duration[row] == lengths.sum()
            assert (rows.shortest[row], rows.longest[row]) == ((lengths[0], lengths[-1]) if n else (0, 0))
            for per_cent, quantile in ((50, found.median[row]), (99, found.tail[row])):
                exact = int(lengths[-(-n * per_cent // 100) - 1]) if n else 0
                assert abs(int(quantile) - exact) * 100 <= exact
    store.close()
