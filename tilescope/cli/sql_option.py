"""Statements of SQL that a server runs: for whom."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from tilescope.tiler.errors import UsageError

if TYPE_CHECKING:
    from tilescope.server.settings import Settings


def add_sql_option(parser: argparse.ArgumentParser, *, is_view: bool) -> None:
    """Declares --no-sql or --allow-sql."""
    if is_view:
        parser.add_argument(
            "--no-sql",
            action="store_true",
            help="run no SQL; otherwise the browser that this command has opened, or that was given the printed URL, "
            "may run some, where the extra sql is installed",
        )
    else:
        parser.add_argument(
            "--allow-sql",
            action="store_true",
            help="whoever has the token may run SQL over the tables of runs, in a process that reads nothing else",
        )


def with_sql(settings: Settings, args: argparse.Namespace, *, is_view: bool) -> Settings:
    """The settings with the rules of SQL. Raises `UsageError`."""
    from tilescope.server.guard.sql_rules import SqlRules

    if is_view and args.no_sql:
        return replace(settings, sql=SqlRules(reason="this server runs no SQL: start it without --no-sql"))
    if is_view:
        lack = _lack()
        return replace(settings, sql=SqlRules(is_allowed=lack is None, reason=lack or ""))
    if not args.allow_sql:
        return settings
    if settings.access.is_open:
        raise UsageError("--allow-sql needs a token (--token-file): else whoever reaches the server could run SQL")
    lack = _lack()
    if lack is not None:
        raise UsageError(f"--allow-sql: {lack}")
    return replace(settings, sql=SqlRules(is_allowed=True))


def _lack() -> str | None:
    """Packages that SQL lacks here, in a line; None where it can be run. Loads none: a start is not to wait for it."""
    from importlib.util import find_spec

    missing = [name for name in ("duckdb", "pyarrow") if find_spec(name) is None]
    return f"{' and '.join(missing)} is not installed: pip install 'tilescope[sql]'" if missing else None
