"""Trace-event JSON with values of wrong types anywhere: it is indexed, or refused by name, and nothing else."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any, Final

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.wrong_types import wrong
from tilescope.tiler.errors import TraceError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.store import open_run_store

_AT: Final = {"pid": 1, "tid": 2, "ts": 5.5}
OUTLINE: Final[dict[str, Any]] = {
    "traceEvents": [
        {**_AT, "ph": "X", "name": "op", "cat": "kernel", "dur": 3, "args": {"correlation": 7, "stream": 1}},
        {
            **_AT,
            "ph": "X",
            "name": "launch",
            "cat": "cuda_runtime",
            "dur": 1,
            "args": {"correlation": 7, "External id": 1},
        },
        {**_AT, "ph": "M", "name": "process_name", "args": {"name": "host"}},
        {**_AT, "ph": "M", "name": "thread_sort_index", "args": {"sort_index": 5}},
        {**_AT, "ph": "C", "name": "bytes", "args": {"v": 1.5, "w": 2}},
        {**_AT, "ph": "s", "id": "0x5", "name": "flow", "bind_id": 1},
        {**_AT, "ph": "f", "id": 5, "name": "flow", "bp": "e"},
        {**_AT, "ph": "b", "id2": {"local": 3}, "name": "async", "cat": "a"},
        {**_AT, "ph": "P", "sf": 1, "stack": ["a"]},
    ],
    "stackFrames": {"1": {"name": "f", "category": "c", "parent": "2"}, "2": {"name": "g"}},
    "baseTimeNanoseconds": 1_700_000_000_000_000_000,
    "displayTimeUnit": "ns",
    "deviceProperties": [{"id": 0, "name": "GPU", "totalGlobalMem": 5}],
    "distributedInfo": {"rank": 0, "world_size": 2, "pg_config": [{"pg_name": "0", "ranks": [0]}]},
    "schemaVersion": 1,
    "otherData": {"version": "a"},
}


@settings(max_examples=examples(150), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.fixed_dictionaries({key: wrong(of) for key, of in OUTLINE.items()}))
def test_wrong_types_anywhere(content: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.json"
        path.write_text(json.dumps(content))
        refusal = None
        try:
            build_store([path], Path(folder) / "store")
        except TraceError as error:
            refusal = error
        if refusal is None:
            open_run_store(Path(folder) / "store").close()
        else:
            assert "t.json" in str(refusal)
