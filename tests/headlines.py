"""The sentence that an answer begins with."""

from __future__ import annotations

from tilescope.tiler.tools import Answer, Note


def headline(answer: Answer) -> Note:
    """Fails where the answer has none."""
    assert answer.headline is not None
    return answer.headline
