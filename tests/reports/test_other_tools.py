"""JSON of other tools is read, or called by its name with the way to a trace."""

from __future__ import annotations

import pytest

from tests.reports.traces import Open
from tilescope.tiler.errors import UnknownFormat


def test_is_called_by_its_name(open_by_name: Open) -> None:
    with pytest.raises(UnknownFormat, match=r"other_rocprofv3.json: is the JSON of rocprofv3, not a trace \(.*rocpd"):
        open_by_name("other_rocprofv3.json")


@pytest.mark.parametrize("name", ["other_otlp.json", "other_speedscope.json", "other_cpuprofile.json"])
def test_is_read(open_by_name: Open, name: str) -> None:
    assert [track.events for track in open_by_name(name).tree.tracks if track.kind == "slice"] == [1]
