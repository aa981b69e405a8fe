"""Captures of the corpus as stores."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import tilescope
from tests.corpus import corpus_path
from tilescope import Run
from tilescope.tiler.indexing import build_store
from tilescope.tiler.readers.logdir import find_run


@pytest.fixture(scope="session")
def corpus() -> Path:
    return corpus_path("ascend")


def index(folder: Path, store: Path) -> Path:
    """A store of the only run in a folder, or archive."""
    build_store(list(find_run(folder).files), store)
    return store


@pytest.fixture(scope="module")
def run_1(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """The capture `run_1`, which has no timeline in JSON."""
    with tilescope.connect(index(corpus / "run_1", tmp_path_factory.mktemp("run_1") / "store")) as client:
        yield client.run()


@pytest.fixture(scope="module")
def drawn_run_1(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """The same with its timeline."""
    folder = tmp_path_factory.mktemp("drawn") / "profiler"
    folder.mkdir()
    for file in (*(corpus / "run_1").iterdir(), corpus / "timeline_display_1.json"):
        (folder / file.name).symlink_to(file)
    with tilescope.connect(index(folder, folder.parent / "store")) as client:
        yield client.run()
