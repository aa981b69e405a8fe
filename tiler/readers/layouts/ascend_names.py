"""Names of the files and folders that profilers of Ascend devices write: whose capture they are, and of which device.

`PROF_000001_20230818142704322_COJGGGCANRMICFBC/device_0/timeline/msprof_0_2_1.json` is of device 0, model 2, iteration
1; `msprof_20240102030405.json` of a newer msprof says a time instead, and its folder is of one device.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Final

from msgspec import Struct

from tilescope.tiler.readers.compression import without_ending
from tilescope.tiler.readers.layouts.layout import FileLabel

_MSPROF: Final = re.compile(r"PROF_\d+_\d+_\w+")
_FRAMEWORK: Final = re.compile(r".+_ascend_(?:pt|ms)")
_TIMELINE: Final = re.compile(r"(?:ascend_|gpu_)?timeline_display_(\d{1,4})\.json")
_DEVICE_FOLDER: Final = re.compile(r"device_(\d{1,4})")
_SUMMARY: Final = re.compile(r".+\.ckpt|events\.out\.events\.summary\..+_(?:MS|lineage)|.+_lineage")
_KEPT_FOLDERS: Final = 65_536  # ten thousand files of a folder are listed again in 0.1 s, and not in 0.3 s
_DEVICE_FILE: Final = re.compile(r"[A-Za-z][A-Za-z_]*_(\d{1,4})_\d{1,9}(?:_\d{1,9})?\.(?:json|csv)")


class DevicePlace(Struct, frozen=True):
    """The capture and the device of a file, as far as its path says them."""

    capture: str = ""  # name of its folder
    device: str = ""  # number


def capture_position(path: Path) -> int | None:
    """The position of the folder of a capture among the parts of a path; None where a trace is in none.

    A folder `PROF_*` in that of a framework is of the same capture. MindSpore's folder `profiler` is one of a timeline.
    """
    folders = path.parts[:-1]
    position = _position(folders)
    if position is not None or folders[-1:] != ("profiler",):
        return position
    return len(folders) - 1 if is_first_timeline(path) else None


def is_of_summary(name: str) -> bool:
    """True for a file that MindSpore leaves beside the folder of its profiler: a checkpoint, or a summary."""
    return _SUMMARY.fullmatch(name) is not None


@lru_cache(_KEPT_FOLDERS)
def _position(folders: tuple[str, ...]) -> int | None:
    """The same of all files in these folders."""
    for pattern in (_FRAMEWORK, _MSPROF):
        positions = [position for position, part in enumerate(folders) if pattern.fullmatch(part)]
        if positions:
            return positions[-1]
    return None


def framework_folder(path: Path) -> Path | None:
    """The folder of the capture of a framework, of one process, that a file lies in."""
    position = capture_position(path)
    if position is None or _FRAMEWORK.fullmatch(path.parts[position]) is None:
        return None
    return Path(*path.parts[: position + 1])


def raw_capture(parts: tuple[str, ...]) -> tuple[str, ...] | None:
    """The capture, as the first parts, of a folder of raw data; None for another.

    Such are `PROF_1_2_A/device_0/data`, and `FRAMEWORK` in the capture of a framework.
    """
    if len(parts) < 2:
        return None
    is_of_device = len(parts) > 2 and parts[-1] == "data" and _DEVICE_FOLDER.fullmatch(parts[-2]) is not None
    if not is_of_device and not (parts[-1] == "FRAMEWORK" and _FRAMEWORK.fullmatch(parts[-2])):
        return None
    position = _position(parts)
    return None if position is None else parts[: position + 1]


def is_table_name(path: Path) -> bool:
    """True for a file of rows, which is no copy of a timeline."""
    return without_ending(path.name).endswith((".csv", ".txt"))


def capture_folder_of(path: Path) -> Path | None:
    """The folder of the capture that a file lies in."""
    position = capture_position(path)
    return None if position is None else Path(*path.parts[: position + 1])


def is_first_timeline(path: Path) -> bool:
    """True for the name of a timeline of MindSpore's first profiler, which says the device."""
    return _TIMELINE.fullmatch(without_ending(path.name)) is not None


def device_place(path: Path) -> DevicePlace:
    """The place of a file."""
    name = without_ending(path.name)
    position = capture_position(path)
    folder = next((match for part in path.parts[-2:-4:-1] if (match := _DEVICE_FOLDER.fullmatch(part))), None)
    device = _DEVICE_FILE.fullmatch(name) or _TIMELINE.fullmatch(name) or folder
    return DevicePlace("" if position is None else path.parts[position], "" if device is None else str(int(device[1])))


def device_label(path: Path) -> FileLabel:
    """The label of a file in a list: its device, or else its capture."""
    place = device_place(path)
    return FileLabel(device=f"device {place.device}" if place.device else place.capture)
