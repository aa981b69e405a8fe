"""The base time that VizTracer writes beside its events."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from tests.reports.traces import FOLDER
from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.readers.logdir import discover
from tilescope.tiler.store import open_run_store


def test_a_run_of_viztracer_and_pytorch_has_one_axis(tmp_path: Path) -> None:
    (run,) = discover(FOLDER / "viztracer_base_time")
    build_store(run.files, tmp_path / "store")
    with closing(open_run_store(tmp_path / "store")) as store:
        manifest = store.manifest()
        assert (manifest["origin_ns"], manifest["end"], manifest["tick_ps"]) == ("1700000000000010500", "100000", 1000)
        events = [event_details(store, track, 0) for track in range(manifest["tracks"])]
        starts = {event["name"]: int(event["start"]) for event in events if event is not None}
        assert starts == {"main": 0, "aten::mm": 10_000}
