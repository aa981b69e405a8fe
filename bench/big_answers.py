"""Times of questions about all tracks of a large trace: they must not grow with the number of events."""

from __future__ import annotations

from typing import Final

from bench.answer_work import Work
from bench.search_answers import totals
from bench.stats_answers import spans

EVENTS: Final = 100_000_000
TRACKS: Final = 400

ROWS = (
    Work("large: search `fusion`: count, total time, names, any range", 300, None, totals),
    Work("large: statistics of any range, all tracks, by name", 300, 150, spans),
)
