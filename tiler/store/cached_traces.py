"""Traces from which the stores of a cached run were made: `TRACES` beside them, a JSON list of paths.

A store knows names, sizes and times of its traces, not where they lie: it is the same wherever it is made. What is
cached may go when its traces are gone, so that the place of these is kept in the cache, which nobody else reads.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from tilescope.tiler.readers.fingerprint import archive_of

FILE: Final = "TRACES"


def remember_traces(store: Path, files: Iterable[Path]) -> None:
    """Writes down the traces of a store that lies in a folder of its run. If that fails, they are just not known."""
    content = json.dumps([str(file.absolute()) for file in files]).encode()
    with suppress(OSError):
        handle, name = tempfile.mkstemp(prefix=f".{FILE}-", dir=store.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            Path(name).replace(store.parent / FILE)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def are_gone(run_folder: Path) -> bool:
    """True if none of the traces of a run exists any more. False where it is not known what they are."""
    try:
        files = json.loads((run_folder / FILE).read_bytes())
    except (OSError, ValueError):
        return False
    return bool(files) and isinstance(files, list) and not any(map(_exists, files))


def forget_traces(run_folder: Path) -> None:
    """Removes what was written down of a run that has no store any more."""
    with suppress(OSError):
        (run_folder / FILE).unlink(missing_ok=True)


def _exists(file: object) -> bool:
    """Also of a member of an archive; what cannot be looked at counts as there."""
    try:
        place = archive_of(Path(str(file)))
    except FileNotFoundError:
        return False
    except (OSError, ValueError):
        return True
    return place == Path(str(file)) or place.is_file()
