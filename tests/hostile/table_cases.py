"""Tables of Ascend profilers: much in few bytes, figures beyond 64 bits, text that is none, clocks that disagree."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.hostile.case import MIB, Case, Indexed, Maker, Refused, put

_HEADER = b"Name,Type,Accelerator Core,Start Time(us),Duration(us)\n"
_STEPS = b"step_num,start_point,end_point,total,fp_point,bp_point\n"
_TIMELINE = b"op_name, stream_id, start_time(ms), duration(ms)\n"
_MEMORY = ("--memory", "128MB")
_LESS = 512 * MIB


def _folder(**contents: bytes | Callable[[], bytes]) -> Maker:
    """Several files, by name with `__` for the dot."""

    def make(folder: Path) -> Path:
        for name, content in contents.items():
            (folder / name.replace("__", ".")).write_bytes(content() if callable(content) else content)
        return folder

    return make


def _rows(*rows: bytes) -> Maker:
    return put("kernel_details.csv", _HEADER + b"\n".join(rows) + b"\n")


# What is said of a table that is read all the same.
_SAID: dict[str, tuple[Maker, tuple[str, ...]]] = {
    "nothing-but-a-header": (put("kernel_details.csv", _HEADER), ()),
    "mark-and-carriage-returns": (
        put("k.csv", b"\xef\xbb\xbf" + _HEADER.replace(b"\n", b"\r\n") + b"a,b,c,1,2\r\n"),
        (),
    ),
    "returns-alone": (put("k.csv", _HEADER.replace(b"\n", b"\r") + b"a,b,c,1,2\r"), ()),
    "tabs": (_rows(b'\ta\t,b,c,"1736413971558972.912\t",\t2\t'), ()),
    "short": (_rows(b"a,b,c", b"a"), (r"2 rows have too few cells \(first line 2, column 5\)",)),
    "long": (_rows(b"a,b,c,1,2,3"), (r"1 row with more cells than the header: .* \(line 2, column 11\)",)),
    "open-quote": (_rows(b'a,"b,c,1,2', b"a,b,c,1,2"), (r"1 quote does not end \(line 2, column 3\)",)),
    "not-utf-8": (_rows(b"\xff\xfe,b,c,1,2"), (r"1 cell is not UTF-8 \(line 2, column 1\)",)),
    "figures": (_rows(b"a,b,c,NaN,-inf", b"a,b,c,-0,9223372036854775808", b"a,b,c,1e400,-9223372036854775808"), ()),
    "not-available": (_rows(b"N/A,,N/A,,"), ()),
    "digits": (_rows(b"a,b,c," + b"9" * 5000 + b",0." + b"0" * 5000 + b"1"), ()),
}

_STEP_FIGURES = (
    b"1,9223372036854775807,9223372036854775807,0,9223372036854775807,9223372036854775807\n"
    b"2,-5,20,25,-4,15\n3,20,10,0,15,11\n-,nan,1e9,0,0,0\n9223372036854775807,10,20,10,30,5\n"
)
_DISPLAY = json.dumps([{"ph": "X", "name": "op", "pid": 0, "tid": 1, "ts": 0, "dur": 1}]).encode()

CASES = [
    *(
        Case(f"table/{name}", "a table is read as far as it is one", make, (Indexed(0, None, warnings),))
        for name, (make, warnings) in _SAID.items()
    ),
    Case(
        "table/steps-beyond-64-bits",
        "a step without times that can be is none",
        put("step_trace_raw_0_detail_time.csv", _STEPS + _STEP_FIGURES),
        (Indexed(0, None, ("rows_without_times",)),),
    ),
    Case(
        "table/zero-bytes",
        "what is no text is no table",
        _rows(b"\0,b\0,c,1,2"),
        (Refused("is of no known trace format"),),
    ),
    Case(
        "table/times-beyond-64-bits",
        "operators without times that can be are left out",
        put(
            "output_timeline_data_0.txt",
            _TIMELINE + b"a,1,99999999999999999,1\nb,1,-1,1\nc,1,1.5,0.25\n,1,1,1\nd,x,1,nan\n",
        ),
        (Indexed(1, 1, ("rows_without_times", "rows_without_names")),),
    ),
    Case(
        "table/counter-of-another-kind",
        "a counter that is none is said",
        _folder(min_cycle_counter_0__txt=b"many\n", step_trace_raw_0_detail_time__csv=_STEPS + b"1,10,20,10,12,15\n"),
        (Indexed(4, None, ("no whole number of ticks",)),),
    ),
    Case(
        "table/steps-beside-a-timeline",
        "steps that nothing joins with the timeline are not drawn",
        _folder(
            ascend_timeline_display_0__json=_DISPLAY, step_trace_raw_0_detail_time__csv=_STEPS + b"1,10,20,10,12,15\n"
        ),
        (Indexed(1, None, ("no file says where its clock begins",)),),
    ),
    Case(
        "table/json-cut",
        "JSON that is cut short is refused with its place",
        put("flops_summary_0.json", b'{"FLOPs": 1'),
        (Refused(r"is not JSON: .* \(line 1, column \d+\)"),),
    ),
    Case(
        "table/json-depth",
        "JSON of any depth is refused",
        put("pipeline_profiling_0.json", lambda: b'{"a":' * 1_000_000),
        (Refused("nested too deep|takes .* of memory"),),
    ),
    Case(
        "table/json-objects",
        "takes no more memory than it may",
        put("pipeline_profiling_0.json", lambda: b'{"op_info":[' + b"{}," * 9_000_000 + b"{}]}"),
        (Refused("is JSON that takes .* of memory"),),
        _MEMORY,
    ),
    Case(
        "table/columns",
        "ten thousand columns take bounded memory",
        put(
            "kernel_details.csv",
            lambda: _HEADER[:-1] + b",x" * 10_000 + b"\n" + (b"a,b,c,1,2" + b",7" * 10_000 + b"\n") * 500,
        ),
        (Indexed(0, None, ()),),
        _MEMORY,
        40,
        _LESS,
        apart=True,
    ),
    Case(
        "table/rows",
        "ten million rows take bounded memory",
        put("kernel_details.csv", lambda: _HEADER + b"a,b,c,1,2\n" * 10_000_000),
        (Indexed(0, None, ()),),
        _MEMORY,
        60,
        _LESS,
        apart=True,
    ),
    Case(
        "table/commas",
        "cells that no table has room for take no memory",
        put("kernel_details.csv", lambda: _HEADER + b"," * 30_000_000),
        (Indexed(0, None, ("too long, and cut", "too few cells")), Indexed(0, None, ("too long, and cut",))),
        _MEMORY,
        40,
        _LESS,
        apart=True,
    ),
]
