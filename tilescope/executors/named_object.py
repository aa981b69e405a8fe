"""An executor that somebody else has made, by its module and name."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from functools import reduce
from importlib import import_module

from tilescope.tiler.errors import UsageError


@contextmanager
def named_executor(name: str) -> Iterator[Executor]:
    """The executor `MODULE:OBJECT`, or what that returns when it is called. Raises UsageError."""
    module, _, path = name.partition(":")
    try:
        value: object = reduce(getattr, path.split("."), import_module(module))
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(f"--executor {name}: cannot be imported: {error}") from error
    executor = value() if callable(value) and not isinstance(value, Executor) else value
    if not isinstance(executor, Executor):
        kind = type(executor).__name__
        raise UsageError(f"--executor {name}: is no concurrent.futures.Executor, nor makes one: it is a {kind}")
    try:
        yield executor
    finally:
        executor.shutdown(wait=False)  # tasks that are left end by themselves: their session is over
