"""xprof's sentence about what holds a run up, of those runs that it opens: an XSpace, packed or in an archive."""

from __future__ import annotations

import gzip
import html
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from zipfile import ZipFile

from bench.xprof_compare.case import Case
from bench.xprof_compare.peer import ask_xprof
from bench.xprof_peer import why_not

NO_XSPACE: Final = "(no XSpace: xprof does not open it)"
NO_ANSWER: Final = "(no answer)"

_PAGE: Final = "overview_page"
_SUFFIX: Final = ".xplane.pb"
_STATEMENTS: Final = ("statement", "input_conclusion")  # the first of these that says anything
_TAG: Final = re.compile(r"<[^>]*>")


def xprof_sentences(python: Path | None, runs: Mapping[str, Path], folder: Path) -> dict[str, str]:
    """The sentence about each run, by name: of its file, archive or folder. In brackets, why there is none.

    `python` has xprof. The folder is where runs are unpacked.
    """
    cases = [Case(name, _unpacked(path, folder / "unpacked" / name)) for name, path in runs.items()]
    opened = [case for case in cases if case.files]
    sentences = {case.name: NO_XSPACE for case in cases if not case.files}
    reason = why_not(python)
    if python is None or reason is not None:
        return sentences | {case.name: f"(xprof is not there: {reason})" for case in opened}
    if opened:
        ask_xprof(python, opened, [_PAGE], folder)
    return sentences | {case.name: statement(case.theirs.get(_PAGE)) for case in opened}


def statement(page: Any) -> str:
    """The sentence of an overview page, without its markup."""
    properties = [table["p"] for table in page or () if isinstance(table, dict) and isinstance(table.get("p"), dict)]
    for name in _STATEMENTS:
        for table in properties:
            if text := " ".join(html.unescape(_TAG.sub("", str(table.get(name) or ""))).split()):
                return text
    return NO_ANSWER


def _unpacked(path: Path, folder: Path) -> list[Path]:
    """The files of an XSpace as xprof reads them; none where it is no such run."""
    folder.mkdir(parents=True)
    if path.suffix == ".zip":
        with ZipFile(path) as archive:
            names = [name for name in archive.namelist() if name.endswith(_SUFFIX)]
            return [Path(archive.extract(name, folder)) for name in names]
    if path.name.endswith(f"{_SUFFIX}.gz"):
        target = folder / path.name.removesuffix(".gz")
        with gzip.open(path) as packed, target.open("wb") as file:
            shutil.copyfileobj(packed, file)
        return [target]
    if path.is_dir():
        return sorted(path.rglob(f"*{_SUFFIX}"))
    return [path] if path.name.endswith(_SUFFIX) else []
