"""Messages of the watch: JSON texts, parsed strictly on the way in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from msgspec import structs

from tilescope.server.errors import BadMessage
from tilescope.server.json_text import json_body
from tilescope.server.runs.run import IndexProgress, RunStatus
from tilescope.tiler.schema import WatchBlocks, WatchError, WatchFailed, WatchMessage, WatchProgress, WatchReady

MAX_MESSAGE_BYTES: Final = 64 * 1024
MAX_BLOCKS: Final = 4096  # in one message
_BLOCK_LIMIT: Final = 2**32


def progress_message(status: RunStatus) -> str:
    """Message about the progress of a run that cannot be shown in full yet."""
    progress = status.progress or IndexProgress(status.state, 0.0, 0)
    fields = structs.asdict(progress.to_schema())
    return _text(WatchProgress(state=status.state, build=status.build, **fields))


def blocks_message(build: str, blocks: Sequence[int]) -> str:
    """These blocks of a build that grows are done."""
    return _text(WatchBlocks(build=build, blocks=list(blocks)))


def ready_message(build: str) -> str:
    """All is done and published."""
    return _text(WatchReady(build=build))


def failed_message(error: str) -> str:
    """The run cannot be shown."""
    return _text(WatchFailed(error=error))


def error_message(code: str, message: str) -> str:
    """Message that says why the server is about to close."""
    return _text(WatchError(code=code, message=message))


def parse_want(text: str) -> tuple[int, ...]:
    """The blocks that a client looks at, most urgent first. Raises `BadMessage`."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise BadMessage("a message is a JSON object") from None
    if not isinstance(message, dict) or message.get("type") != "want":
        raise BadMessage('the type of a message is "want"')
    blocks = message.get("blocks")
    if not isinstance(blocks, list) or len(blocks) > MAX_BLOCKS:
        raise BadMessage(f'"blocks" is an array of at most {MAX_BLOCKS:,} block numbers')
    if not all(type(block) is int and 0 <= block < _BLOCK_LIMIT for block in blocks):
        raise BadMessage("a block is an integer from 0 on")
    return tuple(blocks)


def _text(message: WatchMessage) -> str:
    return json_body(message).decode()
