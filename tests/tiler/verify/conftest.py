"""A store that is built once, and copied for each test that alters it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tiler.json_traces import busy_events, write_trace
from tests.tiler.verify.altered_store import AlteredStore
from tilescope.tiler.indexing import build_store


@pytest.fixture(scope="session")
def built_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("verify")
    beside = {"otherData": {"version": "1"}, "stackFrames": {str(k): {"name": f"f{k * k}"} for k in range(20_000)}}
    build_store([write_trace(folder / "trace.json", busy_events(1), **beside)], folder / "store")
    return folder / "store"


@pytest.fixture
def altered(built_store: Path, tmp_path: Path) -> AlteredStore:
    return AlteredStore.copy_of(built_store, tmp_path / "store")
