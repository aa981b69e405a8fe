"""XSpace: the protobuf that XLA, JAX and TensorFlow profilers write, one file per host."""

from typing import Final

from tilescope.tiler.details import stat_values
from tilescope.tiler.readers.format import Format
from tilescope.tiler.readers.xspace.reader import ID, XSpaceReader
from tilescope.tiler.readers.xspace.signature import looks_like_xspace

XSPACE: Final = Format(
    id=ID,
    title="XSpace (.xplane.pb)",
    looks_like=looks_like_xspace,
    open=XSpaceReader,
    args=stat_values.CODEC,
    suffixes=(".xplane.pb",),
    endings=(".pb",),
    is_of_one_host=True,
    names_suffice=True,
)

__all__ = ["XSPACE", "XSpaceReader"]
