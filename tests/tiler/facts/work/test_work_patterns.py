"""The table of kinds of work as the viewer has it: as it would be written now, and what can be written."""

from __future__ import annotations

import pytest

from tests.tiler.facts.work.write_work_patterns import (
    EXAMPLES,
    TYPESCRIPT,
    alternatives,
    examples_text,
    typescript_text,
)


def test_the_viewer_has_the_table_of_the_tools() -> None:
    assert TYPESCRIPT.read_text() == typescript_text(), "run `make types`"
    assert EXAMPLES.read_text() == examples_text(), "run `make types`"


def test_flags_hold_from_where_they_stand() -> None:
    assert list(alternatives(r"a|(?i)b(?:c|d)|[|)]|\(e\||(?-i:f)")) == [
        (False, "a"),
        (True, "b(?:c|d)"),
        (True, "[|)]"),
        (True, r"\(e\|"),
        (False, "(?:f)"),
    ]


@pytest.mark.parametrize("pattern", ["a(?i:b)", "(?i:a)b", "(?i:a)(?:b)", "(?:(?-i:a)|b)"])
def test_a_flag_for_a_part_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="a flag that holds for a part"):
        list(alternatives(pattern))
