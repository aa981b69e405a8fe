"""Rollups are proven in batches of any size, with the same result."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tiler.verify.altered_store import AlteredStore, Columns, decoded
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import Col
from tilescope.tiler.verify import VerifyReport, verify, verify_store


@pytest.fixture(params=[1, 700, 3000])
def batch_events(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture
def small_batches(batch_events: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "BYTES_PER_EVENT", verify.DEFAULT_MEMORY_BYTES // 8 // batch_events)


@pytest.fixture(scope="module")
def whole(built_store: Path) -> VerifyReport:
    return verify_store(built_store)


def test_the_report_is_the_same(built_store: Path, whole: VerifyReport, small_batches: None) -> None:
    assert verify_store(built_store) == whole


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("column", [Col.COUNT, Col.BUSY, Col.BUSY_RESIDUAL, Col.BIN_NAME, Col.LONGEST_MINUS_BUSY])
def test_a_wrong_bin_is_noticed_on_every_page(altered: AlteredStore, column: Col) -> None:
    for key, page in altered.pages().items():
        if not len(decoded(page).bins):
            continue

        def change(columns: Columns) -> None:
            columns[column][-1] += 1

        with altered.replaced(altered.rewritten(key, change)), pytest.raises(DamagedStore, match=r"level \d+, tile"):
            verify_store(altered.path)


def test_progress_reaches_the_end_and_may_stop_it(built_store: Path) -> None:
    told: list[tuple[float, str]] = []
    verify_store(built_store, progress=lambda fraction, what: told.append((fraction, what)))
    fractions = [fraction for fraction, _ in told]
    assert fractions == sorted(fractions)
    assert told[-1] == (1.0, "done")
    assert {"records", "tiles", "rollups"} <= {what for _, what in told}
