"""Axis of a shard that does not lie on that of its run: an origin and an end of its own, on the tiles of the run."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Final

from msgspec import Meta, Struct, structs

from tilescope.tiler import _native
from tilescope.tiler.duration_text import duration_text
from tilescope.tiler.indexing.reading.axis import RunAxis
from tilescope.tiler.shards.survey import Survey
from tilescope.tiler.ticks import TICK_LIMIT

_TILE_TICKS: Final = 256  # of level 0; each level has four times as many

Decimal = Annotated[str, Meta(pattern="^-?[0-9]{1,20}$")]


class OwnAxis(Struct, frozen=True, forbid_unknown_fields=True):
    """Axis of one shard. Ticks, names and the level of the root are those of the run, so that both mount as one."""

    away_ns: Decimal  # its origin, counted from that of the run
    end: Annotated[str, Meta(pattern="^[0-9]{1,19}$")]  # ticks, decimal
    rounds: bool
    is_windowed: bool
    shift_ps: Decimal  # by which it is to be drawn later; where it is not drawn at its time, not what `away_ns` says

    @property
    def is_moved(self) -> bool:
        """True if its ticks are not counted from the origin of the run."""
        return int(self.away_ns) != 0

    def axis(self, run: RunAxis) -> RunAxis:
        """The axis to index on, of that of the run. Its id follows from both."""
        parts = [run.id, run.tick_ps, self.away_ns, self.end, self.rounds, self.is_windowed]
        return structs.replace(
            run,
            id=hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24],
            origin_ns=run.origin_ns + int(self.away_ns),
            end=int(self.end),
            rounds=self.rounds,
            is_own=True,
            is_windowed=self.is_windowed,
        )

    def note(self, title: str, run: RunAxis) -> str | None:
        """A line on how the shard is drawn; None: as all others."""
        away_ns = int(self.away_ns)
        if not away_ns:
            if int(self.end) <= run.end:
                return None
            more = duration_text(int(self.end) - run.end, run.tick_ps)
            return f"{title} ends {more} after the run as it was indexed first: what is open at its end ends there"
        away = f"{duration_text(abs(away_ns), 1000)} {'before' if away_ns < 0 else 'after'}"
        if int(self.shift_ps):
            return f"{title} begins {away} the run: its times are counted from there, and it is drawn there"
        what = "it has no time in common with the run, and is drawn from the beginning of it (see `tilescope shift`)"
        return f"{title} begins {away} the run: its times are counted from there; {what}"


def own_axis(run: RunAxis, survey: Survey) -> OwnAxis | None:
    """The axis of a shard that does not lie on that of the run; None: it is too long for the tiles of the run.

    It begins with the run where that holds the shard, else with the first event. A shard that has time in common with
    the run is drawn at its time, another one from the beginning of the run: that is how hosts look whose clocks differ.
    """
    span = survey.span
    if span.first_ns is None:
        return None
    root = _native.root_level(run.end)
    stop = min(_TILE_TICKS << (2 * root), TICK_LIMIT)
    least = 0 if root == 0 else _TILE_TICKS << (2 * (root - 1))  # the first end with this root
    origins = [run.origin_ns, span.first_ns] if span.first_ns >= run.origin_ns else [span.first_ns]
    for origin_ns in origins:
        end = ((span.last_ns - origin_ns) * 1000 + span.last_ps) // run.tick_ps
        if end < stop:
            away_ns = origin_ns - run.origin_ns
            run_last_ns = run.origin_ns + run.end * run.tick_ps // 1000
            has_common_time = span.first_ns <= run_last_ns and span.last_ns >= run.origin_ns
            return OwnAxis(
                away_ns=str(away_ns),
                end=str(max(end, least)),
                rounds=run.tick_ps == 1000 and span.any_ps,
                is_windowed=survey.is_windowed,
                shift_ps=str(away_ns * 1000 if has_common_time else 0),
            )
    return None
