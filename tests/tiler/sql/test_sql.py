"""SQL against brute force over the events that were written, and attempts to get out of it."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from tests.example import Example, random_events
from tilescope.tiler.errors import DamagedStore, StoreError, UsageError
from tilescope.tiler.sql import SqlAnswer, SqlLimits, ask_sql
from tilescope.tiler.sql.database import open_database, prepare_plans
from tilescope.tiler.sql.needs import needs_of
from tilescope.tiler.sql.request import DEFAULT_LIMITS, request_of
from tilescope.tiler.sql.statement import run_statement

pytest.importorskip("duckdb")


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Example:
    example = Example(tmp_path_factory.mktemp("sql"), random_events(random.Random(5)))
    example.store.close()
    return example


def sql(example: Example, statement: str, limits: SqlLimits = DEFAULT_LIMITS) -> SqlAnswer:
    """The answer, worked out in this process."""
    return run_statement(request_of(example.path, statement, limits))


def test_sums_by_name_are_those_of_all_events(example: Example) -> None:
    answer = sql(example, "select name, count(*), sum(duration) from slices group by name")
    slices = [e for e in example.events if e.value is None]
    counts, sums = Counter(e.name for e in slices), Counter[str]()
    for e in slices:
        sums[e.name] += e.duration
    assert {row[0]: (row[1], row[2]) for row in answer.rows} == {name: (counts[name], sums[name]) for name in counts}
    assert not answer.is_cut


@pytest.mark.parametrize(
    ("where", "holds"),
    [
        (
            "track = {t} and start >= 5000 and start < 90000",
            lambda e: e.track == "thread 2" and 5000 <= e.start < 90000,
        ),
        ("start between 4000 and 4100", lambda e: 4000 <= e.start <= 4100),
        ("name = 'op 7' and \"end\" > 500000", lambda e: e.name == "op 7" and e.start + e.duration > 500000),
        ("name = 'it''s AND not' or name = 'needle'", lambda e: e.name == "needle"),
        ("not (track = {t})", lambda e: e.track != "thread 2"),
        ("start <= 100 or start > 1000000", lambda e: e.start <= 100 or e.start > 1000000),
        ("start < ticks('10us')", lambda e: e.start < 10_000),
        ("track in ({t}, 4711) and category = 'cat'", lambda e: e.track == "thread 2" and e.category == "cat"),
    ],
)
def test_what_is_left_unread_is_not_wanted(example: Example, where: str, holds: object) -> None:
    track = next(row[0] for row in sql(example, "select id from tracks where name = 'thread 2'").rows)
    statement = f"select name, start, duration from slices where {where.format(t=track)}"
    rows = sql(example, statement, SqlLimits(rows=100_000)).rows
    assert callable(holds)
    wanted = [(e.name, e.start, e.duration) for e in example.events if e.value is None and holds(e)]
    assert sorted(map(tuple, rows)) == sorted(wanted)


def test_a_plan_tells_what_is_read() -> None:
    with open_database(1 << 28, 1) as database:
        prepare_plans(database, 1000)
        where = "track in (1, 5, 9) and start >= 50 and start < 70 and name = 'x'"
        (table,) = needs_of(database, f"select sum(duration) from slices where {where}").values()
        assert (table.tracks, table.first, table.stop, table.names) == (frozenset({1, 5, 9}), 50, 70, frozenset({"x"}))
        assert set(table.columns) == {"track", "start", "name", "duration"}
        (table,) = needs_of(database, "select count(*) from slices").values()
        assert table.columns == ["track"]
        (table,) = needs_of(
            database, "select * from slices a join slices b on a.start = b.start where a.track = 1"
        ).values()
        assert (table.scans, table.tracks) == (2, None)
        (table,) = needs_of(database, "select name, row from slices order by duration desc limit 5").values()
        assert (table.scans, set(table.columns)) == (1, {"name", "row", "duration"})
        recurring = "select 0 as n union all select n + 1 from r join slices on track = n"
        (table,) = needs_of(database, f"with recursive r as ({recurring}) select * from r").values()
        assert table.scans > 1
        assert needs_of(database, "with slices as (select 1 as x) select * from slices") == {}


def test_a_table_that_no_plan_names_is_an_error_and_not_empty(example: Example) -> None:
    unseen = "select * from json_execute_serialized_sql(json_serialize_sql('select * from slices'))"
    with pytest.raises(UsageError, match=r"unsuccessful|slices is not read"):
        sql(example, unseen)
    for statement in ("select * from slices limit 0", "select start from slices where false", "select 1 where false"):
        assert sql(example, statement).rows == []
    assert len(sql(example, "describe slices").rows) == 10


def test_joins_views_and_macros(example: Example) -> None:
    def rows(statement: str) -> list[list[object]]:
        return [list(row) for row in sql(example, statement).rows]

    by_thread = Counter(e.track for e in example.events if e.value is None)
    joined = rows("select t.name, count(*) from slices s join tracks t on t.id = s.track group by 1")
    assert {str(name): count for name, count in joined} == by_thread
    assert rows("select count(*) from slices a, slices b where a.track = b.track and a.ordinal = b.ordinal") == [
        [by_thread.total()]
    ]
    assert rows("select ticks('1.5ms'), ticks('7'), link(3, 4)") == [[1_500_000, 7, "#v=1&sel=3.4"]]
    steps = sorted(e.start for e in example.events if e.name.startswith("Iteration "))
    assert [row[0] for row in rows("select start from steps order by start")] == steps
    inner = sum(
        max(min(e.start + e.duration, 90_000) - max(e.start, 5000), 0) for e in example.events if e.name == "Inner"
    )
    assert [str(row[0]) for row in rows("select busy('Inner', 5000, 90000)")] == [str(inner)]
    assert rows("select count(*) from counters where value >= 500") == [
        [sum(e.value is not None and e.value >= 500 for e in example.events)]
    ]


@pytest.mark.parametrize(
    ("text", "ticks"),
    [
        ("0.1s", 100_000_000),
        ("12345678.901234567s", 12_345_678_901_234_567),
        ("12345678901234567", 12_345_678_901_234_567),
        ("2 h", 7_200_000_000_000),
        ("3µs", 3000),
        ("5000ps", 5),
        ("0.5ns", None),
        ("1 parsec", None),
        ("-1ms", None),
        ("1.5", None),
        ("", None),
    ],
)
def test_times_are_exact_or_refused(example: Example, text: str, ticks: int | None) -> None:
    if ticks is not None:
        assert sql(example, f"select ticks('{text}')").rows == [[ticks]]
        return
    with pytest.raises(UsageError, match="no whole number of ticks"):
        sql(example, f"select ticks('{text}')")


BEYOND_MEMORY = "select list(repeat('x', 10000000)) from range(1000)"

ATTEMPTS = [
    "create table q as select 1",
    "insert into slices values (1)",
    "drop view slices",
    "copy slices to '{folder}/out.csv'",
    "copy (select 1) to '{folder}/out.parquet'",
    "select * from read_csv('/etc/passwd')",
    "select * from read_text('/etc/passwd')",
    "select * from '/etc/passwd'",
    "select * from glob('/*')",
    "select * from read_blob('/etc/passwd')",
    "select * from read_json('/etc/passwd')",
    "select * from query_table(['/etc/passwd'])",
    "select * from sniff_csv('/etc/passwd')",
    "select * from query('select * from read_text(''/etc/passwd'')')",
    "with x as (select * from read_text('/etc/passwd')) select count(*) from x where false",
    "select * from parquet_scan('{folder}/x.parquet')",
    "attach '{folder}/x.db'",
    "export database '{folder}/all'",
    "install httpfs",
    "load httpfs",
    "set memory_limit = '100GB'",
    "set enable_external_access = true",
    "pragma database_list",
    "call pragma_version()",
    "explain analyze select 1",
    "select * from request",
    "select * from sys.argv",
    "select getenv('HOME')",
    "select 1; drop view slices",
    "",
    "selekt",
    "select * from nothing",
    "select colour from slices",
    "prepare p as select 1",
    "checkpoint",
    "vacuum",
    "begin transaction",
]


@pytest.mark.parametrize("statement", ATTEMPTS)
def test_nothing_is_written_and_no_file_is_read(example: Example, tmp_path: Path, statement: str) -> None:
    before = sorted(example.path.parent.rglob("*"))
    with pytest.raises(UsageError) as refusal:
        sql(example, statement.format(folder=tmp_path))
    assert "\n" not in str(refusal.value)
    assert "root:" not in str(refusal.value)
    assert list(tmp_path.iterdir()) == []
    assert sorted(example.path.parent.rglob("*")) == before


@pytest.mark.parametrize(
    "statement",
    [
        "with recursive t(n) as (select 1 union all select n + 1 from t) select max(n) from t",
        "select count(*) from range(10000000000) a, range(1000000) b where a.range * b.range = 7",
    ],
)
def test_what_never_ends_is_interrupted(example: Example, statement: str) -> None:
    with pytest.raises(UsageError, match="took longer than 1 s"):
        sql(example, statement, SqlLimits(seconds=1.0))


def test_binding_reads_no_file_and_says_nothing_of_one(example: Example, tmp_path: Path) -> None:
    """It once sniffed files before they were refused: its errors told which there are, and what is in them."""
    (tmp_path / "there.json").write_text("secret {")
    calls = [f"select * from read_json('{tmp_path}/{name}.json')" for name in ("there", "absent")]
    refusals = []
    for call in calls:
        with pytest.raises(UsageError, match="disabled by configuration") as refusal:
            sql(example, call)
        refusals.append(str(refusal.value).replace("absent", "there"))
    assert refusals[0] == refusals[1]


def test_a_damaged_store_is_no_error_of_the_statement(example: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(*_: object, **__: object) -> None:
        raise DamagedStore("pages-0: damaged")

    monkeypatch.setattr("tilescope.tiler.tables.events.event_columns", damaged)
    for statement in ("select sum(duration) from slices", "select * from slices a, slices b"):
        with pytest.raises(DamagedStore, match="pages-0: damaged"):
            sql(example, statement)


@pytest.mark.parametrize("statement", ["select repeat('x', 1000000000) from range(100)", BEYOND_MEMORY])
def test_long_texts_end_the_process_and_not_the_machine(example: Example, statement: str) -> None:
    with pytest.raises(UsageError, match=r"(?i)memory"):
        ask_sql(example.path, statement, SqlLimits(memory_bytes=64 << 20))


def test_memory_is_bounded(example: Example) -> None:
    statement = "select list(range) from range(100000000)"
    with pytest.raises(UsageError, match=r"(?i)memory"):
        sql(example, statement, SqlLimits(memory_bytes=64 << 20))


def test_rows_and_bytes_are_bounded(example: Example) -> None:
    answer = sql(example, "select range from range(1000000000)", SqlLimits(rows=10))
    assert [row[0] for row in answer.rows] == list(range(10))
    assert answer.is_cut
    answer = sql(example, "select repeat('x', 1000) from range(1000)", SqlLimits(answer_bytes=10_500))
    assert (len(answer.rows), answer.is_cut) == (10, True)
    with pytest.raises(UsageError, match="at most 65,536 characters"):
        sql(example, "select " + "1," * 40_000)


def test_a_process_of_its_own_answers_refuses_and_is_given_up(example: Example, tmp_path: Path) -> None:
    answer = ask_sql(example.path, "select count(*) from slices")
    assert answer.rows == [[sum(e.value is None for e in example.events)]]
    with pytest.raises(UsageError, match="only statements that select are run"):
        ask_sql(example.path, "create table q as select 1")
    with pytest.raises(StoreError, match=r"absent\.store"):
        ask_sql(tmp_path / "absent.store", "select 1")
