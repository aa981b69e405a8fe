"""Workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any, Final

from tilescope.tiler.errors import UsageError

_CONNECT_SECONDS: Final = 10
_RETRIES: Final = 2  # of a task whose worker raised an error

# Workers that are started with `--resources INDEX=1` index one shard at a time.
_RESOURCE: Final = "INDEX"


@contextmanager
def dask_executor(address: str) -> Iterator[Executor]:
    """The workers of the scheduler at `tcp://HOST:PORT` or `tls://HOST:PORT`, with certificates as Dask's settings say.

    Raises UsageError where the package is missing, or no scheduler answers.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise UsageError("--executor dask://… needs a package: pip install 'tilescope[dask]'") from error
    try:
        client = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise UsageError(f"{address}: no scheduler of Dask answers: {error}") from error
    with client:
        workers = client.scheduler_info(n_workers=-1)["workers"].values()
        options: dict[str, Any] = {"pure": False, "retries": _RETRIES}  # pure tasks would be answered from memory
        if any(_RESOURCE in worker.get("resources", {}) for worker in workers):
            options["resources"] = {_RESOURCE: 1}
        executor: Executor = client.get_executor(**options)
        try:
            yield executor
        finally:
            executor.shutdown(wait=False)  # cancels what has not begun
