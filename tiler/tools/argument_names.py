"""Names of columns and arguments in one text: separated by commas; one that has a comma stands in quotation marks."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable
from io import StringIO
from typing import Annotated, Final

from msgspec import Meta

from tilescope.tiler.errors import UsageError

ARGS_PREFIX: Final = "args."
MAX_NAMES: Final = 64
MAX_NAME: Final = 256

ArgumentName = Annotated[str, Meta(min_length=1, max_length=MAX_NAME)]
ColumnNames = Annotated[str, Meta(min_length=1, max_length=4096)]


def names_in(text: str, column_names: Collection[str], field: str) -> list[str]:
    """The names of columns, of `column_names` or of arguments, each once. Raises UsageError."""
    names = _parsed(text, field)
    for name in names:
        if name not in column_names and not (name.startswith(ARGS_PREFIX) and _is_name(name.removeprefix(ARGS_PREFIX))):
            raise UsageError(f"{field}: there is no {name[:80]!r}: there are {', '.join(column_names)}, and args.KEY")
    return names


def arguments_in(text: str, field: str) -> list[str]:
    """The names of arguments, each once. Raises UsageError."""
    names = _parsed(text, field)
    for name in names:
        if not _is_name(name):
            raise UsageError(f"{field}: {name[:80]!r} is no name of an argument: at most {MAX_NAME} characters of text")
    return names


def text_of_names(names: Iterable[str]) -> str:
    """As it is read above."""
    out = StringIO()
    csv.writer(out, lineterminator="").writerow(names)
    return out.getvalue()


def _parsed(text: str, field: str) -> list[str]:
    try:
        rows = list(csv.reader([text], strict=True))
    except csv.Error:
        raise UsageError(f"{field}: names are separated by commas, and one that has a comma is quoted") from None
    names = [name.strip() for name in rows[0]] if len(rows) == 1 else []
    if not names or len(names) > MAX_NAMES or len(set(names)) < len(names):
        raise UsageError(f"{field}: 1 to {MAX_NAMES} names are wanted, each once")
    return names


def _is_name(name: str) -> bool:
    return 0 < len(name) <= MAX_NAME and all(c.isprintable() or c > "\x9f" for c in name)
