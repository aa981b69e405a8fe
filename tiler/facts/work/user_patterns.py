"""The rules of a user as patterns that are searched in names."""

from __future__ import annotations

from collections.abc import Callable

from tilescope.tiler.facts.work.kernel_function import MAX_NAME_CHARS
from tilescope.tiler.facts.work.kinds import Origin, Work, code_of
from tilescope.tiler.facts.work.rule import searcher
from tilescope.tiler.query import Name
from tilescope.tiler.work_rules import WorkRule, WorkRules


class UserPatterns:
    """Says of names what the first rule that matches makes of them."""

    def __init__(self, rules: WorkRules) -> None:
        self._rules = [_UserPattern(rule) for rule in rules.rules]
        # Most names are of no rule, which one search tells.
        self._is_any = searcher([rule.pattern for rule in rules.rules]) if rules.rules else None

    def code(self, name: Name, *, is_work: bool = True) -> int | None:
        """Kind and origin; None: no rule is about it. `is_work`: it is work of a device by its format."""
        if self._is_any is None:
            return None
        text = as_bytes(name.text[:MAX_NAME_CHARS])
        if not self._is_any(text):
            return None
        category = as_bytes(name.category)
        for rule in self._rules:
            if (is_work or rule.names_category) and rule.is_match(text, category):
                return rule.code
        return None


class _UserPattern:
    def __init__(self, rule: WorkRule) -> None:
        self.code = code_of(Work[rule.kind.upper()], Origin.USER)
        self.names_category = bool(rule.category)
        self._is_text: Callable[[bytes], bool] = searcher([rule.pattern])
        self._is_category: Callable[[bytes], bool] = searcher([rule.category])

    def is_match(self, text: bytes, category: bytes) -> bool:
        return self._is_text(text) and self._is_category(category)


def as_bytes(text: str) -> bytes:
    """A text as patterns are searched in it."""
    return text.encode("utf-8", "replace")
