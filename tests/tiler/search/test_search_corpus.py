"""Searches of all real traces against a look through all of their events."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.corpus import corpus_manifest, corpus_path
from tilescope.tiler.errors import TraceError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import EVERYTHING, Events, QueryReader, finish
from tilescope.tiler.query.reading import Reading
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.search.bins import density
from tilescope.tiler.search.hits import Hits, page_of_hits
from tilescope.tiler.search.language import parse
from tilescope.tiler.search.selection import select
from tilescope.tiler.search.totals import totals
from tilescope.tiler.store import open_run_store
from tilescope.tiler.windows import Windows, everywhere

pytestmark = pytest.mark.slow

Ints = NDArray[np.int64]

# Folders with traces that are damaged on purpose, or of a format that is not read.
_UNREADABLE: Final = ("invalid/", "perfetto/")

# Hits that are walked through, a page of so many at a time, there and back.
_WALKED: Final = 4000
_PAGE: Final = 1500


@dataclass(frozen=True)
class All:
    """All slices of a run."""

    reader: QueryReader
    track: Ints
    ordinal: Ints
    start: Ints
    duration: Ints
    name: Ints

    @classmethod
    def of(cls, reader: QueryReader) -> All:
        """Track by track, from the leaves; no search takes this way."""
        parts: list[Events] = []
        for number in reader.tree.leaves(None):
            if reader.tree.tracks[number].events != 0:
                plan = reader.plan(number, EVERYTHING)
                parts += Reading(reader).events(plan, plan.leaf_runs)
        none = np.zeros(0, np.int64)
        columns = [
            np.concatenate([none, *(getattr(part, column) for part in parts)])
            for column in ("ordinal", "start", "duration", "name")
        ]
        track = np.concatenate([none, *(np.full(len(part), part.track) for part in parts)])
        return cls(reader, track, *columns)

    def named(self, matches: Callable[[str], object]) -> NDArray[np.bool_]:
        """Which of them have a name that matches."""
        ids, inverse = np.unique(self.name, return_inverse=True)
        found = np.array([bool(matches(self.reader.names[name].text)) for name in ids.tolist()], np.bool_)
        return found[inverse] if len(ids) else np.zeros(0, np.bool_)


def queries(of: All, rng: random.Random) -> list[tuple[str, NDArray[np.bool_]]]:
    """What is asked of a run, by what it holds; and which of its slices that is."""
    texts = [of.reader.names[name].text for name in of.name.tolist()]
    often = Counter(texts).most_common(1)[0][0]
    other = rng.choice(texts)
    part = re.sub(r"[^\w]", "", other)[1:4].lower() or "e"
    at_least = int(np.median(of.duration))
    tick_ps = int(of.reader.store.manifest()["tick_ps"])
    quoted = '"' + often.replace("\\", "\\\\").replace('"', '\\"') + '"'
    asked: list[tuple[str, NDArray[np.bool_]]] = [
        (part, of.named(lambda text: part in text.casefold())),
        (f"/^[^{part}]*.{{2,9}}$/", of.named(re.compile(f"^[^{part}]*.{{2,9}}$", re.DOTALL).search)),
        (f"dur>={at_least * tick_ps}ps", of.duration >= at_least),
        (
            f"{part} dur<{at_least * tick_ps}ps",
            of.named(lambda text: part in text.casefold()) & (of.duration < at_least),
        ),
    ]
    if len(often) < 400 and often.isprintable():
        asked.append((quoted, of.named(often.__eq__)))
    return [(query, found) for query, found in asked if "\n" not in "".join(texts) or not query.startswith("/")]


@pytest.mark.parametrize("name", sorted(corpus_manifest()) or ["kineto/nccl_data.json.gz"])
def test_searches_find_what_a_look_through_all_events_finds(tmp_path: Path, name: str) -> None:
    path = corpus_path(name)
    try:
        build_store([path], tmp_path / "s")
    except TraceError as error:
        if not name.startswith(_UNREADABLE):
            raise
        pytest.skip(f"it cannot be indexed: {error}")
    store = open_run_store(tmp_path / "s")
    of = All.of(QueryReader(store))
    if len(of.start):
        rng = random.Random(len(of.start))
        for query, chosen in queries(of, rng):
            middle = rng.randrange(of.reader.end + 1)
            for first, stop in ((0, of.reader.end + 1), (middle // 2, middle + 1)):
                check(of, query, chosen, first, stop)
    store.close()


def check(of: All, query: str, chosen: NDArray[np.bool_], first: int, stop: int) -> None:
    """Holds totals, hits there and back, and density of a span against all events."""
    reader = of.reader
    selection = finish(select(reader, parse(query), reader.tree.leaves(None)))
    windows = everywhere(Windows.single(first, stop))
    starts = chosen & (of.start >= first) & (of.start < stop)
    ticks = np.where(chosen, np.minimum(of.start + of.duration, stop) - np.maximum(of.start, first), 0).clip(0)

    found = finish(totals(reader, selection, windows))
    ids, inverse = np.unique(of.name, return_inverse=True)
    counts = np.bincount(inverse, starts, len(ids)).astype(np.int64)
    busy = np.zeros(len(ids), object)
    np.add.at(busy, inverse, ticks.astype(object))
    wanted = {name: (n, b) for name, n, b in zip(ids.tolist(), counts.tolist(), busy.tolist(), strict=True) if n or b}
    told = zip(found.name.tolist(), zip(found.count.tolist(), found.busy.tolist(), strict=True), strict=True)
    assert dict(told) == wanted, query

    at = np.flatnonzero(starts)
    order = at[np.lexsort((of.ordinal[at], of.track[at], of.start[at]))]
    places = np.stack((of.start[order], of.track[order], of.ordinal[order], of.duration[order], of.name[order]))
    for backward in (False, True):
        expected = places[:, ::-1] if backward else places
        after = None
        walked = 0
        while walked < _WALKED:
            page = finish(page_of_hits(reader, selection, windows, _PAGE, after, backward=backward))
            assert np.array_equal(columns(page.hits), expected[:, walked : walked + _PAGE]), query
            walked += len(page.hits)
            after = page.more
            if after is None:
                assert walked == len(order)
                break

    level = max(0, ((stop - first).bit_length() + 1) // 2 - 4)
    bins = finish(density(reader, selection, TickRange(first, stop), level))
    left, right = first >> (2 * level) << (2 * level), (max(stop - 1, first) >> (2 * level)) + 1 << (2 * level)
    whole = chosen & (of.start >= left) & (of.start < right)
    keys = np.stack((of.track[whole], of.start[whole] >> (2 * level) << (2 * level)))
    wanted_bins, n = np.unique(keys, axis=1, return_counts=True)
    some = bins.count > 0
    assert np.array_equal(np.stack((bins.track, bins.start))[:, some], wanted_bins), query
    assert bins.count[some].tolist() == n.tolist()
    inside = np.where(chosen, np.minimum(of.start + of.duration, right) - np.maximum(of.start, left), 0).clip(0)
    assert sum(bins.busy.tolist()) == sum(inside.tolist())


def columns(hits: Hits) -> NDArray[Any]:
    """As `check` has them."""
    return np.stack((hits.start, hits.track, hits.ordinal, hits.duration, hits.name))
