"""The themes in which pages are looked at: the dark one on every run, both in `make test-deep`."""

from __future__ import annotations

from typing import Final

import pytest

THEMES: Final = ("dark", pytest.param("light", marks=pytest.mark.deep))
