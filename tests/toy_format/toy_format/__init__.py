"""A format of another package, complete: a line for each event, in a folder of its own and one line of registration.

TOY 1
main;compute;1000;250;batch=7,lr=0.5
"""

from tilescope.tiler.readers.format import Format, Likeness
from toy_format.arguments import CODEC
from toy_format.reader import MAGIC, ToyReader


def looks_like(head: bytes) -> Likeness:
    """By its first line."""
    return Likeness.CERTAIN if head.startswith(MAGIC) else Likeness.NONE


FORMAT = Format(
    id="toy",
    title="toys (.toy)",
    looks_like=looks_like,
    open=ToyReader,
    args=CODEC,
    suffixes=(".toy",),
    endings=(".lines",),
)
