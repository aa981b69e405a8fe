"""Addresses of executors, as people name them."""

from __future__ import annotations

import re
from functools import partial
from typing import Final

from tilescope.executors.dask_cluster import dask_executor
from tilescope.executors.mpi import mpi_executor
from tilescope.executors.named_object import named_executor
from tilescope.executors.processes import process_pool
from tilescope.tiler.errors import UsageError
from tilescope.tiler.shards.opened_executor import OpenExecutor

FORMS: Final = "processes, dask://HOST:PORT, dask+tls://HOST:PORT, mpi or MODULE:OBJECT"

_DASK: Final = re.compile(r"dask(\+tls)?://([\w.-]+|\[[0-9a-fA-F:.]+\]):(\d{1,5})")
_OBJECT: Final = re.compile(r"[\w.]+:[\w.]+")


def open_executor(address: str, jobs: int, memory_bytes: int) -> OpenExecutor:
    """Returns what opens the executor at an address; `jobs` is the number of workers, where that is ours to say.

    `memory_bytes` is what each worker may take for a shard. Raises UsageError for an address that is none.
    """
    if address == "processes":
        return partial(process_pool, jobs, memory_bytes)
    if address == "mpi":
        return mpi_executor
    if match := _DASK.fullmatch(address):
        return partial(dask_executor, f"{'tls' if match[1] else 'tcp'}://{match[2]}:{match[3]}")
    if _OBJECT.fullmatch(address):
        return partial(named_executor, address)
    raise UsageError(f"--executor {address!r:.200}: is none of {FORMS}")
