"""Whatever was asked of a store: when nobody has it open, nothing of it stays in memory."""

from __future__ import annotations

import gc
import time
import weakref
from pathlib import Path

import pytest

from tests.corpus import corpus_path
from tilescope.tiler.errors import NotAvailable, UsageError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Scope, ask, from_values, tools

pytestmark = pytest.mark.slow

# What is asked of tools that have to be told something.
VALUES: dict[str, dict[str, object]] = {
    "search": {"query": "a"},
    "hit_bins": {"query": "a", "px": 100},
    "find": {"text": "a"},
}


def _goes(gone: weakref.ref[QueryReader]) -> bool:
    """Whether it does: the second thread may still hold the piece of work that it has just done."""
    for _ in range(500):
        if gone() is None:
            return True
        gc.collect()  # what holds itself in a ring; in a process of many tests it takes half a second
        time.sleep(0.01)
    return False


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("xplane/tpu_v6e_4core.xplane.pb", marks=pytest.mark.deep),
        pytest.param("xplane/gpu_v100x8_bert.xplane.pb", marks=pytest.mark.deep),
        "xplane/jax_cpu_10steps.xplane.pb",
        pytest.param("kineto/resnet50_workers4.pt.trace.json.gz", marks=pytest.mark.deep),
    ],
)
def test_a_reader_goes_with_all_that_tools_kept_of_it(tmp_path: Path, name: str) -> None:
    build_store([corpus_path(name)], tmp_path / "s")
    left, answers = {}, 0
    for id, tool in tools().items():
        store = open_run_store(tmp_path / "s")
        reader = QueryReader(store)
        try:
            finish(ask(tool, Scope(reader), from_values(tool.question, VALUES.get(id, {}))))
            answers += 1
        except (UsageError, NotAvailable):
            pass  # of what this run does not have
        gone = weakref.ref(reader)
        store.close()
        del store, reader
        left[id] = not _goes(gone)
    assert not [id for id, is_there in left.items() if is_there]
    assert answers >= 10
