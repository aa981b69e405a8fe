"""Files of rules that say what kind of work names are, and files that are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilescope.tiler.errors import UsageError
from tilescope.tiler.work_rules import (
    MAX_FILE_BYTES,
    MAX_PATTERN_CHARS,
    MAX_RULES,
    NO_WORK_RULES,
    WorkRule,
    WorkRules,
    read_work_rules,
)


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "rules.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_rules_in_their_order(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """
        [[rule]]
        kind = "communication"
        pattern = "^my_exchange"
        [[rule]]
        kind = "none"
        pattern = "spin"
        category = "kernel"
        """,
    )
    rules = WorkRule("communication", "^my_exchange"), WorkRule("none", "spin", "kernel")
    assert read_work_rules(path) == WorkRules(rules, "rules.toml")


RULE = '[[rule]]\nkind = "copy"\npattern = "x"\n'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "has no rules"),
        ("rule = 3", "has no rules"),
        ("rule = [3]", "rule 1: is no table"),
        ("rules = 3", "'rules' is not known"),
        ("[[rule]", "is no TOML"),
        (b"\xff", "byte 0 is no UTF-8"),
        (
            RULE + '[[rule]]\nkind = "comm"\npattern = "x"',
            "rule 2: kind is one of none, computation, communication, co",
        ),
        ('[[rule]]\npattern = "x"', "rule 1: kind is one of none, computation, communication, copy, not nothing"),
        ('[[rule]]\nkind = ["copy"]\npattern = "x"', "rule 1: kind is one of"),
        ('[[rule]]\nkind = "copy"', "rule 1: has no pattern"),
        ('[[rule]]\nkind = "copy"\npattern = 3', "rule 1: pattern is a text, not 3"),
        ('[[rule]]\nkind = "copy"\npattern = "x("', "rule 1: pattern 'x(' is no regular expression: missing )"),
        ('[[rule]]\nkind = "copy"\ncategory = "(?=x)"', "rule 1: category '(?=x)' is no regular expression"),
        ('[[rule]]\nkind = "copy"\npattern = "((a{100}){100}){100}"', "rule 1: pattern"),
        ('[[rule]]\nkind = "copy"\npatern = "x"', "rule 1: 'patern' is not known"),
        (f'[[rule]]\nkind = "copy"\npattern = "{"x" * (MAX_PATTERN_CHARS + 1)}"', "characters, of at most 1,000"),
        (RULE * (MAX_RULES + 1), f"has {MAX_RULES + 1} rules, of at most {MAX_RULES}"),
        ("#" * (MAX_FILE_BYTES + 1), "rules have at most"),
        ("x = " + "[" * 100_000, "is no TOML"),
    ],
)
def test_what_is_none_is_one_line_that_names_file_and_rule(text: str | bytes, says: str, tmp_path: Path) -> None:
    path = written(tmp_path, text)
    with pytest.raises(UsageError) as failure:
        read_work_rules(path)
    message = str(failure.value)
    assert message.startswith(f"{path}: ")
    assert says in message
    assert "\n" not in message
    assert len(message) < len(str(path)) + 400


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_work_rules(tmp_path / "gone.toml")
    with pytest.raises(UsageError, match="cannot be read"):
        read_work_rules(tmp_path)


def test_a_tag_is_of_rules_and_of_their_order() -> None:
    one, two = WorkRule("copy", "a"), WorkRule("communication", "b")
    several = [WorkRules((one, two), "x"), WorkRules((two, one), "x"), WorkRules((one,), "x"), WorkRules((one,), "y")]
    assert len({rules.tag for rules in several}) == len(several)
    assert several[0].tag == WorkRules((one, two), "x").tag
    assert NO_WORK_RULES.tag == ""


def test_a_number_of_thousands_of_digits_is_said(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(f"number = {'9' * 5000}")
    with pytest.raises(UsageError, match=r"rules\.toml: is no TOML"):
        read_work_rules(path)
