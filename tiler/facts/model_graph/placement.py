"""Estimate of where an operation of a model can run, by its name: on a TPU or not.

What decides is `tpu_operations.py`; types and shapes are not looked at.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Final

from tilescope.tiler.facts.model_graph.model_graph import ModelNode
from tilescope.tiler.facts.model_graph.tpu_operations import TPU_OPERATIONS


class Placement(Enum):
    """Placement of an operation: on a TPU or not, as its name says, or by hand, which is not judged."""

    VALID = "on a TPU"
    INVALID = "not on a TPU"
    ELSEWHERE = "placed elsewhere by hand"


_TPU_DEVICE: Final = "TPU"

# The type in "/job:worker/replica:0/task:1/device:CPU:0", and in "/cpu:0" of older graphs: a job alone has none.
_DEVICE_TYPE: Final = re.compile(r"(?:^|/)(?:device:)?(?!job:|replica:|task:|device:)([A-Za-z_]\w*)(?::|$)", re.ASCII)

# What tf.function calls what it traces.
_FUNCTIONS: Final = ("__inference_", "__forward_", "__backward_")


def placement(node: ModelNode) -> Placement:
    """The placement of a node. Calls of functions are valid: what is in these is judged by itself."""
    device = _DEVICE_TYPE.search(node.device)
    if device is not None and not device[1].upper().startswith(_TPU_DEVICE):
        return Placement.ELSEWHERE
    return Placement.VALID if node.op in TPU_OPERATIONS or node.op.startswith(_FUNCTIONS) else Placement.INVALID
