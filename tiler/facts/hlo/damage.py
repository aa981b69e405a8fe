"""Damage of an HLO proto. Pages go on without the proto, with names and times."""

from __future__ import annotations


class HloDamage(ValueError):
    """An HLO proto that cannot be read, or takes more memory than it may. `str()` is one line."""
