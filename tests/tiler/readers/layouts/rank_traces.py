"""Traces as the ranks of a PyTorch job write them, small ones."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

BASE_NS = 1_790_857_026_000_000_000
FIRST_US = 4_893_814_509_881


def rank_trace(
    rank: int | None,
    world_size: int | None = 2,
    *,
    at_s: float = 0,
    groups: list[dict[str, Any]] | None = None,
    distributed: object = None,
    duration_us: int = 1000,
) -> bytes:
    """A trace of one kernel; `at_s`: when it begins, from the first one of all."""
    info: dict[str, Any] = {"backend": "nccl"}
    info |= {} if rank is None else {"rank": rank}
    info |= {} if world_size is None else {"world_size": world_size}
    info |= {} if groups is None else {"pg_count": len(groups), "pg_config": groups}
    head: dict[str, Any] = {"schemaVersion": 1}
    if distributed is not None:
        head["distributedInfo"] = distributed
    elif rank is not None or world_size is not None:
        head["distributedInfo"] = info
    head["baseTimeNanoseconds"] = BASE_NS
    event = {"ph": "X", "cat": "kernel", "name": "k", "pid": 3, "tid": 7, "ts": FIRST_US + at_s * 1e6}
    event |= {"dur": duration_us, "args": {"device": 3, "stream": 7}}
    label = {"ph": "M", "name": "process_labels", "pid": 3, "tid": 0, "args": {"labels": "GPU 3"}}
    return json.dumps(head | {"traceEvents": [event, label]}).encode()


def group(name: str, *ranks: int, description: str = "") -> dict[str, Any]:
    """A process group as `pg_config` has it."""
    return {"pg_name": name, "pg_desc": description, "pg_size": len(ranks), "ranks": list(ranks)}


def default_group(world_size: int) -> dict[str, Any]:
    """The group of all ranks."""
    return group("0", *range(world_size), description="default_pg")


def put(path: Path, data: bytes, *, age_s: int = 0) -> Path:
    """Writes a file that was changed so long ago."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, ns=((10**9 - age_s) * 10**9,) * 2)
    return path
