"""All tools, and which of them have an answer for a run."""

from __future__ import annotations

from tilescope.tiler.query import Interruptible
from tilescope.tiler.schema import ToolEntry
from tilescope.tiler.tools.catalogue import tools
from tilescope.tiler.tools.parameters import parameters
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool_calls import why_not


def tool_list(scope: Scope) -> Interruptible[list[ToolEntry]]:
    """Entries of all tools, in the order of the catalogue; the reason why one has no answer for this run."""
    entries = []
    for candidate in tools().values():
        reason = why_not(candidate, scope)
        entries.append(
            ToolEntry(
                id=candidate.id,
                title=candidate.title,
                help=candidate.help,
                group=candidate.group,
                available=not reason,
                reason=reason,
                fields=[parameter.name for parameter in parameters(candidate.question)],
            )
        )
        yield
    return entries
