"""Rules of users from Python: of a store, with other clients beside."""

from __future__ import annotations

from pathlib import Path

import pytest

import tilescope
from tests.client.conftest import is_open
from tests.reports.traces import index_report


@pytest.fixture
def store(tmp_path: Path) -> Path:
    index_report("communication_without_nccl.json", tmp_path / "run.store").close()
    return tmp_path / "run.store"


def test_clients_with_other_rules_of_one_store(store: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('[[rule]]\nkind = "communication"\npattern = "^moe_"\n')
    with tilescope.connect(store) as plain, tilescope.connect(store, work_rules=tmp_path / "mine.toml") as ruled:
        for client, computation in ((plain, 600_000), (ruled, 480_000), (plain, 600_000)):
            assert {fact.id: fact.value for fact in client.run().ask("overlap").facts}["computation"] == computation
    assert not is_open(store)


def test_rules_for_a_server_are_refused(tmp_path: Path) -> None:
    for url in ("http://localhost:1", "grpcs://localhost:1"):
        with pytest.raises(tilescope.UsageError, match="--work-rules"):
            tilescope.connect(url, work_rules=tmp_path / "mine.toml")


def test_rules_that_are_none(store: Path, tmp_path: Path) -> None:
    with pytest.raises(tilescope.UsageError, match=r"gone\.toml: cannot be read"):
        tilescope.connect(store, work_rules=tmp_path / "gone.toml")
    assert not is_open(store)
