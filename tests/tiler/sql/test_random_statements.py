"""Rows of any statement are those over tables that were read whole: never less is read than it needs."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.example import Example, random_events
from tests.examples import examples
from tilescope.tiler.sql import SqlLimits
from tilescope.tiler.sql.database import add_views, open_database
from tilescope.tiler.sql.request import request_of
from tilescope.tiler.sql.statement import run_statement
from tilescope.tiler.tables import TABLES, scan
from tilescope.tiler.tables.pyarrow_batches import ScanStream, pyarrow_schema

if TYPE_CHECKING:
    import duckdb

pytest.importorskip("duckdb")

LIMITS: Final = SqlLimits(rows=1_000_000, answer_bytes=1 << 30)

NUMBERS: Final = st.sampled_from([0, 1, 2, 3, 4, 5, 9, 100, 4_000, 5_000, 90_000, 500_000, 1_000_000])
INTEGERS: Final = {
    "slices": ("track", "ordinal", "start", "duration", "end", "row"),
    "counters": ("track", "ordinal", "start"),
    "steps": ("step", "track", "start", "end"),
    "tracks": ("id", "process", "events", "first"),
}
TEXTS: Final = ("op 3", "op 7", "Inner", "needle", "", "it''s AND not", "a'' OR track = 1 --")
SIGNS: Final = ("=", "<>", "<", "<=", ">", ">=")


def column(table: str) -> st.SearchStrategy[str]:
    return st.sampled_from([f'{table[0]}."{name}"' for name in INTEGERS[table]])


def plain(table: str) -> st.SearchStrategy[str]:
    """A condition on one column of a table, which statements call by its first letter."""
    signs, text = st.sampled_from(SIGNS), st.sampled_from(TEXTS)
    columns = column(table)
    conditions = [
        st.builds("{} {} {}".format, columns, signs, NUMBERS),
        st.builds("{2} {1} {0}".format, columns, signs, NUMBERS),
        st.builds("{} between {} and {}".format, columns, NUMBERS, NUMBERS),
        st.builds("{} in ({}, {}, {})".format, columns, NUMBERS, NUMBERS, NUMBERS),
        st.builds("{} not in ({}, {})".format, columns, NUMBERS, NUMBERS),
        st.builds("{}::double {} {}.5".format, columns, signs, NUMBERS),
        st.builds("{} + 1 {} {}".format, columns, signs, NUMBERS),
        st.builds("{}::varchar {} '{}'".format, columns, signs, NUMBERS),
        st.builds("{} is not distinct from {}".format, columns, NUMBERS),
        st.builds("{} is null".format, columns),
        st.builds("{} {} ticks('{}us')".format, columns, signs, NUMBERS),
    ]
    if table == "slices":
        conditions += [
            st.builds("s.name {} '{}'".format, signs, text),
            st.builds("s.name in ('{}', '{}')".format, text, text),
            st.builds("s.name like '{}%'".format, text),
            st.builds("lower(s.name) = '{}'".format, text),
            st.just("s.open"),
        ]
    return st.one_of(conditions)


def condition(table: str) -> st.SearchStrategy[str]:
    """Conditions in conditions."""
    return st.recursive(
        plain(table),
        lambda inner: st.one_of(
            st.builds("({} and {})".format, inner, inner),
            st.builds("({} and {} and {})".format, inner, inner, inner),
            st.builds("({} or {})".format, inner, inner),
            st.builds("not ({})".format, inner),
            st.builds("coalesce({}, true)".format, inner),
            st.builds("({}) = false".format, inner),
            st.builds("({}) is not true".format, inner),
            st.builds("(case when {} then {} else {} end)".format, inner, inner, inner),
        ),
        max_leaves=5,
    )


S, C, P, T = map(condition, ("slices", "counters", "steps", "tracks"))
STATEMENTS: Final = st.one_of(
    [
        st.builds(text.format, *parts)
        for text, *parts in (
            ("select * from slices s where {}", S),
            ("select count(*), sum(duration), min(start) from slices s where {}", S),
            ("select count(*) filter (where {}), count(*) from slices s where {}", S, S),
            ("select * from counters c where {}", C),
            ("select * from steps s where {}", P),
            ("select name, count(*) from slices s where {} group by name having count(*) > {}", S, NUMBERS),
            ("select s.ordinal, t.name from slices s left join tracks t on t.id = s.track and {} where {}", T, S),
            ("select t.id, s.ordinal from tracks t left join slices s on t.id = s.track and {} where {}", S, T),
            ("select t.id, s.ordinal from slices s right join tracks t on t.id = s.track and {} where {}", S, T),
            ("select t.id, s.ordinal from slices s full join tracks t on t.id = s.track and {}", S),
            ("select t.id, s.ordinal from slices s full join tracks t on t.id = s.track where {}", S),
            ("select * from tracks t where exists (select 1 from slices s where s.track = t.id and {})", S),
            ("select * from tracks t where t.id not in (select track from slices s where {})", S),
            ("select * from tracks t semi join slices s on t.id = s.track and {}", S),
            ("select * from tracks t anti join slices s on t.id = s.track and {}", S),
            ("select id, (select count(*) from slices s where s.track = t.id and {}) from tracks t", S),
            ("select id, n from tracks t, lateral (select count(*) n from slices s where track = id and {})", S),
            ("select * from slices s where {} union all select * from slices s where {}", S, S),
            ("select track from slices s where {} except select track from slices s where {}", S, S),
            ("with x as (select * from slices s where {}) select count(*) from x a join x b using (track, start)", S),
            ("with x as materialized (select * from slices) select * from x s where {}", S),
            (
                "with recursive r(n) as (select {} union select s.start from slices s join r "
                "on s.start > r.n and s.start < r.n + 5000 where {}) select * from r",
                NUMBERS,
                S,
            ),
            (
                "select * from (select *, row_number() over (order by start, track, ordinal) k from slices) s where {}",
                S,
            ),
            ("select * from slices s where {} qualify row_number() over (order by start, track, ordinal) <= 5", S),
            ("select * from (select * from slices order by start, track, ordinal limit 50) s where {}", S),
            ("select * from slices s where {} order by start, track, ordinal limit 3 offset 2", S),
            ("select name, track from slices s where {} order by duration desc, track, ordinal limit 5", S),
            ("select distinct on (name) name, start from slices s where {} order by name, start", S),
            ("select start from slices s where start = (select max(start) from slices s where {})", S),
            ("select k.ordinal from kernels k, slices s where k.track = s.track and {}", S),
            ("select * from within(5) s where {}", S),
            ("select busy('op 7', {}, 500000) from steps s where {}", NUMBERS, P),
            ("select s.start, c.value from slices s asof left join counters c on c.start <= s.start and {}", C),
        )
    ]
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Example]:
    run = Example(tmp_path_factory.mktemp("sql"), random_events(random.Random(5)))
    yield run
    run.store.close()


@pytest.fixture(scope="module")
def whole(run: Example) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database that has read all tables whole."""
    with open_database(1 << 30, 1) as database:
        for table in TABLES.values():
            schema = pyarrow_schema(table, table.column_names, {}, coded=False)
            database.register("rows_to_read", ScanStream(partial(scan, run.reader, table), schema))
            database.execute(f"create table {table.name}_read as select * from rows_to_read")
        add_views(database, run.reader.tick_ps, {table.name: table.column_names for table in TABLES.values()})
        yield database


