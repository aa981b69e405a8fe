"""Cycles are looked for seldom while a run is indexed, and as before afterwards."""

from __future__ import annotations

import gc
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.demo import DEMO_TRACE
from tilescope.tiler.garbage import collect_seldom, seldom_collected

# A command that its caller runs itself: not by `leave`, which takes nothing apart.
INDEX = """
import sys
from tilescope.cli import main
from tilescope.tiler.tools import tools

tools()
sys.exit(main(["index", *sys.argv[1:]]))
"""


@pytest.mark.parametrize("before", [(700, 10, 10), (0, 10, 10), (100_000, 5, 5)])
def test_thresholds_are_raised_and_put_back(before: tuple[int, int, int]) -> None:
    own = gc.get_threshold()
    gc.set_threshold(*before)
    try:
        with suppress(ZeroDivisionError), seldom_collected():
            within = gc.get_threshold()
            assert 1 // 0
        assert gc.get_threshold() == before
    finally:
        gc.set_threshold(*own)
    assert within[0] == (max(before[0], 50_000) if before[0] else 0)
    assert all(now >= then for now, then in zip(within, before, strict=True))


@pytest.mark.parametrize("first_ends_first", [True, False])
def test_of_blocks_in_several_threads_the_last_puts_thresholds_back(*, first_ends_first: bool) -> None:
    """A server lists folders in one thread while another indexes."""
    before, own = gc.get_threshold(), (700, 10, 10)
    gc.set_threshold(*own)  # another test may have left this process with higher ones
    blocks = [seldom_collected(), seldom_collected()]
    for block in blocks:
        block.__enter__()
    first, last = blocks if first_ends_first else blocks[::-1]
    within = gc.get_threshold()
    first.__exit__(None, None, None)
    between = gc.get_threshold()
    last.__exit__(None, None, None)
    after = gc.get_threshold()
    gc.set_threshold(*before)
    assert within == between
    assert within != own
    assert after == own


def test_a_process_that_only_builds_looks_for_cycles_seldom_ever_after() -> None:
    own, frozen = gc.get_threshold(), gc.get_freeze_count()
    try:
        collect_seldom()
        assert gc.get_freeze_count() > frozen
        seldom = gc.get_threshold()
        with seldom_collected():
            assert gc.get_threshold() == seldom
        assert gc.get_threshold() == seldom
        gc.set_threshold(0)
        collect_seldom()
        assert gc.get_threshold()[0] == 0  # somebody has switched it off
    finally:
        gc.unfreeze()
        gc.set_threshold(*own)
    assert seldom[0] == 50_000


def test_nothing_native_is_left_when_the_interpreter_ends(tmp_path: Path) -> None:
    command = [sys.executable, "-c", INDEX, str(DEMO_TRACE), "-o", str(tmp_path / "store")]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    assert "events in" in done.stdout
    assert done.stderr == ""
