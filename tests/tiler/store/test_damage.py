"""Damaged stores: nothing ends by a signal, `verify` names what changes a record, and others are served.

`make damage` runs the campaign with 500 flipped bits and 50 cuts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

FLIPS = int(os.environ.get("TILESCOPE_FLIPS", "6"))
CUTS = int(os.environ.get("TILESCOPE_CUTS", "2"))
SEED = int(os.environ.get("TILESCOPE_DAMAGE_SEED", "1"))


def test_damage_of_every_sort() -> None:
    command = [sys.executable, "-m", "tests.tiler.store.damage_campaign", str(FLIPS), str(CUTS), str(SEED)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    found = json.loads(done.stdout)
    print(json.dumps(found["counts"], indent=1))
    assert found["wrong"] == []
    assert done.returncode == 0
    assert sum(count for kind, count in found["counts"].items() if "verify" in kind) == FLIPS + CUTS
    assert found["counts"]["cut: verify exits 1"] == CUTS
