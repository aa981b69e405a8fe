"""Traces that a server left on its own disk, because it cannot send them: `ROOT/SESSION/HOST.xplane.pb`.

If that disk is seen here under the same path, the trace is taken from there.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tilescope.capture.arriving_file import ArrivingFile, fault_of_disk, refuse_astray
from tilescope.capture.failures import CaptureCause, Fault
from tilescope.tiler.system import OF_THIS_PLACE

_COPY_BYTES: Final = 1 << 20

# A link there could lead to what only we may read, a pipe would make us wait.
_FLAGS: Final = os.O_RDONLY | OF_THIS_PLACE


@dataclass(frozen=True, slots=True)
class ServerDisk:
    """Folder that one server writes into. Methods may take seconds: not for the event loop."""

    written: Path
    is_ours: bool  # it lies in the log directory of this capture, and nobody else asked for it
    confined_to: tuple[Path, ...] = ()  # folders that it may not lie outside of, all links followed; none: anywhere

    def take(self, file: ArrivingFile) -> None:
        """Puts what it wrote into `file`'s place; `file` is empty. Raises `Fault` if it is not to be found."""
        refuse_astray(self.written, self.confined_to)
        try:
            with os.fdopen(os.open(self.written, _FLAGS), "rb") as source:
                status = os.fstat(source.fileno())
                if not stat.S_ISREG(status.st_mode):
                    raise Fault(CaptureCause.BAD_ANSWER, f"{self.written} is no file")
                if not status.st_size:
                    raise Fault(CaptureCause.EMPTY)
                file.expect(status.st_size)
                while data := source.read(_COPY_BYTES):
                    file.write(data)
        except (FileNotFoundError, NotADirectoryError):
            what = f"it wrote {self.written} on its own disk, and there is no such file here"
            raise Fault(CaptureCause.NOT_INLINE, what) from None
        except OSError as error:
            raise fault_of_disk(error, self.written) from None
        self.remove()
        file.commit()

    def remove(self) -> None:
        """Removes what it wrote, if it is ours."""
        if self.is_ours:
            with suppress(OSError):
                self.written.unlink(missing_ok=True)
                self.written.parent.rmdir()
