"""JSON that other tools write and that is no trace: whose it is, by the names of its members, and the way to a trace.

Whoever asks has looked for events before: an object with `traceEvents` is a trace, whatever else is in it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from msgspec import Struct

_MEMBER: Final = re.compile(rb'"([^"\\]{1,64})"\s*:')
# Of formats that are read.
_LATE: Final = "it is read where its first 64 KiB show that: write its other members behind those that tell what it is"
_CHROME: Final = "record with the Performance panel of Chrome, and save the trace"


class OtherTool(Struct, frozen=True):
    """A tool that writes other JSON: the members by which it is recognised, and what to do with it."""

    what: str  # follows "is"
    advice: str
    outer: tuple[str, ...] = ()  # members of the outermost object, all of which it has
    inner: tuple[str, ...] = ()  # members of whatever object near the beginning, all of which are there


_TOOLS: Final = (
    OtherTool(
        "the JSON of rocprofv3",
        "record with --output-format rocpd, which is read, or pftrace",
        outer=("rocprofiler-sdk-tool",),
    ),
    *(
        OtherTool(
            "telemetry of OpenTelemetry (OTLP JSON) without spans",
            "it has metrics, logs or samples; export traces, which are read",
            outer=(member,),
        )
        for signal in ("Metrics", "Logs", "Profiles")
        for member in (f"resource{signal}", f"resource_{signal.lower()}")
    ),
    *(
        OtherTool(what, _LATE, outer, inner)
        for what, outer, inner in (
            ("spans of OpenTelemetry (OTLP JSON)", ("resourceSpans",), ()),
            ("spans of OpenTelemetry (OTLP JSON)", ("resource_spans",), ()),
            ("a profile of speedscope", ("shared", "profiles"), ()),
            ("a CPU profile of V8 (.cpuprofile)", ("nodes", "startTime", "endTime"), ()),
            ("a CPU profile of V8 (.cpuprofile)", ("head", "samples", "startTime"), ()),
            ("a profile of Firefox (Gecko)", ("meta", "threads"), ("processType",)),
            ("a profile of Firefox (Gecko)", ("meta", "threads"), ("preprocessedProfileVersion",)),
            ("spans of Jaeger", (), ("traceID", "spans", "processes")),
        )
    ),
    OtherTool(
        "a heap snapshot of V8", "it has no time axis; DevTools of Chrome show it", inner=("node_fields", "node_types")
    ),
    OtherTool(
        "a heap profile of V8",
        "it has no time axis; DevTools of Chrome show it",
        outer=("head",),
        inner=("callFrame", "selfSize"),
    ),
    OtherTool(
        "a NetLog of Chromium",
        "netlog-viewer.appspot.com shows it; record the category netlog with chrome://tracing for a trace",
        outer=("constants",),
        inner=("logEventTypes",),
    ),
    *(
        OtherTool(
            "the JSON of Nsight Systems",
            "export the report as a database, which is read: nsys export --type sqlite FILE",
            inner=members,
        )
        for members in (
            ("CudaEvent",),
            ("TraceProcessEvent",),
            ("NvtxEvent",),
            ("OsrtEvent",),
            ("globalTid", "nameIdx"),
            ("globalPid", "correlationId"),
        )
    ),
    *(
        OtherTool(
            f"what trtexec writes with {option}",
            "it has totals and no events of kernels: record with Nsight Systems or torch.profiler",
            inner=members,
        )
        for option, members in (
            ("--exportTimes", ("startComputeMs", "endComputeMs")),
            ("--exportProfile", ("averageMs", "percentage")),
        )
    ),
    OtherTool("what trtexec writes with --exportLayerInfo", "it has no times", outer=("Layers", "Bindings")),
    OtherTool(
        "spans of Zipkin",
        "Zipkin shows them; spans of OpenTelemetry and Jaeger are read: export those",
        inner=("traceId", "localEndpoint"),
    ),
    OtherTool("a report of Lighthouse", _CHROME, outer=("lighthouseVersion",)),
    OtherTool("an HTTP archive (HAR)", _CHROME, outer=("log",), inner=("creator", "version")),
    OtherTool("a Jupyter notebook", "name the trace that it makes", outer=("cells", "nbformat")),
)


def other_tool(head: bytes, outer: Collection[str] = ()) -> OtherTool | None:
    """The tool that writes what begins so; None for what is of no tool that we know.

    `outer` are the members of its outermost object, where all of it was read; else those of `head` are taken for them.
    """
    inner = {name.decode("utf-8", "replace") for name in _MEMBER.findall(head)}
    outermost = set(outer) or inner
    for tool in _TOOLS:
        if outermost.issuperset(tool.outer) and inner.issuperset(tool.inner):
            return tool
    return None
