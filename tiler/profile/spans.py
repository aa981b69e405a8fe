"""Spans of this program's own work: which thread was in which stage, worked without Python's lock, or waited.

Code marks them with `stage`, `unlocked` and `waiting`, which do nothing unless a profile is recorded.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import wraps
from typing import Final, Literal, NamedTuple, ParamSpec, TypeVar

# A stage and a call have Python's lock, or wait for it unseen; the others are without.
SpanKind = Literal["stage", "call", "unlocked", "wait"]

MOST_SPANS: Final = 1 << 20  # of 200 bytes; more are counted only

_P = ParamSpec("_P")
_Result = TypeVar("_Result")


class ProfileSpan(NamedTuple):
    """From when to when a thread was in something. Those of a thread lie within each other or apart."""

    thread: int  # as `threading.get_ident`
    kind: SpanKind
    name: str
    begin_ns: int  # of `time.monotonic_ns`
    end_ns: int
    cpu_ns: int  # processor time of the thread; -1: not measured


class WorkProfile:
    """Spans of all threads, by when they ended, and the names of these threads."""

    def __init__(self) -> None:
        self.spans: list[ProfileSpan] = []
        self.dropped = 0
        self.threads: dict[int, str] = {}
        self.begin_ns = time.monotonic_ns()
        self.end_ns = self.begin_ns

    def add(self, span: ProfileSpan) -> None:
        """Keeps a span, as long as there is room for more."""
        if len(self.spans) >= MOST_SPANS:
            self.dropped += 1
            return
        if span.thread not in self.threads and span.thread == threading.get_ident():
            self.threads[span.thread] = threading.current_thread().name
        self.spans.append(span)


class _Timed:
    """A span that is measured."""

    __slots__ = ("_begin_ns", "_cpu_ns", "_kind", "_name", "_profile")

    def __init__(self, profile: WorkProfile, kind: SpanKind, name: str) -> None:
        self._profile = profile
        self._kind: SpanKind = kind
        self._name = name

    def __enter__(self) -> None:
        self._begin_ns, self._cpu_ns = time.monotonic_ns(), time.thread_time_ns()

    def __exit__(self, *_: object) -> None:
        cpu_ns, end_ns = time.thread_time_ns() - self._cpu_ns, time.monotonic_ns()
        thread = threading.get_ident()
        self._profile.add(ProfileSpan(thread, self._kind, self._name, self._begin_ns, end_ns, cpu_ns))


_UNRECORDED: Final = nullcontext()
_current: WorkProfile | None = None


def stage(name: str) -> AbstractContextManager[None]:
    """The block is a stage of the work; within another stage it counts for itself."""
    return _timed("stage", name)


def unlocked(name: str) -> AbstractContextManager[None]:
    """The block gives Python's lock up for nearly all of its time."""
    return _timed("unlocked", name)


def waiting(name: str) -> AbstractContextManager[None]:
    """The block waits, for a lock or for other threads."""
    return _timed("wait", name)


def called(name: str, function: Callable[_P, _Result]) -> Callable[_P, _Result]:
    """Returns the function with its calls as spans."""

    @wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _Result:
        with _timed("call", name):
            return function(*args, **kwargs)

    return call


def staged(name: str, function: Callable[_P, _Result]) -> Callable[_P, _Result]:
    """Returns the function with its calls as a stage; the function itself while nothing is recorded."""
    if _current is None:
        return function

    def call(*args: _P.args, **kwargs: _P.kwargs) -> _Result:
        with stage(name):
            return function(*args, **kwargs)

    return call


@contextmanager
def recording(profile: WorkProfile) -> Iterator[None]:
    """Records all threads of this process within the block. Raises RuntimeError within another such block."""
    global _current
    if _current is not None:
        raise RuntimeError("a profile is recorded already")
    _current = profile
    try:
        yield
    finally:
        _current = None
        profile.end_ns = time.monotonic_ns()


def _timed(kind: SpanKind, name: str) -> AbstractContextManager[None]:
    return _UNRECORDED if _current is None else _Timed(_current, kind, name)