def sorted_rows(rows: object) -> list[str]:
    assert isinstance(rows, list)
    return sorted(repr([str(cell) if isinstance(cell, int) else cell for cell in row]) for row in rows)


@given(statement=STATEMENTS)
@settings(max_examples=examples(100), deadline=None, suppress_health_check=list(HealthCheck))
@example("select * from slices s where coalesce((s.start < 0 and s.start > 5000 and s.start < 9000), true)")
@example("select * from slices s where (s.start < 0 and s.start > 5000 and s.start < 9000) = false")
@example(
    "with recursive r(n) as (select 0 union all select r.n + 1 from r where r.n < 3 "
    "and (select count(*) from slices) > 0) select * from r"
)
@example(
    "with recursive r(n, k) as (select 0, 0 union all select r.n + 1, s.ordinal from r join slices s "
    "on s.ordinal = r.n where r.n < 4) select * from r"
)
@example("select * from slices s where name = 'op 3' or name = 'a\nstart > 500000\nb' or track = 1")
@example("select * from slices s where lower(name) <> 'a\nstart > 500000\nb'")
@example("select name from slices where name = 'it''s AND not'")
@example("select name from slices where name = 'a'' OR track = 1 --'")
def test_rows_are_those_of_tables_read_whole(run: Example, whole: duckdb.DuckDBPyConnection, statement: str) -> None:
    answer = run_statement(request_of(run.path, statement, LIMITS))
    assert not answer.is_cut
    listed = [list(row) for row in answer.rows]
    assert sorted_rows(listed) == sorted_rows([list(row) for row in whole.execute(statement).fetchall()])
