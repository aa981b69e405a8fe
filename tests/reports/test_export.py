"""A trace that is exported says the same as before."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tests.reports.traces import FOLDER, Open
from tilescope.tiler.export.trace_event import ExportQuestion, pieces


def test_what_a_begin_and_its_end_both_say_is_said_by_each(open_by_name: Open) -> None:
    def check_names(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        assert len(set(names)) == len(names)
        return dict(pairs)

    text = b"".join(pieces(open_by_name("begin_end_thread_time.json"), ExportQuestion()))
    exported = json.loads(text, object_pairs_hook=check_names)
    assert exported["traceEvents"] == json.loads((FOLDER / "begin_end_thread_time.json").read_text())
