"""Views and macros beside the tables, as docs/sql.md lists them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilescope.tiler.ticks import UNITS_PS

_TIME: Final = r"^([0-9]{1,18})(?:\.([0-9]{1,12}))? *([a-zµμ]*)$"


def macros(tick_ps: int) -> Sequence[str]:
    """Statements that create them. Text is a number of ticks or, with a unit, a time: `ticks('1.5ms')`."""
    units = " ".join(f"when '{unit}' then {ps}" for unit, ps in {"": tick_ps, **UNITS_PS}.items())
    whole, fraction, unit = (f"regexp_extract(amount::varchar, '{_TIME}', {group})" for group in (1, 2, 3))
    ps = f"try_cast({whole} || {fraction} as hugeint) * (case translate({unit}, 'µμ', 'uu') {units} end)"
    tick = f"(('1' || repeat('0', length({fraction})))::hugeint * {tick_ps})"
    return (
        # Whole numbers alone: a double is not exact. What is no time is a cast that fails: unlike error(), it may be
        # worked out before anything is read, so that bounds of `start` are numbers in the plan.
        f"create macro ticks(amount) as (case when {ps} % {tick} = 0 then {ps} // {tick} "
        "else ('no whole number of ticks: ' || amount)::hugeint end)::bigint",
        "create macro link(track, ordinal) as '#v=1&sel=' || track || '.' || ordinal",
        "create macro busy(wanted, first, stop) as ("
        'select coalesce(sum(least(s."end", stop) - greatest(s.start, first)), 0)::hugeint from slices s '
        'where s.name = wanted and s.start < stop and s."end" > first)',
        "create macro within(wanted) as table ("
        "select s.* from slices s join tracks t on t.id = s.track join steps p on p.process = t.process "
        'where p.step = wanted and s.start >= p.start and s.start < p."end")',
        "create view kernels as select s.*, t.path from slices s join tracks t on t.id = s.track "
        "where t.path like '%device:%' or t.path like '%GPU%' or t.path like '%TPU%'",
    )
