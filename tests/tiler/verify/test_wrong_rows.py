"""Rows of metadata that say something else than the metadata are noticed, whatever of them is wrong."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest
from msgspec import structs

from tests.tiler.verify.altered_store import AlteredStore
from tests.tpu_trace import random_core, write_trace
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.indexing import build_store
from tilescope.tiler.indexing.device import metadata_rows as making
from tilescope.tiler.pages import decompress
from tilescope.tiler.records.device import metadata_rows as stored_rows
from tilescope.tiler.records.device.metadata_rows import METADATA_ROWS, StoredRows
from tilescope.tiler.verify import stored_rows as proving
from tilescope.tiler.verify import verify_store


@pytest.fixture(scope="module")
def tpu(tmp_path_factory: pytest.TempPathFactory) -> AlteredStore:
    folder = tmp_path_factory.mktemp("run")
    rng = random.Random(5)
    for host in range(2):
        write_trace(folder / f"h{host}.xplane.pb", [random_core(rng, core) for core in range(2)])
    build_store(sorted(folder.glob("*.pb")), folder / "store")
    return AlteredStore(folder / "store")


def rows_of(store: AlteredStore) -> StoredRows:
    return StoredRows.of_chunks(list(map(decompress, store.records(METADATA_ROWS.letter).values())))


def records(rows: StoredRows) -> dict[bytes, bytes]:
    return {METADATA_ROWS.key(number): chunk for number, chunk in enumerate(rows.chunks())}


def test_rows_of_all_files(tpu: AlteredStore) -> None:
    report, rows = verify_store(tpu.path), rows_of(tpu)
    assert report.metadata_rows == len(rows.rows) > 3
    assert set(rows.files) == {0, 1}
    assert len(rows.forms)


def changed(column: np.ndarray, at: int, by: int) -> np.ndarray:
    found = column.copy()
    found.flat[at] += by
    return found


def other_stat(rows: StoredRows) -> StoredRows:
    return structs.replace(rows, rows=changed(rows.rows, 8, 1))  # a small number, or the value after it


def other_row(rows: StoredRows) -> StoredRows:
    column = rows.files[0]
    at = int(np.flatnonzero(column > 0)[0])
    return structs.replace(rows, files={**rows.files, 0: changed(column, at, -1)})


def no_row(rows: StoredRows) -> StoredRows:
    return structs.replace(rows, files={**rows.files, 1: np.full_like(rows.files[1], -1)})


def no_file(rows: StoredRows) -> StoredRows:
    return structs.replace(rows, files={0: rows.files[0]})


def other_value(rows: StoredRows) -> StoredRows:
    return structs.replace(rows, data=bytes([rows.data[0] ^ 1]) + rows.data[1:])


def other_words(rows: StoredRows) -> StoredRows:
    return structs.replace(rows, text_words=rows.text_words ^ np.uint8(2))


def nothing(rows: StoredRows) -> StoredRows:
    return StoredRows.nothing()


@pytest.mark.parametrize("alter", [other_stat, other_row, no_row, no_file, other_value, other_words, nothing])
def test_wrong_rows(tpu: AlteredStore, alter: Callable[[StoredRows], StoredRows]) -> None:
    with tpu.replaced(records(alter(rows_of(tpu)))), pytest.raises(DamagedStore, match="metadata"):
        verify_store(tpu.path)


def test_limits_hold_for_both(tpu: AlteredStore, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, limit in (("MAX_ROWS", 2), ("MAX_BYTES", 10)):
        with monkeypatch.context() as patched:
            patched.setattr(proving, name, limit)
            with pytest.raises(DamagedStore, match="where there is too much of it"):
                verify_store(tpu.path)
            with tpu.replaced(records(StoredRows.nothing())):
                assert not verify_store(tpu.path).metadata_rows


def test_as_much_as_there_may_be(tpu: AlteredStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever stores and whoever proves count bytes alike: the last limit at which there are rows is one for both."""
    folder, size = tpu.path.parent, 0
    for step in (1 << power for power in range(12, -1, -1)):
        monkeypatch.setattr(making, "MAX_BYTES", size + step)
        build_store(sorted(folder.glob("*.pb")), folder / "limited", force=True)
        size += 0 if len(rows_of(AlteredStore(folder / "limited")).rows) else step
    size += 1
    monkeypatch.setattr(making, "MAX_BYTES", size)
    monkeypatch.setattr(proving, "MAX_BYTES", size)
    build_store(sorted(folder.glob("*.pb")), folder / "limited", force=True)
    assert verify_store(folder / "limited").metadata_rows
    monkeypatch.setattr(proving, "MAX_BYTES", size - 1)
    with pytest.raises(DamagedStore, match="where there is too much of it"):
        verify_store(folder / "limited")


def test_chunks_of_several(tpu: AlteredStore, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = rows_of(tpu)
    monkeypatch.setattr(stored_rows, "CHUNK_BYTES", 100)
    chunks = records(whole)
    assert len(chunks) > 3
    with tpu.replaced(chunks):
        assert verify_store(tpu.path).metadata_rows
        for missing in (0, 2, len(chunks) - 1):
            with tpu.replaced({METADATA_ROWS.key(missing): None}), pytest.raises(DamagedStore, match="metadata"):
                verify_store(tpu.path)
