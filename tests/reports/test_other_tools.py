"""JSON of other tools is called by its name, with the way to a trace."""

from __future__ import annotations

import pytest

from tests.reports.traces import Open
from tilescope.tiler.errors import UnknownFormat


@pytest.mark.parametrize(
    ("name", "what", "advice"),
    [
        ("other_rocprofv3.json", "is the JSON of rocprofv3, not a trace", "output-format rocpd"),
        ("other_otlp.json", r"is telemetry of OpenTelemetry \(OTLP JSON\), not a trace", "as trace events"),
        ("other_speedscope.json", "is a speedscope profile, not a trace", "py-spy record --format chrometrace"),
        (
            "other_cpuprofile.json",
            r"is a CPU profile of V8 \(.cpuprofile\), not a trace",
            "Performance panel of Chrome",
        ),
    ],
)
def test_is_called_by_its_name(open_by_name: Open, name: str, what: str, advice: str) -> None:
    with pytest.raises(UnknownFormat, match=rf"{name}: {what} \(.*{advice}"):
        open_by_name(name)
