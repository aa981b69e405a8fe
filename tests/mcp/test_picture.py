"""Pictures of the timeline: small, whatever is in them."""

from __future__ import annotations

import random
from io import BytesIO

import pytest

pytest.importorskip("PIL", reason="Pillow is not installed: pip install 'tilescope[mcp]'")

from PIL import Image

from tilescope.mcp.picture import MOST_BYTES, small_file


def test_a_picture_of_noise_is_small_too() -> None:
    noise = Image.frombytes("RGB", (1200, 900), random.Random(5).randbytes(1200 * 900 * 3))
    png = small_file(noise)
    assert len(png) <= MOST_BYTES
    drawn = Image.open(BytesIO(png))
    assert drawn.width < 1200
    assert drawn.width * 3 == drawn.height * 4
