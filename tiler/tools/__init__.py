"""Tools: what answers questions about a run. One folder each, one contract for all."""

from tilescope.tiler.tools.answer import Answer, Column, Fact, Kind, Note, Series, Severity, Table, Value, values_of
from tilescope.tiler.tools.catalogue import ENTRY_POINTS, no_such_tool, tool, tools
from tilescope.tiler.tools.parameters import Parameter, parameters
from tilescope.tiler.tools.question import (
    After,
    Question,
    SpanQuestion,
    Tick,
    Tracks,
    from_json,
    from_text,
    from_values,
    place,
    to_json,
    to_text,
)
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import AnyTool, Tool

__all__ = [
    "ENTRY_POINTS",
    "After",
    "Answer",
    "AnyTool",
    "Column",
    "Fact",
    "Kind",
    "Note",
    "Parameter",
    "Question",
    "Scope",
    "Series",
    "Severity",
    "SpanQuestion",
    "Table",
    "Tick",
    "Tool",
    "Tracks",
    "Value",
    "from_json",
    "from_text",
    "from_values",
    "no_such_tool",
    "parameters",
    "place",
    "to_json",
    "to_text",
    "tool",
    "tools",
    "values_of",
]
