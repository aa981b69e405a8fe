"""Questions to any tool, made of its own description: defaults, and each field with several values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.tools import AnyTool, Parameter, Scope, ask, parameters, tools, values_of
from tilescope.tiler.tools.lanes import LanesQuestion

Values = dict[str, Any]

# Tools whose questions name one slice, on a track of slices.
ABOUT_SLICES = {"nesting", "rank", "flows"}


@dataclass(frozen=True)
class Material:
    """What questions are made of: a run, and names of other builds."""

    reader: QueryReader
    builds: Sequence[str]


def questions(tool: AnyTool, material: Material) -> Iterator[Values]:
    """The shortest question; one for each value of each field; and all fields at once, twice. None without material."""
    fields = {field.name: _values(tool, field, material) for field in parameters(tool.question)}
    if any(field.is_required and not fields[field.name] for field in parameters(tool.question)):
        return  # the run has nothing that could be asked about
    required = {field.name: fields[field.name][0] for field in parameters(tool.question) if field.is_required}
    yield required
    # An event is named by its track and its rank there, or by neither.
    event = {name: fields[name][0] for name in ("track", "ordinal") if fields.get("track") and "ordinal" in fields}
    if not event:
        fields.pop("ordinal", None)
    for name, values in fields.items():
        for value in values:
            yield _sensible({**required, **(event if name in event else {}), name: value})
    for at in (0, -1):
        yield _sensible({name: values[at] for name, values in fields.items() if values})


def _values(tool: AnyTool, field: Parameter, material: Material) -> Sequence[Any]:
    reader, schema = material.reader, field.schema
    if field.unit == "ticks":
        return [reader.end // 3, reader.end * 2 // 3, 0, reader.end + 5]
    if field.unit == "track":
        kinds = {"slice"} if tool.id in ABOUT_SLICES else {track.kind for track in reader.tree.tracks}
        return [track.id for track in reader.tree.tracks if track.kind in kinds]
    match field.type:
        case "tracks":
            rollups = [track.id for track in reader.tree.tracks if track.kind == "rollup"]
            leaves = reader.tree.leaves(None)
            return [leaves[:1], leaves, rollups, []]
        case "integer":
            low, high = schema.get("minimum", 0), schema.get("maximum", 1000)
            return sorted({low, min(low + 3, high), min(high, 500)})
        case "flag":
            return [True, False]
        case "choice":
            return field.choices
        case "host":
            return list(reader.store.manifest()["hosts"])
        case "steps" if not len(reader.steps.numbers):
            return ["4"]
        case "steps":
            first, last = int(reader.steps.numbers[0]), int(reader.steps.numbers[-1])
            return [str(first), f"{first + 1}-{last}", f"{first}..{last + 7}"]
        case "build":
            return material.builds
        case "builds":
            return [*material.builds[:1], ",".join(material.builds)] if material.builds else []
        case "text" if field.name == "step_name":
            return ["Inner", "Iteration"]
        case "text" if field.name in ("argument", "sum"):
            return ["cat"]
        case "text" if field.name == "columns":
            return ["event,name,args.cat", "track,ordinal,category,start,end,row,open,flags,value,args.none"]
        case "text" if field.name in ("lane", "lanes"):
            answer = finish(ask(tools()["lanes"], Scope(reader), LanesQuestion()))
            lanes = [str(lane) for lane in values_of(answer.table("lanes").column("lane"))]
            return lanes if field.name == "lane" or not lanes else [",".join(lanes[:3]), lanes[-1]]
        case "text" if field.name == "source":
            return ["overlap", "queues"]
        case "text":
            # What follows another answer is asked for when there is one.
            return [] if "pattern" in schema else ["op 1", "Inner", "of no event"]
    raise AssertionError(f"questions cannot be made of a field of type {field.type!r} yet")


def _sensible(values: Mapping[str, Any]) -> Values:
    """Spans that end after they start, and names of steps only where steps are asked for."""
    if "argument" in values or "argument" in (values.get("by"), values.get("then")):
        values = {**values, "by": "argument", "argument": "cat"}
    if values.get("then") == values.get("by", "name"):
        values = {name: value for name, value in values.items() if name != "then"}
    if "step_name" in values:
        values = {"steps": "4", **values}
    if values.get("start", 0) > values.get("end", values.get("start", 0)):
        return {**values, "start": values["end"], "end": values["start"]}
    return dict(values)
