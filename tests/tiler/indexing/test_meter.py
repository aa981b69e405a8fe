"""What a build says of itself while it runs."""

from __future__ import annotations

from tilescope.tiler.indexing.meter import READ_TRACKWISE, Meter
from tilescope.tiler.indexing.progress import BuildProgress


def test_what_is_told_never_falls() -> None:
    told: list[BuildProgress] = []
    meter = Meter(told.append)
    meter.bytes_total, meter.bytes_read, meter.events = 100, 50, 599_136
    meter.tell(now=True)
    meter.events, meter.read_ends = 565_889, READ_TRACKWISE  # a file is left out, another is read track by track
    meter.tell(now=True)
    meter.phase, meter.rows, meter.events = "build", 100, 565_890
    meter.tell(now=True)
    assert [progress.events for progress in told] == [599_136] * 3
    assert [progress.fraction for progress in told] == sorted(progress.fraction for progress in told)
