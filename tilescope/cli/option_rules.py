"""Options that have an effect only with another option, or none beside one: refused, never silently ignored."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

_MEMBER: Final = "option_rules"  # of the parsed arguments


@dataclass(frozen=True, slots=True)
class OptionRule:
    """`options` need `other` on the command line; or, where `is_conflict`, may not stand beside it."""

    options: tuple[str, ...]
    other: str  # an option, or the metavar of a positional argument
    is_conflict: bool = False

    def broken_by(self, given: Collection[str]) -> str | None:
        """The words for the first of the given options that has no effect."""
        if (self.other in given) is not self.is_conflict:
            return None
        words = f"has no effect with {self.other}" if self.is_conflict else f"needs {self.other}"
        return next((f"{option} {words}" for option in self.options if option in given), None)


def only_with(parser: argparse.ArgumentParser, other: str, *options: str) -> None:
    """Declares that these options have an effect only with the other one."""
    _add(parser, OptionRule(options, other))


def not_with(parser: argparse.ArgumentParser, other: str, *options: str) -> None:
    """Declares that these options have no effect beside the other one."""
    _add(parser, OptionRule(options, other, is_conflict=True))


def broken_rule(parser: argparse.ArgumentParser, given: Collection[str]) -> str | None:
    """The words for the first rule of the parser that is broken by the options and arguments given; None: none is."""
    return next((words for rule in _rules(parser) if (words := rule.broken_by(given))), None)


def _rules(parser: argparse.ArgumentParser) -> Sequence[OptionRule]:
    return parser.get_default(_MEMBER) or ()


def _add(parser: argparse.ArgumentParser, rule: OptionRule) -> None:
    parser.set_defaults(**{_MEMBER: (*_rules(parser), rule)})
