"""Answers of xprof 2.24.2 about files of the corpus."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterator
from typing import Any

from tests.corpus import corpus_path

# Its ratios are doubles that were computed in another order.
CLOSE = 5e-7


def golden(name: str) -> Any:
    """An answer: `tpu_v6e_4core/hlo_stats`."""
    return json.loads(gzip.decompress(corpus_path(f"golden/xprof_2.24.2/{name}.json.gz").read_bytes()))


def rows(table: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The rows of a table, by the ids of its columns."""
    ids = [column["id"] for column in table["cols"]]
    for row in table["rows"]:
        yield dict(zip(ids, [None if cell is None else cell["v"] for cell in row["c"]], strict=True))


def is_close(ours: float | None, theirs: float) -> bool:
    """Whether a ratio is the same."""
    return math.isclose(0.0 if ours is None else ours, theirs, rel_tol=CLOSE, abs_tol=1e-12)
