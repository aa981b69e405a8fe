"""Times of searches."""

from __future__ import annotations

import importlib
import itertools
import random
from collections.abc import Iterator
from functools import partial

import tilescope
from bench.answer_work import Subject, Timed, Work
from bench.viewports import random_viewports
from tilescope.tiler.tools import Tracks, values_of

_QUERIES = ("fusion", "all-reduce", "/copy.*1/", "fusion dur>100us", "dur>1ms")

_WORDS = (
    *("resnet.py", "fusion", "convolution", "e", "jit", "all-reduce", "python", "xla", "output fusion", "TPU"),
    *("copy", "dot", "transpose", "layer", "forward", "gradient", "bf16", "train.py", "o", "is nowhere"),
)


def totals(subject: Subject, count: int) -> Iterator[Timed]:
    """Totals of the whole run, then of spans anywhere, from a few microseconds to the whole run."""
    ask = partial(subject.ask, "search", query="fusion", limit=0)
    yield partial(ask)
    for viewport in itertools.islice(random_viewports(subject.reader, seed=11), count - 1):
        yield partial(ask, start=viewport.start, end=viewport.end)


def _steps(subject: Subject, count: int) -> Iterator[Timed]:
    """The next hit or the one before, of several queries, from anywhere."""
    draw = random.Random(7)
    for k in range(count):
        place = f"{draw.randrange(subject.reader.end)},{draw.randrange(100)},0"
        yield partial(
            subject.ask,
            "search",
            query=_QUERIES[k // 2 % len(_QUERIES)],
            limit=1,
            totals=False,
            after=place,
            backward=k % 2 == 1,
        )


def _overlays(subject: Subject, count: int) -> Iterator[Timed]:
    for viewport in itertools.islice(random_viewports(subject.reader, seed=13), count):
        yield partial(
            subject.ask,
            "hit_bins",
            query="fusion",
            start=viewport.start,
            end=viewport.end,
            tracks=Tracks.from_numbers(viewport.tracks),
            px=400,
        )


def _arguments(subject: Subject, count: int) -> Iterator[Timed]:
    for k in range(count):
        yield partial(subject.ask, "search", query=f"arg:flops>{1000 + k}", totals=False, after=f"{k * 997},0,0")


def _kinds(subject: Subject, count: int) -> Iterator[Timed]:
    """Counts of events with words in their arguments, and on tracks and in processes that are called so."""
    for k in range(count):
        yield partial(subject.ask, "search", query=_WORDS[k], kinds=True, totals=False, limit=0)


def _all_of_a_name(subject: Subject, count: int) -> Iterator[Timed]:
    """Every hit of the name that has most, as a table of pandas: of the client, which opens the store anew.

    Half a second in which pandas is imported is not in it.
    """
    importlib.import_module("pandas")
    names = subject.ask("search", query="/./", limit=0).table("names")
    counts, texts = (values_of(names.column(column)) for column in ("count", "name"))
    text = str(max(zip(counts, texts, strict=True), key=lambda row: int(row[0] or 0))[1])

    def find() -> object:
        with tilescope.connect(subject.path) as client:
            return client.run().find(text, match="exact", limit=None).to_pandas()

    yield from itertools.repeat(find, count)


ROWS = (
    Work("search `fusion`: count, total time, names, any range", 50, 20, totals),
    Work("next or previous hit from anywhere", 20, 5, _steps),
    Work("hit overlay, viewports of 50 tracks on 400 bins", 50, 20, _overlays),
    Work("words in all arguments, track and process names: counts, whole run", 300, None, _kinds, len(_WORDS), 0.95),
    Work("first hits of an argument", 300, None, _arguments, 20),
    Work("all hits of the most frequent name to pandas", 1500, 500, _all_of_a_name, 5),
)
