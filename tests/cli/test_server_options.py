"""Options of the commands that serve: defaults that the help names, and the settings that they give."""

from __future__ import annotations

import pytest

from tilescope.cli import access_options, server_options
from tilescope.cli.parser import build_parser
from tilescope.server.settings import DEFAULTS
from tilescope.tiler.caches import DEFAULT_LIMIT_BYTES


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
