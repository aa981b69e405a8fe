"""One trial: a mutant is indexed, the store is proved and read back."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.damaged_stores import damage
from tests.fuzz.wrapping import write_mutant
from tilescope.tiler.errors import TilescopeError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.readers import discover
from tilescope.tiler.store import open_run_store
from tilescope.tiler.store.validation import must_make_sense
from tilescope.tiler.tools.find.search import FindQuery, find
from tilescope.tiler.tools.stats.summary import summary
from tilescope.tiler.verify import verify_store
from tilescope.tiler.windows import Windows, everywhere

# Small budgets reach scratch files; the usual one is what people have.
_MEMORY_BYTES = (1 << 30, 1 << 30, 1 << 20, 50_000)
_EVENTS_LOOKED_AT = 200
_LONGEST_MESSAGE = 1000

# Of the stores that are proved, some are damaged, and read again, so many times.
_DAMAGED_STORES = 0.3
_COPIES = 4


class Finding(Exception):
    """A promise that was not kept."""


class MissingEvent(Finding):
    """An event that the track tree counts, and that nobody finds."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a mutant."""

    events: int  # on tracks
    refusal: str = ""


def run_trial(seed: int, folder: Path) -> Outcome:
    """Raises whatever should not be: anything but a refusal in one line, or a store that proves."""
    path = write_mutant(seed, folder)
    rng = random.Random(seed + 1)
    before = sorted(folder.iterdir())
    store = folder / "store"
    try:
        runs = discover(path)
        if not runs:
            return Outcome(0, "no run")
        build_store(runs[0].files, store, memory_bytes=rng.choice(_MEMORY_BYTES), workers=rng.choice((1, 1, 2)))
    except TilescopeError as error:
        message = str(error)
        if "\n" in message or len(message) > _LONGEST_MESSAGE:
            raise Finding(f"not one line: {message!r}") from error
        if sorted(folder.iterdir()) != before:
            raise Finding(f"left behind: {sorted(folder.iterdir())}") from error
        return Outcome(0, message)
    verify_store(store)
    left = sorted(entry.name for entry in store.iterdir() if entry.name.endswith(".part"))
    if left:
        raise Finding(f"left behind: {left}")
    events = _read_back(rng, store)
    if rng.random() < _DAMAGED_STORES:
        _read_damaged(rng, store, folder)
    return Outcome(events)


def _read_damaged(rng: random.Random, store: Path, folder: Path) -> None:
    """Whoever reads a store that is damaged gets answers, or one line."""
    for copy in range(_COPIES):
        path = damage(rng, store, folder / f"damaged{copy}")
        for read in (verify_store, lambda path: _read_back(rng, path)):
            try:
                with must_make_sense(path):  # as the command line and the server do
                    read(path)
            except TilescopeError as error:
                if "\n" in str(error):
                    raise Finding(f"not one line: {str(error)!r}") from error
            except MissingEvent:
                pass  # two records that disagree: it takes a verification to tell


def _read_back(rng: random.Random, path: Path) -> int:
    """Asks what a viewer asks; the number of events on tracks."""
    store = open_run_store(path)
    try:
        reader = QueryReader(store)
        everything = everywhere(Windows.single(0, max(1, reader.end)))
        finish(summary(reader, everything, None, 50))
        finish(find(reader, FindQuery("op", everything)))
        events = 0
        for number, track in enumerate(reader.tree.tracks):
            count = track.events
            if track.kind == "rollup" or not count:
                continue
            events += count
            for ordinal in rng.sample(range(count), min(count, _EVENTS_LOOKED_AT // len(reader.tree.tracks) + 1)):
                if event_details(store, number, ordinal) is None:
                    raise MissingEvent(f"track {number} has no event {ordinal} of {count}")
        return events
    finally:
        store.close()
