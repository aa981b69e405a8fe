"""Decoding of event arguments, one module per encoding of `TraceSummary.args_encoding`.

Tables are unpacked once per file, arguments once per click.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tilescope.tiler.details import json_args, xstat
from tilescope.tiler.details.xstat_tables import XStatTables

ArgsDecoder = Callable[[bytes], list[tuple[str, object]]]


def decoder_for(encoding: str, tables: XStatTables | None) -> ArgsDecoder:
    """A function from one event's argument bytes to its arguments, in order, as (name, value).

    Values are None, bool, int, float, str, lists and dicts of these. Raises `ValueError` for an unknown encoding.
    """
    if encoding == "xstat" and tables is not None:
        return partial(xstat.decode, tables=tables)
    if encoding == "json":
        return json_args.decode
    raise ValueError(f"unknown encoding of arguments: {encoding!r}")
