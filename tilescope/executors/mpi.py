"""Ranks of an MPI job: `mpiexec -n 9 python -m mpi4py.futures -m tilescope index … --executor mpi`."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from tilescope.tiler.errors import UsageError


@contextmanager
def mpi_executor() -> Iterator[Executor]:
    """All ranks but the first, on which the command runs. Raises UsageError where the package is missing."""
    try:
        from mpi4py.futures import MPIPoolExecutor
    except (ImportError, RuntimeError) as error:  # of the package, or of the library of MPI
        raise UsageError(f"--executor mpi needs mpi4py and a library of MPI: {error}") from error
    executor: Executor = MPIPoolExecutor(main=False)  # workers would run the command, too
    try:
        yield executor
    finally:
        executor.shutdown(wait=True, cancel_futures=True)  # tasks that are left end: their session is over
