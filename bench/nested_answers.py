"""Times of call trees of as many nodes as slices: 1.4 million chains of names."""

from __future__ import annotations

from typing import Final

from bench.answer_work import Work
from bench.nested_run import NestedShape
from bench.stats_answers import whole_trees

SHAPE: Final = NestedShape()
QUICK_SHAPE: Final = NestedShape(levels=6)

ROWS = (Work("call tree of 1.4 M nodes", 1000, None, whole_trees, 10),)
