"""The tools that there are: ours, and those that installed packages offer as entry points `tilescope.tools`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from hashlib import sha256
from importlib.metadata import entry_points
from typing import Final

from tilescope import __version__
from tilescope.tiler.errors import UsageError
from tilescope.tiler.plugins import load_plugins
from tilescope.tiler.tools.bins import TOOL as BINS
from tilescope.tiler.tools.call_tree import TOOL as CALL_TREE
from tilescope.tiler.tools.collectives import TOOL as COLLECTIVES
from tilescope.tiler.tools.compare import TOOL as COMPARE
from tilescope.tiler.tools.copies import TOOL as COPIES
from tilescope.tiler.tools.counters import TOOL as COUNTERS
from tilescope.tiler.tools.cpu import TOOL as CPU
from tilescope.tiler.tools.critical_path import TOOL as CRITICAL_PATH
from tilescope.tiler.tools.dynamic_shape import TOOL as DYNAMIC_SHAPE
from tilescope.tiler.tools.events import TOOL as EVENTS
from tilescope.tiler.tools.find import TOOL as FIND
from tilescope.tiler.tools.flops import TOOL as FLOPS
from tilescope.tiler.tools.flows import TOOL as FLOWS
from tilescope.tiler.tools.framework_ops import TOOL as FRAMEWORK_OPS
from tilescope.tiler.tools.gaps import TOOL as GAPS
from tilescope.tiler.tools.graph import TOOL as GRAPH
from tilescope.tiler.tools.heat_map import TOOL as HEAT_MAP
from tilescope.tiler.tools.hit_bins import TOOL as HIT_BINS
from tilescope.tiler.tools.hlo_stats import TOOL as HLO_STATS
from tilescope.tiler.tools.imported import TOOL as IMPORTED
from tilescope.tiler.tools.input_pipeline import TOOL as INPUT_PIPELINE
from tilescope.tiler.tools.kernels import TOOL as KERNELS
from tilescope.tiler.tools.lane_bins import TOOL as LANE_BINS
from tilescope.tiler.tools.lane_events import TOOL as LANE_EVENTS
from tilescope.tiler.tools.lanes import TOOL as LANES
from tilescope.tiler.tools.launches import TOOL as LAUNCHES
from tilescope.tiler.tools.memory_profile import TOOL as MEMORY_PROFILE
from tilescope.tiler.tools.memory_viewer import TOOL as MEMORY_VIEWER
from tilescope.tiler.tools.model_graph import TOOL as MODEL_GRAPH
from tilescope.tiler.tools.nesting import TOOL as NESTING
from tilescope.tiler.tools.op_profile import TOOL as OP_PROFILE
from tilescope.tiler.tools.operators import TOOL as OPERATORS
from tilescope.tiler.tools.overlap import TOOL as OVERLAP
from tilescope.tiler.tools.overview import TOOL as OVERVIEW
from tilescope.tiler.tools.pod import TOOL as POD
from tilescope.tiler.tools.queues import TOOL as QUEUES
from tilescope.tiler.tools.rank import TOOL as RANK
from tilescope.tiler.tools.roofline import TOOL as ROOFLINE
from tilescope.tiler.tools.search import TOOL as SEARCH
from tilescope.tiler.tools.stats import TOOL as STATS
from tilescope.tiler.tools.step_trace import TOOL as STEP_TRACE
from tilescope.tiler.tools.steps import TOOL as STEPS
from tilescope.tiler.tools.tables import TOOL as TABLES
from tilescope.tiler.tools.tool import AnyTool, Tool

ENTRY_POINTS: Final = "tilescope.tools"

_OURS: Final[tuple[AnyTool, ...]] = (
    OVERVIEW,
    STEPS,
    STEP_TRACE,
    OP_PROFILE,
    FRAMEWORK_OPS,
    OPERATORS,
    KERNELS,
    FLOPS,
    DYNAMIC_SHAPE,
    CALL_TREE,
    CRITICAL_PATH,
    STATS,
    COMPARE,
    INPUT_PIPELINE,
    GAPS,
    OVERLAP,
    QUEUES,
    LAUNCHES,
    POD,
    HEAT_MAP,
    COLLECTIVES,
    FLOWS,
    CPU,
    COPIES,
    MEMORY_PROFILE,
    MEMORY_VIEWER,
    HLO_STATS,
    GRAPH,
    MODEL_GRAPH,
    ROOFLINE,
    COUNTERS,
    SEARCH,
    FIND,
    HIT_BINS,
    EVENTS,
    TABLES,
    NESTING,
    RANK,
    BINS,
    LANES,
    LANE_BINS,
    LANE_EVENTS,
    IMPORTED,
)


@dataclass(frozen=True, slots=True)
class ToolCatalogue:
    """All tools by id, ours first; and a line for each of another package that is left out."""

    tools: Mapping[str, AnyTool]
    left_out: Sequence[str]


@cache
def installed_tools() -> ToolCatalogue:
    """All tools of this process: packages are searched for them once."""
    tools_by_id = {tool.id: tool for tool in _OURS}
    left_out: list[str] = []
    for offered in load_plugins(ENTRY_POINTS, "tools"):
        if offered.left_out is not None:
            left_out.append(offered.left_out)
        for tool in offered.objects:
            if not isinstance(tool, Tool):
                left_out.append(f"{offered.source} is left out: a {type(tool).__name__} is no tool")
            elif tool.id in tools_by_id:
                left_out.append(f"the tool {tool.id!r} of {offered.source} is left out: there is one of that name")
            else:
                tools_by_id[tool.id] = tool
    return ToolCatalogue(tools_by_id, left_out)


@cache
def edition() -> str:
    """Digest of the installed tools: it changes with our version, and with that of any package that has tools."""
    packages = {(entry.dist.name, entry.dist.version) for entry in entry_points(group=ENTRY_POINTS) if entry.dist}
    return sha256(repr((__version__, sorted(packages))).encode()).hexdigest()[:12]


def tools() -> Mapping[str, AnyTool]:
    """All tools by id, ours first."""
    return installed_tools().tools


def left_out() -> Sequence[str]:
    """A line for each tool of another package that cannot be used: which, and why."""
    return installed_tools().left_out


def tool(name: str) -> AnyTool:
    """The tool of that id. Raises UsageError, naming those there are."""
    registered = tools().get(name)
    if registered is None:
        raise UsageError(no_such_tool(name))
    return registered


def no_such_tool(name: str) -> str:
    """Message about a tool that does not exist, with the names that might be meant."""
    near = get_close_matches(name[:80], tools(), 1)
    meant = f" (did you mean {near[0]}?)" if near else ""
    there = f"there is no tool {name[:80]!r}{meant}: there are {', '.join(tools())}"
    return "; ".join([there, *installed_tools().left_out])
