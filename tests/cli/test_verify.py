"""`tilescope verify`: what it says of a sound store, and of one that was altered by hand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.demo import DEMO_TRACE
from tilescope.cli import main, memory_option
from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup.tiles import stored_page
from tilescope.tiler.pages import PageKey
from tilescope.tiler.store import open_run_store
from tilescope.tiler.verify import verify


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "demo.store"
    build_store([DEMO_TRACE], path)
    return path


def root_page(store: Path) -> bytes:
    """The stored bytes of the page that begins with the first track's root."""
    run = open_run_store(store)
    try:
        page = stored_page(run, PageKey(0, run.manifest()["root_level"], 0, 0))
        assert page is not None
        return page
    finally:
        run.close()


def test_a_sound_store(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(store)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "5,673 events on 7 tracks" in out
    assert re.fullmatch(rf"{store}: everything agrees \([\d.]+ s\)", out.splitlines()[-1])


def test_an_altered_byte(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = root_page(store)
    (data,) = store.glob("**/data.mdb")
    content = bytearray(data.read_bytes())
    assert content.count(page) == 1
    content[content.index(page) + len(page) // 2] ^= 1
    data.write_bytes(content)
    assert main(["verify", str(store)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("tilescope: ")
    for what in ("track", "level", "tile"):
        assert what in err


def test_no_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(tmp_path)]) == 1
    assert capsys.readouterr().err.startswith(f"tilescope: {tmp_path}")


def test_the_memory_that_it_may_take(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify.DEFAULT_MEMORY_BYTES == memory_option.DEFAULT_MEMORY_BYTES
    assert main(["verify", "--memory", "1M", str(store)]) == 0
    assert "everything agrees" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["verify", "--memory", "much", str(store)])
    assert "is no size" in capsys.readouterr().err
