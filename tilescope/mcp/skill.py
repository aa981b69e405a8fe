"""The skill that ships in the wheel: what an agent reads before it asks."""

from __future__ import annotations

from pathlib import Path
from typing import Final

SKILL: Final = Path(__file__).parent / "SKILL.md"


def install_skill(folder: Path) -> Path:
    """Writes FOLDER/tilescope/SKILL.md, and returns its path. Raises OSError."""
    place = folder.expanduser() / "tilescope" / SKILL.name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(SKILL.read_bytes())
    return place
