"""A manifest that calls other families the busiest than the events do."""

from __future__ import annotations

import json

import pytest

from tests.tiler.verify.altered_store import AlteredStore
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import compress, decompress
from tilescope.tiler.records.manifest import MANIFEST
from tilescope.tiler.verify import verify_store


def with_families(store: AlteredStore, families: list[str] | None) -> dict[bytes, bytes | None]:
    manifest = json.loads(decompress(store.records(MANIFEST.key())[MANIFEST.key()]))
    if families is None:
        del manifest["public"]["families"]
    else:
        manifest["public"]["families"] = families
    return {MANIFEST.key(): compress(json.dumps(manifest).encode())}


def told(store: AlteredStore) -> list[str]:
    manifest = json.loads(decompress(store.records(MANIFEST.key())[MANIFEST.key()]))
    families: list[str] = manifest["public"]["families"]
    return families


def test_other_families_or_another_order(altered: AlteredStore) -> None:
    families = told(altered)
    assert len(families) > 1
    for wrong in (families[::-1], families[1:], [*families[:-1], "spam"], []):
        with altered.replaced(with_families(altered, wrong)), pytest.raises(DamagedStore, match="families"):
            verify_store(altered.path)


def test_a_store_from_before_there_were_families_is_right(altered: AlteredStore) -> None:
    with altered.replaced(with_families(altered, None)):
        verify_store(altered.path)
