"""The chart of a roofline: FLOPs per second over FLOPs for each byte, both by powers of ten, below the roofs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilescope.tiler.facts.operations.rates import NETWORK, Peaks, roofs
from tilescope.tiler.tools.answer import Column, Series
from tilescope.tiler.tools.roofline.rows import Row

_ROOM: Final = 4.0  # times, on both sides
MOST_POINTS: Final = 1000


def chart(rows: Sequence[Row], peaks: Peaks) -> Series | None:
    """The program, the first row, and instructions, by what bounds them; None: none of them has FLOPs and bytes."""
    points = [(row, *place) for row in rows[:MOST_POINTS] if (place := _place(row)) is not None]
    if not points:
        return None
    limits = roofs(peaks) if peaks.flops else []
    ridges = [roof.ridge(peaks.flops) for roof in limits if peaks.flops]
    intensities = [intensity for _, intensity, _ in points]
    low, high = min(*intensities, *ridges, intensities[0]), max(*intensities, *ridges, intensities[0])
    corners = [low / _ROOM, *ridges, high * _ROOM]
    xs = sorted([(intensity, number) for number, intensity in enumerate(intensities)] + [(x, -1) for x in corners])
    groups = [_group(row, number) for number, (row, _, _) in enumerate(points)]
    ys = [
        Column(
            f"y{place}",
            group,
            "rate",
            [points[number][2] if number >= 0 and groups[number] == group else None for _, number in xs],
            "FLOP/s",
            total="none",
        )
        for place, group in enumerate(dict.fromkeys(groups))
    ]
    return Series(
        "roofline",
        "Roofline",
        "points",
        Column("intensity", "FLOP for each byte", "number", [x for x, _ in xs], "FLOP/B", total="none"),
        ys,
        "log",
        [
            Column(
                roof.id, roof.title, "rate", [roof.limit(x, peaks.flops or 0) for x, _ in xs], "FLOP/s", total="none"
            )
            for roof in limits
        ],
        Column("label", "Instruction", "name", [points[number][0].label if number >= 0 else None for _, number in xs]),
    )


def _place(row: Row) -> tuple[float, float] | None:
    """Intensity and rate of a row in the chart; None without both, and where the network bounds it: it has no roof."""
    if row.rates.bound_by == NETWORK:
        return None
    intensity, rate = row.rates.bound_intensity or row.rates.intensity, row.rates.flops
    return (intensity, rate) if intensity and rate else None


def _group(row: Row, number: int) -> str:
    """Name of the group whose points are drawn alike."""
    if not number and row.operation.track < 0:
        return "Program"
    return f"bound by {row.rates.bound_by}" if row.rates.bound_by else "without a known peak"
