"""Lines of a log that come again and again."""

from __future__ import annotations

import logging
import time

import pytest

from tilescope.cli import seldom
from tilescope.cli.seldom import Seldom


def test_a_line_is_written_once_in_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(seldom, "_KEPT", 2)
    written: list[str] = []
    log = Seldom()

    def say(text: str, *arguments: object) -> None:
        record = logging.LogRecord("server", logging.WARNING, "", 0, text, arguments, None)
        if log.filter(record):
            written.append(record.getMessage())

    for k in range(50):
        say("refused %s", "10.0.0.1")
        say("refused %s", "10.0.0.2")
        now[0] = k * 0.1
    assert written == ["refused 10.0.0.1", "refused 10.0.0.2"]
    now[0] = 10.0
    say("refused %s", "10.0.0.1")
    say("other")
    say("refused %s", "10.0.0.2")  # forgotten, since there was no room for it
    assert written[2:] == ["refused 10.0.0.1 (and 49 times since 10 s)", "other", "refused 10.0.0.2"]
