"""Draws the timeline of a run as a PNG, without a browser: for chats, and for the log of a CI.

RUN is what `tilescope ask` takes: a store, an archive or its address, a trace, a run folder, a log directory, or the
URL of a server of Tilescope. Needs the extra: pip install 'tilescope[mcp]'.

Examples:

    tilescope picture run.store -o run.png
    tilescope picture trace.json.gz -o step.png --start 1ms --end 2.5ms --tracks 4-7
"""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from tilescope.cli.addresses import path_or_address
from tilescope.cli.say import complain

if TYPE_CHECKING:
    from tilescope.mcp.picture import Picture

NAME = "picture"
HELP = "draw the timeline of a run as a PNG"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("store", type=path_or_address, metavar="RUN", help="the run that is drawn")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="the PNG that is written")
    parser.add_argument("--start", metavar="TIME", help="first tick of the span; the run's start unless given")
    parser.add_argument("--end", metavar="TIME", help="first tick after the span; the run's end unless given")
    parser.add_argument("--tracks", default="", metavar="TRACKS", help="which tracks, as in 4-7,9; all unless given")


def run(args: argparse.Namespace) -> int:
    """Draws, and writes the file whole."""
    import asyncio

    from tilescope.cli.mcp import run_place
    from tilescope.cli.whole_file import whole_file
    from tilescope.mcp.picture import picture
    from tilescope.mcp.runs import AgentRuns
    from tilescope.mcp.tool_question import moment

    async def drawn() -> Picture:
        async with AgentRuns([run_place(args.store, opened)]) as runs:
            chosen = await runs.open_newest()
            start, end = (
                None if text is None else moment(chosen, text, option)
                for option, text in (("--start", args.start), ("--end", args.end))
            )
            return await picture(chosen, start, end, args.tracks)

    with ExitStack() as opened:
        image = asyncio.run(drawn())
    with whole_file(args.output) as file:
        file.write(image.png)
    for left_out in image.cut:
        complain(f"left out: {left_out}")
    return 0
