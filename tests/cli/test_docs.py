"""docs/cli.md says what the commands say."""

from __future__ import annotations

from tests.cli.write_cli_docs import PAGE, render


def test_the_page_is_what_the_help_texts_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == render(), "run `make cli-docs`"
