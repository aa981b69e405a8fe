"""What PyTorch labels the processes with that stand for its devices: `GPU 0`, `XPU 3`, `MTIA 17`."""

from __future__ import annotations

import re
from typing import Final

_DEVICE_LABEL: Final = re.compile(r"(?!CPU )[A-Z]{2,8} [0-9]+")


def is_device_label(text: str) -> bool:
    """Whether a label is the kind of a device and its number."""
    return _DEVICE_LABEL.fullmatch(text) is not None
