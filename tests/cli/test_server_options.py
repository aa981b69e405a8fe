"""Options of the commands that serve: defaults that the help names, and the settings that they give."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from tilescope.cli import access_options, server_options
from tilescope.cli.access_options import make_settings
from tilescope.cli.parser import build_parser
from tilescope.cli.sql_option import with_sql
from tilescope.cli.upload_options import with_uploads
from tilescope.server.guard.upload_rules import NOBODY
from tilescope.server.settings import DEFAULTS, Settings
from tilescope.tiler.caches import DEFAULT_LIMIT_BYTES
from tilescope.tiler.errors import UsageError

SQL_IS_INSTALLED = all(find_spec(name) is not None for name in ("duckdb", "pyarrow"))


def test_defaults_of_memory_in_the_help_are_the_real_ones() -> None:
    assert server_options.QUESTION_CACHE_BYTES == DEFAULT_LIMIT_BYTES == DEFAULTS.cache_bytes == 512 << 20
    assert server_options.KEPT_ANSWERS_BYTES == DEFAULTS.kept_answers_bytes == 64 * 10**6


def test_the_limits_in_the_help_are_the_real_ones() -> None:
    args = build_parser().parse_args(["serve", "x.store"])
    assert access_options.make_settings(args) == DEFAULTS
    assert args.connections_per_client == DEFAULTS.max_connections_per_client


def test_so_much_is_kept_of_answers_as_was_given() -> None:
    args = build_parser().parse_args(["view", "x.store", "--kept-answers", "1.5GB"])
    assert access_options.make_settings(args).kept_answers_bytes == 1_500_000_000


def test_caches_of_questions_have_the_given_limit() -> None:
    args = build_parser().parse_args(["view", "x.store", "--question-cache", "100MB"])
    assert access_options.make_settings(args).cache_bytes == 100_000_000


def test_the_limits_of_one_client_are_those_that_were_given() -> None:
    given = ["--connections-per-client", "5000", "--questions-per-client", "500", "--questions-per-connection", "3"]
    settings = access_options.make_settings(build_parser().parse_args(["serve", "x.store", *given]))
    assert (settings.max_connections_per_client, settings.max_connections) == (5000, 5000)
    assert (settings.max_questions_per_client, settings.max_questions) == (500, 500)
    assert settings.max_questions_per_connection == 3


@pytest.mark.parametrize("text", ["0", "-1", "x", "1e3", "9999999999", ""])
def test_a_limit_is_a_number(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        build_parser().parse_args(["serve", "x.store", "--questions-per-client", text])
    assert "a limit is a number from 1" in capsys.readouterr().err


def test_uploads_and_sql_are_for_the_browser_of_a_start_or_for_a_token() -> None:
    def settings_of(*words: str) -> Settings:
        args = build_parser().parse_args(list(words))
        is_view = words[0] == "view"
        return with_sql(with_uploads(make_settings(args), args, is_view=is_view), args, is_view=is_view)

    token = ("--token", "a-token-of-some-length")
    first, second = settings_of("view", "x"), settings_of("view", "x")
    assert first.uploads.is_allowed
    assert first.sql.is_allowed == SQL_IS_INSTALLED
    assert not first.start.is_open
    assert first.start.token != second.start.token, "each start has its own"
    assert (first.uploads.per_client_bytes, first.uploads.all_bytes) == (NOBODY.per_client_bytes, NOBODY.all_bytes)
    closed = settings_of("view", "x", "--no-open", "--no-sql")
    assert (closed.uploads.is_allowed, closed.sql.is_allowed, closed.start.is_open) == (False, False, False)
    plain = settings_of("serve", "x", *token)
    assert (plain.uploads.is_allowed, plain.sql.is_allowed) == (False, False)
    allowed = settings_of("serve", "x", *token, "--allow-open", "--open-size", "1GB", "--open-per-client", "1MB")
    assert (allowed.uploads.is_allowed, allowed.start.is_open) == (True, True)
    assert (allowed.uploads.all_bytes, allowed.uploads.per_client_bytes) == (10**9, 10**6)
    if SQL_IS_INSTALLED:
        assert settings_of("serve", "x", *token, "--allow-sql").sql.is_allowed
    for option in ("--allow-open", "--allow-sql"):
        with pytest.raises(UsageError, match=f"{option} needs a token"):
            settings_of("serve", "x", option)
        with pytest.raises(UsageError, match="needs a token"):  # whoever reaches the proxy could send
            settings_of("serve", "x", option, "--allow-host", "profiles.example.org")
