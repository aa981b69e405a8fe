"""SQL of the Python client: of a store on this machine."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from aiohttp.test_utils import TestServer

from tests.client.conftest import GRPC_PORT, is_open
from tests.example import Example, PlainEvent
from tilescope.client import connect, connect_async
from tilescope.tiler.errors import UsageError

pytest.importorskip("duckdb")


def test_rows_are_a_table(example: Example) -> None:
    statement = (
        "select name, count(*) as count, sum(duration) as total, avg(duration) as mean from slices group by name"
    )
    with connect(example.path) as client:
        run = client.run()
        table = run.sql(statement)
        stats = {row["name"]: (row["count"], row["busy"]) for row in run.stats()}
        assert {row["name"]: (row["count"], row["total"]) for row in table} == stats
        assert [table[name].dtype for name in ("count", "mean")] == [np.dtype(np.int64), np.dtype(np.float64)]
        assert len(run.sql("select * from slices where false")) == 0
        with pytest.raises(UsageError, match="only statements that select are run"):
            run.sql("drop table slices")
        with pytest.raises(UsageError, match="more rows than 10,000"):
            run.sql("select range from range(20000)")
    assert not is_open(example.path)


def test_rows_are_of_the_build_that_is_open(tmp_path: Path) -> None:
    trace = Example(tmp_path, [PlainEvent("thread", "op", "", 0, 10)])
    trace.store.close()
    with connect(trace.path) as client:
        run = client.run()
        assert run.sql("select count(*) as n from slices")["n"].tolist() == [1]
        shutil.rmtree(trace.path)
        Example(tmp_path, [PlainEvent("thread", "op", "", 10 * k, 5) for k in range(3)]).store.close()
        with pytest.raises(UsageError, match=f"no build {run.build} any more: open the run again"):
            run.sql("select count(*) as n from slices")


async def test_grpc_has_none(server: TestServer) -> None:
    async with connect_async(f"grpc://127.0.0.1:{server.app[GRPC_PORT]}") as client:
        with pytest.raises(UsageError, match="SQL is for HTTP"):
            await (await client.run()).sql("select 1")
