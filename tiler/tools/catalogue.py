"""Which tools there are: ours, and those that installed packages offer as entry points `tilescope.tools`."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from tilescope.tiler.errors import UsageError
from tilescope.tiler.tools.find import TOOL as FIND
from tilescope.tiler.tools.stats import TOOL as STATS
from tilescope.tiler.tools.tool import AnyTool, Tool

ENTRY_POINTS = "tilescope.tools"

_OURS: tuple[AnyTool, ...] = (STATS, FIND)
_log = logging.getLogger(__name__)


@cache
def tools() -> Mapping[str, AnyTool]:
    """All tools by id, ours first. One of another package that cannot be loaded is left out and logged."""
    found = {tool.id: tool for tool in _OURS}
    for entry in sorted(entry_points(group=ENTRY_POINTS), key=lambda entry: entry.name):
        for tool in _load(entry):
            if tool.id in found:
                _log.warning("the tool %r of %s is left out: there is one of that name", tool.id, entry.value)
            else:
                found[tool.id] = tool
    return found


def tool(name: str) -> AnyTool:
    """The tool of that id. Raises UsageError, naming those there are."""
    found = tools().get(name)
    if found is None:
        raise UsageError(no_such_tool(name))
    return found


def no_such_tool(name: str) -> str:
    """What is said of a tool that is not there."""
    return f"there is no tool {name!r}: there are {', '.join(tools())}"


def _load(entry: EntryPoint) -> Iterator[AnyTool]:
    """What an entry point names: a tool, or a list of tools."""
    try:
        loaded = entry.load()
    except Exception as error:  # whatever a stranger's module raises must not end the server
        _log.warning("the tools of %s cannot be loaded: %s: %s", entry.value, type(error).__name__, error)
        return
    for tool in loaded if isinstance(loaded, list | tuple) else [loaded]:
        if isinstance(tool, Tool):
            yield tool
        else:
            _log.warning("%s offers a %s, which is no tool", entry.value, type(tool).__name__)
