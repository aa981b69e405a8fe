"""Times of searches in call stacks, of a run in which each event has one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from bench.answer_work import Subject, Timed, Work
from bench.stack_run import StackShape

SHAPE, QUICK_SHAPE = StackShape(), StackShape(events=20_000, stacks=200)

_WORDS = (
    *(
        "resnet.py",
        "conv",
        "torch/optim",
        "train/",
        "e",
        "attention_7",
        "loader.py",
        "adam",
        "linear.py(5",
        "is nowhere",
    ),
    *("models/loss", "batchnorm", "pool_3", "data/", "embedding.py", ".py", "aten", "nn/modules", "o", "resnet_12"),
)


def _kinds(subject: Subject, count: int) -> Iterator[Timed]:
    """Counts of names, of events with words in arguments and stacks, and of tracks: what the search shows."""
    for k in range(count):
        yield partial(subject.ask, "search", query=_WORDS[k], kinds=True, limit=0)


ROWS = (Work("words in names, call stacks and tracks: counts, whole run", 300, None, _kinds, len(_WORDS), 0.95),)
