"""By which rules kinds of work are told: an option of whatever answers questions."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tilescope.tiler.work_rules import WorkRules


def add_work_rules_option(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Declares --work-rules."""
    parser.add_argument(
        "--work-rules",
        type=Path,
        metavar="FILE",
        help="your rules of what is communication, computation, copy or none, before the built-in table; a TOML file "
        'of patterns: [[rule]] kind="copy" pattern="^my_copy" (each on a line of its own)',
    )


def work_rules_of(args: argparse.Namespace) -> WorkRules:
    """The rules that the option names; none without it. Raises UsageError."""
    from tilescope.tiler.work_rules import NO_WORK_RULES, read_work_rules

    return NO_WORK_RULES if args.work_rules is None else read_work_rules(args.work_rules)
