"""The question of the memory viewer."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta

from tilescope.tiler.tools.question import Question
from tilescope.tiler.tools.references import HostRef

MAX_LISTED: Final = 100_000
DEFAULT_LISTED: Final = 200

ProgramName = Annotated[str, Meta(min_length=1, max_length=4096)]


Point = Annotated[int, Meta(ge=0, le=1 << 31)]


class MemoryViewerQuestion(Question, frozen=True, kw_only=True):
    """The memory of one program."""

    program: Annotated[
        ProgramName | None,
        Meta(
            description="The program, as the table of programs has it, or its id or name alone; that with the largest "
            "HLO proto unless given."
        ),
    ] = None
    host: Annotated[HostRef | None, Meta(description="The programs of this host only.")] = None
    space: Annotated[
        int, Meta(ge=0, le=1 << 31, description="The memory space: 0 is the main memory of the device (HBM).")
    ] = 0
    buffers: Annotated[
        Literal["peak", "all"], Meta(description="Which buffers are listed: those at the peak, or all.")
    ] = "peak"
    point: Annotated[
        Point | None, Meta(description="Only buffers that are there at this point of the program are listed.")
    ] = None
    first_point: Annotated[
        Point | None, Meta(description="The point at which the curve begins; the first unless given.")
    ] = None
    last_point: Annotated[
        Point | None, Meta(description="The point at which the curve ends; the last unless given.")
    ] = None
    order: Annotated[
        Literal["size", "program"],
        Meta(description="Which buffers come first: the largest, or those made first, and that stay longest."),
    ] = "size"
    limit: Annotated[
        int, Meta(ge=0, le=MAX_LISTED, description="The most buffers that are listed: the largest, in either order.")
    ] = DEFAULT_LISTED
