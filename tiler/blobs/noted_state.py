"""The state of an object: given from the start, or taken from the first answer, and the same from then on."""

from __future__ import annotations

import threading

from tilescope.tiler.blobs.blob import BlobState
from tilescope.tiler.errors import BlobChanged


class NotedState:
    """A state that is compared with each further one, from any thread."""

    def __init__(self, address: str, state: BlobState | None) -> None:
        """`state` is the one that the object must have; None: the one that is noted first."""
        self._address = address
        self._noting = threading.Lock()
        self.now = state  # None: none was noted yet

    def note(self, state: BlobState) -> BlobState:
        """Returns the state. Raises BlobChanged where an earlier answer was of another object."""
        with self._noting:
            if self.now is None:
                self.now = state
            elif self.now != state:
                raise BlobChanged(self._address)
            return state
