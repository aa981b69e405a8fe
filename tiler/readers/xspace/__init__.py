"""XSpace: the protobuf that XLA, JAX and TensorFlow profilers write."""

from tilescope.tiler.readers.xspace.reader import XSpaceReader

__all__ = ["XSpaceReader"]
