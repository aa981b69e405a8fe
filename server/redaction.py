"""Redaction of the server's paths: clients see the names of files and runs, and not the folders that they lie in."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

# Messages begin with the path that they are about; elsewhere in them, a path ends at a space.
_FIRST: Final = re.compile(r"^/(?:[^/:]*/)*")
_LATER: Final = re.compile(r"(?<=[\s('\"])/(?:[^\s/:]+/)*(?=[^\s/])")


def without_folders(message: str) -> str:
    """`/data/logs/a.json: bad` → `a.json: bad`. Relative paths stay as they are."""
    return _LATER.sub("", _FIRST.sub("", message))


def path_below(root: Path, path: Path | str) -> str:
    """The path of what was found at or below a served one, from the name of that one on; relative paths as given."""
    path = Path(path)
    if not path.is_absolute():
        return str(path)
    # As texts: of ten thousand paths, taking each apart costs more than all else in a list.
    top, text = str(root.absolute()).rstrip("/"), str(path)
    if text == top:
        return root.absolute().name
    if not text.startswith(f"{top}/"):  # it was found through a link
        return path.name
    return text[len(top.rpartition("/")[0]) + 1 :] if top else text[1:]
