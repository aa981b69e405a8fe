"""The process that answers questions: it takes a turn at a time, as `workers` says.

A process of its own, because Python lets one thread run at a time: a question beside the event loop would make every
page wait. It opens stores by itself.
"""

from __future__ import annotations

import logging
import os
import pickle
import signal
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from multiprocessing import parent_process
from pathlib import Path
from typing import Any, Final

from tilescope.server.errors import QuestionFailed, message_of
from tilescope.tiler.caches import CACHES, DEFAULT_LIMIT_BYTES, CacheSize
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.store.store import Store
from tilescope.tiler.store.validation import must_make_sense
from tilescope.tiler.system import give_way
from tilescope.tiler.work_rules import NO_WORK_RULES, WorkRules

TURN_S: Final = 0.05  # after so long, another question has its turn
NICENESS: Final = 5  # who looks at pages comes first
KEPT_STORES: Final = 2  # open for the next question, though nobody asks anything of them

_log: Final = logging.getLogger(__name__)

Task = Callable[..., Interruptible[Any]]  # of the readers of all its sources


@dataclass(frozen=True, slots=True)
class BuildSource:
    """A build, and what opens it; to be pickled.

    One that `is_growing` is opened for questions of its time alone: once it is published, it is another source.
    """

    path: Path
    build: str
    opener: Callable[[Path, str], Store]
    work_rules: WorkRules = NO_WORK_RULES
    is_growing: bool = False


@dataclass(frozen=True, slots=True)
class PickledQuestion:
    """Something to be answered from a build, and perhaps further ones; to be pickled."""

    sources: tuple[BuildSource, ...]
    task: Task


@dataclass(frozen=True, slots=True)
class TurnTaken:
    """Result of one turn."""

    is_answered: bool
    answer: Any = None
    caches: Sequence[CacheSize] | None = None  # of this process, with each answer; None: unknown


@dataclass(slots=True)
class _Entry:
    """One open build: opened once, however many questions there are about it."""

    store: Store
    reader: QueryReader
    users: int = 0


_Place = tuple[Path, str, WorkRules, bool]


def _place(source: BuildSource) -> _Place:
    return source.path, source.build, source.work_rules, source.is_growing


class _OpenBuilds:
    def __init__(self) -> None:
        self._entries: dict[_Place, _Entry] = {}  # least recently used first

    def begin(self, source: BuildSource) -> QueryReader:
        place = _place(source)
        entry = self._entries.pop(place, None)
        if entry is None:
            store = source.opener(source.path, source.build)
            try:
                entry = _Entry(store, QueryReader(store, source.work_rules))
            except BaseException:  # of a damaged one
                store.close()
                raise
        elif source.is_growing:
            entry.reader = QueryReader(entry.store, source.work_rules)
        entry.users += 1
        self._entries[place] = entry
        return entry.reader

    def end(self, source: BuildSource) -> None:
        self._entries[_place(source)].users -= 1
        unused = [place for place, entry in self._entries.items() if not entry.users]
        for place in unused:
            is_growing = place[-1]
            if is_growing or place in unused[:-KEPT_STORES]:
                self._entries.pop(place).store.close()


_builds = _OpenBuilds()
_begun: dict[int, tuple[ExitStack, Interruptible[Any]]] = {}  # and what has the builds closed


def set_up(cache_bytes: int = DEFAULT_LIMIT_BYTES) -> None:
    """Prepares the process: Ctrl-C and SIGTERM are for the server, which ends it, as the server's own end does.

    `cache_bytes` is the limit of its caches.
    """
    CACHES.limit_bytes = cache_bytes
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # of who ends a whole service
    give_way(NICENESS)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def take_turn(number: int, question: PickledQuestion) -> TurnTaken:
    """Begins a question, or goes on with it. Raises what the task raises: then it is over."""
    until = time.monotonic() + TURN_S
    try:
        with must_make_sense(", ".join(source.path.name for source in question.sources)):
            if number not in _begun:
                _begun[number] = _begin(question)
            _, steps = _begun[number]
            while True:
                next(steps)
                if time.monotonic() >= until:
                    return TurnTaken(is_answered=False)
    except StopIteration as end:
        drop(number)
        return TurnTaken(is_answered=True, answer=end.value, caches=_cache_sizes())
    except Exception as error:
        drop(number)
        raise _portable(error) from None


def drop(number: int) -> None:
    """The question is over, or nobody waits for it any more."""
    if number in _begun:
        builds, steps = _begun.pop(number)
        with builds, suppress(Exception):  # of a stranger's tool that does not let go
            steps.close()


def _cache_sizes() -> Sequence[CacheSize] | None:
    """Sizes of the caches of this process; None where a cache cannot say its size: answers do not wait for metrics."""
    try:
        return CACHES.sizes()
    except Exception:
        _log.warning("the sizes of caches are not known", exc_info=True)
        return None


def _begin(question: PickledQuestion) -> tuple[ExitStack, Interruptible[Any]]:
    with ExitStack() as builds:
        readers = []
        for source in question.sources:
            readers.append(_builds.begin(source))
            builds.callback(_builds.end, source)
        return builds.pop_all(), question.task(*readers)


def _portable(error: Exception) -> Exception:
    """The error, if it arrives whole at the other end of a pipe."""
    try:
        if str(pickle.loads(pickle.dumps(error))) == str(error):
            return error
    except Exception as failure:
        error.add_note(f"it cannot be pickled: {failure}")
    return QuestionFailed(message_of(error))


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
