"""Ten times as much takes no tool much more than ten times as long: what one file holds cannot occupy a worker."""

from __future__ import annotations

import gc
import io
import os
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Final

import pytest

from tests.scaling.inputs import INPUTS
from tilescope.cli.answer_text import write_text
from tilescope.tiler.errors import UsageError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import AnyTool, Scope, answer_json, ask, from_values, tools
from tilescope.tiler.tools.figure_text import Shown

pytestmark = pytest.mark.deep

IS_CAMPAIGN: Final = "TILESCOPE_SCALING" in os.environ
FEW: Final = 10_000 if IS_CAMPAIGN else 1000
MOST_TIMES: Final = 15
TRIES: Final = 3
SHORT_S: Final = 0.25 if IS_CAMPAIGN else 0.1  # no ratio of such times says anything

# What a question must have.
VALUES: Final[Mapping[str, Mapping[str, object]]] = {
    "search": {"query": "op"},
    "hit_bins": {"query": "op", "px": 500},
    "find": {"text": "op"},
    "graph": {"find": "op"},
    "nesting": {"track": 0, "ordinal": 0},
    "rank": {"track": 0, "ordinal": 0},
    "bins": {"track": 0, "start": 0, "end": 1 << 50, "px": 500},
}
SAVED: Final = [name for name in INPUTS if name.startswith("saved") or name == "long name"]
asked_tools: set[str] = set()


def seconds(tool: AnyTool, path: Path) -> float | None:
    """The processor time of a question about a store that was just opened, as JSON and text; None: it has no answer."""
    store = open_run_store(path)
    try:
        scope = Scope(QueryReader(store))
        if tool.availability(scope):
            return None
        question = from_values(tool.question, VALUES.get(tool.id, {}))
        gc.collect()
        gc.disable()  # its passes take as long as there are objects, and come when they want
        begin = time.process_time()
        answer = finish(ask(tool, scope, question))
        answer_json.encode(answer)
        write_text(answer, None, Shown(1000, str), io.StringIO())
        return time.process_time() - begin
    except UsageError:  # it has no track 0
        return None
    finally:
        gc.enable()
        store.close()


@pytest.mark.parametrize("name", INPUTS if IS_CAMPAIGN else SAVED)
def test_ten_times_as_much_takes_ten_times_as_long(name: str, tmp_path: Path) -> None:
    stores = []
    for n in (FEW, 10 * FEW):
        folder = tmp_path / str(n)
        folder.mkdir()
        build_store([INPUTS[name](folder, n)], folder / "store")
        stores.append(folder / "store")
    too_long = []
    for tool in tools().values():
        times = [[seconds(tool, path) for _ in range(TRIES)] for path in stores]
        few, many = (median(of) for of in ([one for one in tries if one is not None] or [0.0] for tries in times))
        if not few:
            continue
        asked_tools.add(tool.id)
        if IS_CAMPAIGN:
            print(f"{name:24} {tool.id:18} {few:8.3f} s {many:8.3f} s {many / few:6.1f}")
        if many > max(MOST_TIMES * few, SHORT_S):
            too_long.append(f"{tool.id}: {few:.3f} s and {many:.3f} s")
    assert not too_long


@pytest.mark.skipif(not IS_CAMPAIGN, reason="`make scaling` asks all tools")
def test_all_tools_were_asked() -> None:
    assert asked_tools == set(tools())
