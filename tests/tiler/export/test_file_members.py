"""Members of the outer object, and names of arguments, in exported files."""

from __future__ import annotations

import gzip
import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tilescope.tiler.export import file_members as members_module
from tilescope.tiler.export.event_text import distinct
from tilescope.tiler.export.trace_event import ExportQuestion, pieces
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store import open_run_store

pytestmark = pytest.mark.slow

EVENT: dict[str, Any] = {"ph": "X", "name": "a", "pid": 1, "tid": 2, "ts": 5, "dur": 1}
MEMBERS = {
    "schemaVersion": 1,
    "distributedInfo": {"rank": 3, "world_size": 8},
    "list": [1, 2.5, "ä"],
    "displayTimeUnit": "ms",
}


def exported(folder: Path, *files: Path) -> dict[str, Any]:
    build_store(list(files), folder / "store")
    with closing(open_run_store(folder / "store")) as store:
        whole: dict[str, Any] = json.loads(b"".join(pieces(QueryReader(store), ExportQuestion())))
    return whole


def written(folder: Path, name: str, **others: Any) -> Path:
    path = folder / f"{name}.trace.json"
    path.write_text(json.dumps(others | {"baseTimeNanoseconds": 1000, "traceEvents": [EVENT]}))
    return path


def test_members_come_back(tmp_path: Path) -> None:
    whole = exported(tmp_path, written(tmp_path, "a", **MEMBERS))
    (event,) = (event for event in whole.pop("traceEvents") if event["ph"] == "X")
    base = whole.pop("baseTimeNanoseconds")
    assert base + round(1000 * event["ts"]) == 1000 + 1000 * EVENT["ts"]
    assert whole == MEMBERS


def test_of_several_files_the_first_that_has_a_member_counts(tmp_path: Path) -> None:
    files = written(tmp_path, "a", schemaVersion=1), written(tmp_path, "b", schemaVersion=2, more="of b")
    whole = exported(tmp_path, *files)
    assert (whole["schemaVersion"], whole["more"]) == (1, "of b")
    assert "displayTimeUnit" not in whole


def test_too_much_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(members_module, "MAX_MEMBERS_BYTES", 100)
    whole = exported(tmp_path, written(tmp_path, "a", large="x" * 100, small=1))
    assert "large" not in whole
    assert whole["small"] == 1


@pytest.mark.parametrize("name", ["nccl_data.json.gz", "ns_resolution.pt.trace.json.gz"])
def test_analysis_tools_find_what_they_need(tmp_path: Path, name: str) -> None:

    path = corpus_path(f"kineto/{name}")
    source = json.loads(gzip.decompress(path.read_bytes()))
    whole = exported(tmp_path, path)
    for member in source.keys() - {"traceEvents", "baseTimeNanoseconds"}:
        assert whole[member] == source[member], member


@given(names=st.lists(st.sampled_from(["a", "b", "a_2", "a_3", "a_2_2", ""])))
def test_names_are_distinct_and_stay_where_they_can(names: list[str]) -> None:
    found = distinct(names)
    assert len(set(found)) == len(found) == len(names)
    for place, name in enumerate(names):
        assert (found[place] == name) == (name not in names[:place])
