"""Archives on web servers that behave badly: what was archived, or one line that says why not."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import urllib3

from tests.remote.static_server import Behaviour, static_server
from tests.server.nginx import needs_nginx, nginx_of_files
from tests.tiler.store.archive.altered_archive import AlteredArchive
from tests.tiler.store.archive.dict_store import DictStore, random_records
from tests.tiler.store.archive.test_archive_reader import written
from tilescope.remote.address import Address
from tilescope.remote.retries import Retries
from tilescope.remote.steady_pool import steady_pool
from tilescope.remote.web_blob import WebBlob
from tilescope.remote.web_requests import WebRequests
from tilescope.tiler.blobs import HeadBlob
from tilescope.tiler.blobs.head_blob import HEAD_BYTES
from tilescope.tiler.errors import NoStore, StoreError
from tilescope.tiler.store.archive import open_archive


@cache
def archive() -> tuple[dict[bytes, bytes], bytes]:
    """Records, and an archive of them."""
    store = DictStore(random_records(3, 9_000))
    return store.entries, written(store).data


@pytest.fixture
def behaviour() -> Behaviour:
    return Behaviour({"/run.tsarc": archive()[1]})


@pytest.fixture
def origin(behaviour: Behaviour) -> Iterator[str]:
    with static_server(behaviour) as origin:
        yield origin


@pytest.fixture
def pool() -> Iterator[urllib3.PoolManager]:
    with steady_pool(8, 8) as pool:
        yield pool


def records(origin: str, pool: urllib3.PoolManager) -> dict[bytes, bytes]:
    """All records, by a client that pauses for no time."""
    retries = Retries(first_pause_s=0.0, sleep=lambda _: None)
    blob = WebBlob(Address.parse(f"{origin}/run.tsarc"), WebRequests(lambda _: pool, {}), retries)
    store = open_archive(HeadBlob(blob), keeps_values=True)
    try:
        return dict(store.records())
    finally:
        store.close()


def refused(origin: str, pool: urllib3.PoolManager) -> str:
    with pytest.raises(StoreError) as error:
        records(origin, pool)
    message = str(error.value)
    assert message.startswith(f"{origin}/run.tsarc: ")
    assert "\n" not in message
    return message


def test_hosts_that_break_off_and_throttle(origin: str, behaviour: Behaviour, pool: urllib3.PoolManager) -> None:
    behaviour.cut_after = [100, 50_000, 7, 1, 3000]
    behaviour.refused = [(429, {"Retry-After": "1"}), (503, {}), (500, {}), (429, {})]
    behaviour.delay_s = 0.005
    assert records(origin, pool) == archive()[0]


@pytest.mark.parametrize("has_etags", [True, False])
def test_hosts_with_and_without_etags(
    origin: str, behaviour: Behaviour, pool: urllib3.PoolManager, has_etags: bool
) -> None:
    behaviour.has_etags = has_etags
    assert records(origin, pool) == archive()[0]


def test_hosts_that_throttle_for_good(origin: str, behaviour: Behaviour, pool: urllib3.PoolManager) -> None:
    for status, line in ((429, "too many requests"), (503, "too many requests"), (403, "refuses it with status 403")):
        behaviour.refused = [(status, {})] * 20
        assert line in refused(origin, pool)
    behaviour.refused = [(404, {})]
    with pytest.raises(NoStore, match="no such object"):
        records(origin, pool)


def test_hosts_without_ranges(origin: str, behaviour: Behaviour, pool: urllib3.PoolManager) -> None:
    behaviour.has_ranges = False
    assert "sends whole objects only" in refused(origin, pool)


def test_lengths_that_are_not_true(origin: str, behaviour: Behaviour, pool: urllib3.PoolManager) -> None:
    for wrong_bytes, line in (
        (1, "has bytes behind its end"),
        (-1, "is cut short"),
        (10**13, "has bytes behind its end"),
    ):
        behaviour.wrong_bytes = wrong_bytes
        assert line in refused(origin, pool)
    behaviour.wrong_bytes = 0
    behaviour.wrong_range = True
    assert "another range" in refused(origin, pool)


def test_an_archive_cut_at_every_bound(origin: str, behaviour: Behaviour, pool: urllib3.PoolManager) -> None:
    data = archive()[1]
    bounds = AlteredArchive.parse(data).bounds()
    cuts = {bound + step for bound in (*bounds, HEAD_BYTES, 0, 8, 64) for step in (-1, 0, 1)}
    cuts |= {random.Random(1).randrange(len(data)) for _ in range(10)}
    for cut in sorted(cut for cut in cuts if 0 <= cut < len(data)):
        behaviour.objects["/run.tsarc"] = data[:cut]
        behaviour.etags["/run.tsarc"] = f'"{cut}"'
        message = refused(origin, pool)
        assert "is cut short" in message or cut < 12, (cut, message)


def test_an_archive_that_is_replaced_while_it_is_read(
    origin: str, behaviour: Behaviour, pool: urllib3.PoolManager
) -> None:
    blob = WebBlob(Address.parse(f"{origin}/run.tsarc"), WebRequests(lambda _: pool, {}))
    store = open_archive(HeadBlob(blob), keeps_values=True)
    behaviour.etags["/run.tsarc"] = '"2"'
    with pytest.raises(StoreError, match=r"run\.tsarc: the archive was replaced while it was open"):
        dict(store.records())
    assert records(origin, pool) == archive()[0]


@needs_nginx
def test_nginx(tmp_path: Path, pool: urllib3.PoolManager) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "run.tsarc").write_bytes(archive()[1])
    with nginx_of_files(tmp_path / "files", tmp_path / "nginx") as origin:
        assert records(origin, pool) == archive()[0]
