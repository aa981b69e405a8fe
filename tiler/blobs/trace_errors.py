"""Errors of blobs as errors of the trace that lies there: readers of traces know no others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tilescope.tiler.errors import BlobChanged, BlobError, ChangedTrace, TraceError


@contextmanager
def trace_errors(path: Path) -> Iterator[None]:
    """Within the block a `BlobError` is a `TraceError` of this path, BlobChanged a ChangedTrace."""
    try:
        yield
    except BlobChanged as error:
        raise ChangedTrace(path) from error
    except BlobError as error:
        raise TraceError(path, error.problem, offset=error.offset, advice=error.advice) from error
