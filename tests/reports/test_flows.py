"""Launches and flows that a trace tells in other ways than by flow events."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from tests.reports.traces import Open, answer, rows
from tilescope.tiler.export import ExportQuestion, pieces
from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store import open_run_store


def edges(reader: QueryReader) -> Iterator[tuple[str, str, bool]]:
    """From and to which slice each edge leads, and whether it is derived."""
    for track in range(reader.store.manifest()["tracks"]):
        ordinal = 0
        while (event := event_details(reader.store, track, ordinal)) is not None:
            ordinal += 1
            yield from ((event["name"], partner["name"], partner["derived"]) for partner in event["flows"]["out"])


def test_a_correlation_joins_what_no_flow_joins(open_by_name: Open) -> None:
    reader = open_by_name("correlation_without_flows.json")
    launched = [("cudaLaunchKernelExC", name, True) for name in ("k0", "k1", "k2")]
    assert Counter(edges(reader)) == Counter([*launched, ("cudaLaunchKernel", "last", True)])
    manifest = reader.store.manifest()
    assert (manifest["flows"]["edges"], manifest["flows"]["derived"]) == ("0", "4")
    assert manifest["events"]["flow_ends"] == "0"
    flows = answer(reader, "flows")
    (pair,) = rows(flows, "edges")
    assert (pair["leaving"], pair["arriving"]) == (4, 4)
    assert [note.text for note in flows.notes] == [
        "4 that leave are not among the flows of the trace: a launch and its work have one correlation."
    ]


def test_derived_flows_are_not_exported_and_derived_again(open_by_name: Open, tmp_path: Path) -> None:
    reader = open_by_name("correlation_without_flows.json")
    exported = tmp_path / "exported.json"
    exported.write_bytes(b"".join(pieces(reader, ExportQuestion())))
    events = json.loads(exported.read_bytes())["traceEvents"]
    assert not [event for event in events if event["ph"] in "stf"]
    build_store([exported], tmp_path / "again")
    with closing(open_run_store(tmp_path / "again")) as again:
        assert again.manifest()["flows"]["derived"] == "4"


def test_gaps_name_the_launch(open_by_name: Open) -> None:
    gaps = rows(answer(open_by_name("correlation_without_flows.json"), "gaps"), "gaps")
    by = {gap["ended_by"]: gap["launched_by"] for gap in gaps}
    assert by == {"k1": "cudaLaunchKernelExC", "k2": "cudaLaunchKernelExC", "last": "cudaLaunchKernel"}


def test_begins_and_ends_have_bind_ids(open_by_name: Open) -> None:
    reader = open_by_name("bind_id_on_begin_end.json")
    made = [("produce", "consume"), ("produce2", "consume2"), ("produce3", "consume3")]
    assert Counter(edges(reader)) == Counter((*pair, False) for pair in made)
    assert reader.store.manifest()["flows"]["edges"] == "3"
