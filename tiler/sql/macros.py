"""Views and macros beside the tables, as docs/sql.md lists them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_PS: Final = {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12, "min": 60 * 10**12, "h": 3600 * 10**12}


def macros(tick_ps: int) -> Sequence[str]:
    """Statements that create them. Text is a number of ticks or, with a unit, a time: `ticks('1.5ms')`."""
    units = " ".join(f"when '{unit}' then {ps}" for unit, ps in _PS.items())
    return (
        "create macro ticks(amount) as ("
        "regexp_extract(amount, '^[0-9]+(?:\\.[0-9]+)?')::decimal(24, 9) * "
        f"case trim(regexp_replace(amount, '^[0-9]+(?:\\.[0-9]+)?', '')) when '' then {tick_ps} {units} end "
        f"/ {tick_ps})::bigint",
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
