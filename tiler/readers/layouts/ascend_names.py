"""Names of the files and folders that profilers of Ascend devices write: whose capture they are, and of which device.

`PROF_000001_20230818142704322_COJGGGCANRMICFBC/device_0/timeline/msprof_0_2_1.json` is of device 0, model 2, iteration
1; `msprof_20240102030405.json` of a newer msprof says a time instead, and its folder is of one device.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from msgspec import Struct

from tilescope.tiler.readers.compression import without_ending

_CAPTURE: Final = re.compile(r"PROF_\d+_\d+_\w+|.+_ascend_(?:pt|ms)")
_DEVICE_FOLDER: Final = re.compile(r"device_(\d{1,4})")
_DEVICE_FILE: Final = re.compile(r"[A-Za-z][A-Za-z_]*_(\d{1,4})_\d{1,9}(?:_\d{1,9})?\.json")


class DevicePlace(Struct, frozen=True):
    """The capture and the device of a file, as far as its path says them."""

    capture: str = ""  # name of its folder
    device: str = ""  # number


def device_place(path: Path) -> DevicePlace:
    """The place of a file."""
    captures = [part for part in path.parts[:-1] if _CAPTURE.fullmatch(part)]
    match = _DEVICE_FILE.fullmatch(without_ending(path.name))
    folder = next((match for part in path.parts[-2:-4:-1] if (match := _DEVICE_FOLDER.fullmatch(part))), None)
    device = match or folder
    return DevicePlace(captures[-1] if captures else "", "" if device is None else str(int(device[1])))
