"""The trace that ships with the project: a real capture that every test may read."""

from __future__ import annotations

from pathlib import Path

DEMO_LOGDIR = Path(__file__).resolve().parent.parent / "docs" / "demo"
(DEMO_TRACE,) = DEMO_LOGDIR.glob("plugins/profile/*/*.xplane.pb")
