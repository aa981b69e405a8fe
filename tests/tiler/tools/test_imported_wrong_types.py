"""Saved pages with values of wrong types anywhere: an answer, or a refusal of the file, and nothing else."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.wrong_types import JUNK, wrong
from tilescope.tiler.errors import TraceError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Scope, answer_json, ask, from_values, tool

_CORE: Final = {
    "hostName": "host",
    "chipId": "1",
    "nodeId": 0,
    "totalDurationUs": 10.5,
    "highFlopsComputeUs": 5,
    "crsDurationUs": 1,
    "stepBreakdownUs": {"1": 5, "2": 1.5},
}
_CHANNEL: Final = {
    "channelId": 1,
    "srcCoreId": "0",
    "dstCoreId": "1",
    "durationUs": 3,
    "dataSize": "100",
    "sendDelayUs": 1,
    "occurrences": 2,
    "hloNames": ["send.1"],
}
_REDUCE: Final = {"name": "a", "dataSize": "5", "durationUs": 2, "replicaGroups": [{"replicaIds": ["0", 1]}]}
_STEP: Final = {
    "stepNum": 1,
    "podStatsPerCore": {"0": _CORE, "1": _CORE},
    "channelDb": [_CHANNEL],
    "allReduceOpDb": [_REDUCE],
}
_NODE: Final[dict[str, Any]] = {
    "name": "op",
    "metrics": {
        "time": 0.5,
        "flops": 0.1,
        "rawTime": 5,
        "occurrences": 3,
        "rawFlops": 7,
        "bandwidthUtils": [0.5, 0],
        "rawBytesAccessedArray": [9.5],
    },
    "xla": {"op": "a", "layout": {"dimensions": [{"size": 100, "alignment": 128, "semantics": "batch"}]}},
}
_TABLE: Final = {
    "cols": [
        {"id": "stepnum", "label": "Step", "type": "number"},
        {"id": "timeInMs", "type": "number"},
        {"id": "link"},
    ],
    "rows": [{"c": [{"v": 1}, {"v": 2.5}, {"v": "<a>"}]}],
    "p": {"steptime_ms_average": "3.5", "device_duty_cycle_percent": "50%"},
}
_STEPS: Final = {
    "cols": [
        {"id": "stepnum", "type": "string"},
        {"id": "infeedTimeMs", "type": "number"},
        {"id": "tcComputeTimeMs", "type": "number"},
        {"id": "infeedPercentMax", "type": "number"},
        {"id": "tooltip", "type": "string"},
    ],
    "rows": [
        {"c": [{"v": "1"}, {"v": 2.5}, {"v": "1.5"}, {"v": 60}, {"v": "Step time = 4.000 ms"}]},
        {"c": [{"v": "2"}, {"v": 2}, {"v": 1}, {"v": 70}, {"v": "Step time = 9.000 ms"}]},
    ],
    "p": {"steptime_ms_average": "6.5", "infeed_percent_maximum": "70.0", "input_conclusion": "<b>it waits"},
}
_INPUT_OPERATIONS: Final = {
    "cols": [
        {"id": "opName", "type": "string"},
        {"id": "count", "type": "number"},
        {"id": "selfTimeInMs", "type": "number"},
        {"id": "selfTimeInPercent", "type": "number"},
        {"id": "category", "type": "string"},
    ],
    "rows": [{"c": [{"v": "op"}, {"v": 2}, {"v": 3.5}, {"v": 0.5}, {"v": "Enqueue"}]}],
    "p": {"enqueue_us": "12.5"},
}
_OPERATIONS: Final = {
    "cols": [
        {"id": "selfTimePercent", "type": "number"},
        {"id": "operation", "type": "string"},
        {"id": "category", "type": "string"},
        {"id": "flopRate", "type": "number"},
    ],
    "rows": [{"c": [{"v": 0.5}, {"v": "op"}, {"v": "Conv"}, {"v": 7.5}]}],
    "p": {"device_idle_time_percent": "3.5%", "device_core_count": "16 (all)", "is_training": "true"},
}
_TIPS: Final = {
    "cols": [{"id": "tip_type"}, {"id": "link"}, {"id": "description"}, {"id": "message"}],
    "rows": [{"c": [{"v": "host"}, {"v": "<a>look"}, {"v": "why"}, {"v": "warning"}]}],
    "p": {"bottleneck": "host", "statement": "it waits"},
}
OUTLINES: Final[dict[str, Any]] = {
    "pod_viewer": {
        "podStatsSequence": {"podStatsMap": [_STEP, {**_STEP, "stepNum": 2}]},
        "runEnvironment": {"topology": {"xDimension": "4", "yDimension": 4}, "tpuType": "v2"},
    },
    "op_profile": {"byCategory": {**_NODE, "children": [{**_NODE, "children": [_NODE]}]}, "byProgram": _NODE},
    "memory_viewer": {
        "hloModule": {
            "name": "m",
            "computations": [
                {
                    "instructions": [
                        {
                            "name": "op.1",
                            "opcode": "add",
                            "metadata": {"opName": "a"},
                            "shape": {
                                "elementType": "F32",
                                "dimensions": ["2", 3],
                                "tupleShapes": [{"elementType": "S8", "dimensions": [1]}],
                            },
                        }
                    ]
                }
            ],
        },
        "bufferAssignment": {
            "logicalBuffers": [
                {"id": "1", "size": "512", "definedAt": {"instructionName": "op.1", "shapeIndex": ["0"]}}
            ],
            "bufferAllocations": [{"size": "512", "isConstant": True, "assigned": [{"logicalBufferId": "1"}]}],
            "heapSimulatorTraces": [{"events": [{"kind": "ALLOC", "bufferId": "1"}, {"kind": 1, "bufferId": 1}]}],
        },
    },
    "memory_viewer of XProf": {
        "maxHeap": [
            {
                "logicalBufferId": 1,
                "logicalBufferSizeMib": 0.5,
                "unpaddedShapeMib": 0.25,
                "instructionName": "op.1{0}",
                "shapeString": "f32[8]",
                "groupName": "Temporary",
                "sourceInfo": {"fileName": "a.py", "lineNumber": 3},
            }
        ],
        "heapSizes": [0, 0.5, 0],
        "unpaddedHeapSizes": [0, 0.25, 0],
        "logicalBufferSpans": {"1": {"start": 1, "limit": 2}},
        "hloInstructionNames": ["op.1", "op.2"],
        "peakHeapMib": 0.5,
        "peakHeapSizePosition": 1,
        "indefiniteLifetimes": [{"id": "3", "sizeMib": 1, "attributes": ["reusable"], "logicalBuffers": [{"id": "1"}]}],
        "bufferBlocks": [{"logicalBufferId": 1, "name": "a", "size": 512, "unpaddedSize": 9, "category": "Output"}],
    },
    "input_pipeline": [_TABLE, _STEPS, _INPUT_OPERATIONS],
    "overview_page": [_OPERATIONS, _STEPS, _TIPS],
}


def ask_all(path: Path, folder: Path) -> None:
    """Indexes a file, and asks what there is to be asked of a saved page. Raises TraceError where it is refused."""
    build_store([path], folder / "store")
    store = open_run_store(folder / "store")
    try:
        for name in ("imported", "pod", "op_profile", "input_pipeline", "overview", "memory_viewer"):
            asked = tool(name)
            scope = Scope(QueryReader(store))
            if not asked.availability(scope):
                assert answer_json.encode(finish(ask(asked, scope, from_values(asked.question, {}))))
    finally:
        store.close()


def write_and_ask(content: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.json"
        path.write_text(json.dumps(content))
        refusal = None
        try:
            ask_all(path, Path(folder))
        except TraceError as error:
            refusal = error
        assert refusal is None or "page.json" in str(refusal)


@pytest.mark.parametrize("page", OUTLINES)
@settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_wrong_types_anywhere(page: str, data: st.DataObject) -> None:
    outline = OUTLINES[page]
    if isinstance(outline, dict):  # what tells the page stays
        first = next(iter(outline))
        write_and_ask(
            {first: type(outline[first])()}
            | data.draw(st.fixed_dictionaries({key: wrong(of) for key, of in outline.items()}))
        )
    else:
        write_and_ask([{**outline[0], "p": data.draw(JUNK)}, *data.draw(st.lists(wrong(outline[0]), max_size=3))])


@pytest.mark.parametrize("key", [["stepnum"], {"a": 1}, None, 5, [[]]])
def test_the_id_of_a_column_is_no_text(key: Any) -> None:
    write_and_ask([{"cols": [{"id": "stepnum"}, {"id": key}], "rows": [{"c": []}]}])


def test_numbers_that_no_run_has() -> None:
    huge = int("9" * 4299)
    core = {**_CORE, "chipId": huge, "totalDurationUs": 1e308}
    step = {
        **_STEP,
        "podStatsPerCore": {"0": core},
        "channelDb": [{**_CHANNEL, "dataSize": huge, "durationUs": 1e-300}],
    }
    write_and_ask({"podStatsSequence": {"podStatsMap": [step]}})
    buffers = [{"id": "1", "size": huge}, {"id": "2", "size": huge}]
    events = [{"bufferId": "1"}, {"bufferId": "2"}]
    write_and_ask({"bufferAssignment": {"logicalBuffers": buffers, "heapSimulatorTraces": [{"events": events}]}})
