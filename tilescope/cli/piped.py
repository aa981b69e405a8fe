"""Traces that come through pipes: `tilescope index -`, `tilescope view <(ssh host cat trace.json)`."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tilescope.cli.progress import ProgressDisplay


@contextmanager
def without_pipes(paths: Sequence[Path], folder: Path, max_inflated: int | None) -> Iterator[list[Path]]:
    """The paths, each pipe copied into a file below the folder, until the block ends. `-` is standard input.

    Raises as `copy_pipe` does.
    """
    from tilescope.tiler.readers.pipes import STDIN, copy_pipe, is_pipe

    with ExitStack() as stack:
        files = []
        for path in paths:
            named = STDIN if path == Path("-") and not path.exists() else path
            if not is_pipe(named):
                files.append(named)
                continue
            folder.mkdir(parents=True, exist_ok=True)
            scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tilescope-pipe-", dir=folder)))
            with ProgressDisplay() as display:

                def show(copied_bytes: int, display: ProgressDisplay = display) -> None:
                    display.update("copy", 0, size_bytes=copied_bytes)

                files.append(copy_pipe(named, scratch, max_inflated, show))
        yield files
