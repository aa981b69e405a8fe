"""Tools: what answers questions about a run. One folder each, one contract for all."""

from tilescope.tiler.schema import Kind, Scale, SeriesKind, Severity
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Series, Table, Value, values_of
from tilescope.tiler.tools.catalogue import ENTRY_POINTS, edition, left_out, no_such_tool, tool, tools
from tilescope.tiler.tools.parameters import FieldType, Parameter, parameters
from tilescope.tiler.tools.question import (
    After,
    FigureQuestion,
    Question,
    SpanQuestion,
    Tick,
    Tracks,
    from_json,
    from_text,
    from_values,
    place,
    text_of,
    to_json,
    to_text,
)
from tilescope.tiler.tools.question_windows import QuestionWindows
from tilescope.tiler.tools.references import BuildRef, BuildRefs, HostRef, references
from tilescope.tiler.tools.row_question import RowQuestion
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import AnyTool, Tool
from tilescope.tiler.tools.tool_calls import ask, clock_notes, why_not
from tilescope.tiler.tools.tool_list import tool_list

__all__ = [
    "ENTRY_POINTS",
    "After",
    "Answer",
    "AnyTool",
    "BuildRef",
    "BuildRefs",
    "Column",
    "Fact",
    "FieldType",
    "FigureQuestion",
    "HostRef",
    "Kind",
    "Note",
    "Parameter",
    "Question",
    "QuestionWindows",
    "RowQuestion",
    "Scale",
    "Scope",
    "Series",
    "SeriesKind",
    "Severity",
    "SpanQuestion",
    "Table",
    "Tick",
    "Tool",
    "Tracks",
    "Value",
    "ask",
    "clock_notes",
    "edition",
    "from_json",
    "from_text",
    "from_values",
    "left_out",
    "no_such_tool",
    "parameters",
    "place",
    "references",
    "text_of",
    "to_json",
    "to_text",
    "tool",
    "tool_list",
    "tools",
    "values_of",
    "why_not",
]
