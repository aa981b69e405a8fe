"""Writes all stand-ins into a folder, and prints their paths: for tests that are not written in Python."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.standins.written import write_standins

print(*write_standins(Path(sys.argv[1])), sep="\n")
