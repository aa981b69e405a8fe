"""Tells whose database a file is, by the names of tables in its first pages."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from tilescope.tiler.readers.format import Likeness
from tilescope.tiler.readers.sqlite.database import MAGIC

NSIGHT_MARK: Final = re.compile(rb"CUPTI_ACTIVITY_KIND|TARGET_INFO_|ENUM_NSYS_EVENT_TYPE|NVTX_EVENTS|globalTid")
ROCPD_MARK: Final = re.compile(rb"rocpd_(?:metadata|string|info_node|kernel_dispatch)")


def looks_like(mark: re.Pattern[bytes]) -> Callable[[bytes], Likeness]:
    """The test of a format whose databases have a table of such a name."""

    def test(head: bytes) -> Likeness:
        return Likeness.CERTAIN if head.startswith(MAGIC) and mark.search(head) else Likeness.NONE

    return test
