"""What the manifest says of outliers is proven."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.reports.traces import index_report
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.store import open_run_store
from tilescope.tiler.verify.catalogue import Catalogue
from tilescope.tiler.verify.outliers import OutlierCheck

NAMES = ("async_46_years_before.json", "zero_time_in_epoch_trace.json", "kernel_overruns_stream.json")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "change",
    [
        None,
        {"before": "2"},
        {"after": "7"},
        {"end": "5"},
        {"events": [{"ordinal": "1"}]},
        {"events": [{"end": "9"}]},
        {"events": [{"track": 99}]},
        {"start": "x"},
    ],
)
def test_a_wrong_record_is_found(
    name: str, change: dict[str, Any] | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index_report(name, tmp_path / "store").close()
    with closing(open_run_store(tmp_path / "store")) as store:
        manifest = store.manifest()
        record = dict(manifest["outliers"])
        for field, value in (change or {}).items():
            record[field] = [record[field][0] | value[0]] if isinstance(value, list) else value
        monkeypatch.setattr(type(store), "manifest", lambda _: {**manifest, "outliers": record})
        check = OutlierCheck(store, Catalogue.read(store))
        if change is None:
            check.check()
        else:
            with pytest.raises(DamagedStore):
                check.check()
