"""Damaged copies of a training's files, which a reader must name and must not fall over."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from bench.ascend_run import first_generation, second_generation
from bench.ascend_run.training import Training

Files = dict[str, bytes]  # by path below the folder of the variant

DEEP: Final = 1_000_000
WIDE: Final = 10_000
_STEPS: Final = "profiler/step_trace_raw_0_detail_time.csv"
_FRAMEWORK: Final = "profiler/framework_raw_0.csv"
_TYPES: Final = "profiler/aicore_intermediate_0_type.csv"
_PIPELINE: Final = "profiler/pipeline_profiling_0.json"
_OPERATIONS: Final = "profiler/minddata_pipeline_raw_0.csv"  # the same pipeline, of which this file counts
_FLOPS: Final = "profiler/flops_summary_0.json"
_TIMELINE: Final = "profiler/ascend_timeline_display_0.json"
_CAPTURE: Final = second_generation.capture_name("pt", 0)
_TRACE: Final = f"{_CAPTURE}/{second_generation.OUTPUT}/trace_view.json"
_KERNELS: Final = f"{_CAPTURE}/{second_generation.OUTPUT}/kernel_details.csv"
_COLLECTIVES: Final = f"{_CAPTURE}/{second_generation.OUTPUT}/communication.json"


@dataclass(frozen=True, slots=True)
class Variant:
    """One damage, in one file; `line` counts from 1 where a line is to be named."""

    name: str
    file: str
    damage: Callable[[bytes], bytes]
    line: int | None = None


def _on_line(number: int, change: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """Damages a line without its end."""

    def damage(content: bytes) -> bytes:
        lines = content.splitlines(keepends=True)
        bare = lines[number - 1].rstrip(b"\r\n")
        lines[number - 1] = change(bare) + lines[number - 1][len(bare) :]
        return b"".join(lines)

    return damage


def _cell(number: int, content: bytes) -> Callable[[bytes], bytes]:
    """Replaces a cell, counted from 0, of a line without quotes."""

    def change(line: bytes) -> bytes:
        cells = line.split(b",")
        cells[number] = content
        return b",".join(cells)

    return change


def _other_ends(content: bytes) -> bytes:
    """CRLF for LF, and the other way round."""
    return content.replace(b"\r\n", b"\n") if b"\r\n" in content else content.replace(b"\n", b"\r\n")


def _cycle(line: bytes) -> bytes:
    """The last operation of a pipeline, which has the first one for a child."""
    return line.rpartition(b",")[0] + b",[0]"


def _wide(content: bytes) -> bytes:
    """Many columns behind the others."""
    header, *lines = content.splitlines()
    more = b"".join(b",column_%d" % number for number in range(WIDE))
    return b"\n".join([header + more, *(line + b",1" * WIDE for line in lines)]) + b"\n"


def _shifted(content: bytes) -> bytes:
    """A step trace of another run: all points are an hour later."""
    return re.sub(rb"\b\d{11,}\b", lambda point: b"%d" % (int(point[0]) + 360_000_000_000), content)


VARIANTS: Final = (
    Variant("row_too_short", _STEPS, _on_line(3, lambda line: line.rsplit(b",", 4)[0]), 3),
    Variant("row_too_long", _STEPS, _on_line(3, lambda line: line + b",1,2,3"), 3),
    Variant("byte_order_mark", _FRAMEWORK, lambda content: b"\xef\xbb\xbf" + content),
    Variant("other_line_ends", _FRAMEWORK, _other_ends),
    Variant("tabs_around_cells", _TYPES, lambda content: content.replace(b",", b"\t,\t")),
    Variant("quote_without_end", _FRAMEWORK, _on_line(4, lambda line: line.replace(b'}",', b"},")), 4),
    Variant("quote_without_end_kernels", _KERNELS, _on_line(5, lambda line: b'"' + line), 5),
    Variant("absent_cell", _TYPES, _on_line(2, _cell(1, b"N/A")), 2),
    Variant("not_a_number", _TYPES, _on_line(2, _cell(1, b"NaN")), 2),
    Variant("negative", _STEPS, _on_line(2, _cell(4, b"-1")), 2),
    Variant("beyond_64_bits", _STEPS, _on_line(2, _cell(1, b"9223372036854775808")), 2),
    Variant("beyond_64_bits_kernels", _KERNELS, _on_line(3, _cell(7, b"9223372036854775808.5\t")), 3),
    Variant("not_utf8", _TYPES, _on_line(2, lambda line: b"\xff\xfe" + line), 2),
    Variant("cut_json", _PIPELINE, lambda content: content[: len(content) // 2]),
    Variant("cut_timeline", _TIMELINE, lambda content: content[: len(content) * 2 // 3]),
    Variant("cut_trace_view", _TRACE, lambda content: content[: len(content) * 2 // 3]),
    Variant("array_not_closed", _TRACE, lambda content: content[:-1]),
    Variant("deep_json", _FLOPS, lambda content: b'{"FLOPs": ' + b"[" * DEEP + b"]" * DEEP + b"}"),
    Variant("cut_communication", _COLLECTIVES, lambda content: content[:-40]),
    Variant("other_step_trace", _STEPS, _shifted),
    Variant("cycle_of_operations", _OPERATIONS, _on_line(6, _cycle), 6),
    Variant("operator_missing", _FRAMEWORK, lambda content: b"".join(content.splitlines(keepends=True)[:-3])),
    Variant("many_columns", _KERNELS, _wide),
    Variant("empty", _KERNELS, lambda content: b""),
    Variant("header_alone", _KERNELS, lambda content: content.splitlines(keepends=True)[0]),
)


def healthy_files(training: Training) -> Files:
    """Both generations of all ranks, in memory: for small trainings."""
    files: Files = {}
    for rank in range(training.shape.ranks):
        for name, text in first_generation.rank_files(training, rank):
            files[f"profiler/{name}"] = text.encode()
        for name, pieces in second_generation.rank_files(training, "pt", rank):
            files[f"{second_generation.capture_name('pt', rank)}/{name}"] = b"".join(pieces)
    return files


def write_hostile(folder: Path, training: Training) -> dict[str, dict[str, object]]:
    """Writes a folder for each variant with the generation that it damages; what was done, by name."""
    files, done = healthy_files(training), dict[str, dict[str, object]]()
    for variant in VARIANTS:
        first = variant.file.startswith("profiler/")
        own = {name: content for name, content in files.items() if name.startswith("profiler/") == first}
        own[variant.file] = variant.damage(own[variant.file])
        _write(folder / variant.name, own)
        done[variant.name] = {"file": variant.file, "line": variant.line}
    # The same rank in two folders, one of another training.
    other = Training(replace(training.shape, seed=training.shape.seed + 1))
    second = {name: content for name, content in files.items() if name.startswith(_CAPTURE)}
    for name, pieces in second_generation.rank_files(other, "pt", 0):
        second[f"restarted-{_CAPTURE}/{name}"] = b"".join(pieces)
    _write(folder / "rank_twice", second)
    done["rank_twice"] = {"file": None, "line": None}
    return done


def _write(folder: Path, files: Files) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
