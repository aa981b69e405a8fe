"""Steps between the shell and a subcommand: errors become one line on stderr and an exit code."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Sequence

from tilescope.cli.command import EXIT_BAD, EXIT_INTERRUPTED, EXIT_USAGE
from tilescope.cli.commands import NAMES
from tilescope.cli.parser import build_parser
from tilescope.cli.say import complain, show_traceback
from tilescope.tiler.errors import Cancelled, TilescopeError, UsageError
from tilescope.tiler.memory_limits import out_of_memory
from tilescope.tiler.printable_text import printable
from tilescope.tiler.system import memory_limits

# What Python says when it had no memory for a module that it imports, and lost the MemoryError on the way.
_LOST_ERROR = "error return without exception set"

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command line, `sys.argv[1:]` by default; returns the exit code. argparse exits with 2 by itself."""
    argv = sys.argv[1:] if argv is None else argv
    # The command is the first that is no option of all commands: these take no values.
    command = next((arg for arg in argv if not arg.startswith("-")), None)
    parser = build_parser(command if command in NAMES else None)
    if not argv:
        parser.print_help(sys.stderr)
        return EXIT_USAGE
    args = parser.parse_args(argv)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # letters that the terminal's encoding does not have
    try:
        code: int = args.run(args)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # Whoever read our output went away, as `head` does. With stdout elsewhere, the flush at exit is silent.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_BAD
    except (Exception, KeyboardInterrupt) as error:
        if args.debug:
            sys.excepthook = show_traceback
            raise
        message, code = describe(error)
        complain(message)
        return code


def describe(error: BaseException) -> tuple[str, int]:
    """The one line to print for an error, and the exit code that goes with it."""
    match error:
        case KeyboardInterrupt() | Cancelled():
            return "stopped", EXIT_INTERRUPTED
        case UsageError():
            return one_line(str(error)), EXIT_USAGE
        case TilescopeError():
            return one_line(str(error)), EXIT_BAD
        case MemoryError() | OSError(errno=errno.ENOMEM):  # listing a folder, as an import does, wants memory, too
            return one_line(str(out_of_memory())), EXIT_BAD
        case SystemError() if memory_limits() and _LOST_ERROR in str(error):
            return one_line(str(out_of_memory())), EXIT_BAD
        case OSError():
            # Whoever writes a file says which: what has no name, and no room, is what we print.
            nameless = "standard output: " if error.errno in _NO_ROOM else ""
            where = f"{error.filename}: " if error.filename else nameless
            return one_line(f"{where}{error.strerror or error}"), EXIT_BAD
        case _:
            what = f"internal error, {type(error).__name__}: {error}"
            return one_line(f"{what} (run again with --debug and report what it prints)"), EXIT_BAD


def one_line(text: str) -> str:
    """`text` without line breaks: what scripts that read stderr line by line rely on."""
    return printable(text.strip())
