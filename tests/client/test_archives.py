"""Programs open archives without a server, beside stores."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import tilescope
from tests.demo import DEMO_TRACE
from tests.tiler.store.archive.test_archive_opening import archive_of
from tests.toy_tools import install
from tilescope.tiler.errors import DamagedStore, NoStore
from tilescope.tiler.indexing import build_store
from tilescope.tiler.tools import answer_json, catalogue


@pytest.fixture
def toys(tmp_path: Path) -> Iterator[None]:
    """A tool that takes another build."""
    packages = tmp_path / "packages"
    packages.mkdir()
    install(packages)
    sys.path.insert(0, str(packages))
    catalogue.installed_tools.cache_clear()
    yield
    sys.path.remove(str(packages))
    sys.modules.pop("toy_tools", None)
    catalogue.installed_tools.cache_clear()


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    build_store([DEMO_TRACE], tmp_path / "demo.store")
    return archive_of(tmp_path / "demo.store", tmp_path / "demo.tsarc")


def test_an_archive_and_a_store_are_compared(archive: Path, toys: None) -> None:
    store = archive.with_suffix(".store")
    with tilescope.connect(archive) as client, tilescope.connect(store) as other:
        answers = [
            client.run().ask("versus", against=other.run()).answer,
            other.run().ask("versus", against=client.run()).answer,
            client.run().ask("versus", against=str(store)).answer,
            other.run().ask("versus", against=str(archive)).answer,
        ]
        assert len({answer_json.encode(answer) for answer in answers}) == 1


def test_one_that_is_replaced_is_read_on_by_who_has_it_open(archive: Path) -> None:
    with tilescope.connect(archive) as client:
        run = client.run()
        build_store([DEMO_TRACE], archive.with_suffix(".store"), force=True)
        archive_of(archive.with_suffix(".store"), archive.with_name("new.tsarc")).replace(archive)
        with tilescope.connect(archive) as other:
            assert other.run().build != run.build
            assert run.event(1, 3).name == other.run().event(1, 3).name


def test_what_is_no_archive_is_refused(archive: Path, tmp_path: Path) -> None:
    with pytest.raises(NoStore, match="there is no store here"):
        tilescope.connect(DEMO_TRACE)
    (tmp_path / "cut.tsarc").write_bytes(archive.read_bytes()[:2000])
    with pytest.raises(DamagedStore, match="cut short"):
        tilescope.connect(tmp_path / "cut.tsarc")
