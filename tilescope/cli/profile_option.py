"""WorkProfile of an indexing, for those who make it faster: an option of `tilescope index`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tilescope.cli.option_rules import not_with
from tilescope.cli.say import complain
from tilescope.cli.whole_file import whole_file


def add_profile_option(parser: argparse.ArgumentParser) -> None:
    """Declares --profile."""
    parser.add_argument(
        "--profile",
        type=Path,
        metavar="FILE",
        help="write a trace of the indexing itself: stages, native calls and waits of each thread",
    )
    not_with(parser, "--executor", "--profile")


@contextmanager
def profile_into(path: Path | None) -> Iterator[None]:
    """Records the block into a trace, and prints its summary on stderr; nothing without a path.

    Raises OSError before the block where the file cannot be written. A block that fails leaves none.
    """
    if path is None:
        yield
        return
    from tilescope.tiler.profile.native_calls import recorded_build
    from tilescope.tiler.profile.spans import WorkProfile
    from tilescope.tiler.profile.summary import ProfileSummary
    from tilescope.tiler.profile.trace_file import write_profile

    with whole_file(path) as file:
        profile = WorkProfile()
        with recorded_build(profile):
            yield
        write_profile(profile, file)
    for line in ProfileSummary.from_profile(profile).lines():
        complain(line)
