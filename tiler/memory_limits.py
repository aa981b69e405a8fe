"""Memory limits of this process, for messages when the system gives no more memory, address space or threads.

Any allocation may fail, in Python, in native code or in a library, and each says it in its own way.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

from tilescope.tiler.errors import OutOfMemory
from tilescope.tiler.system import memory_limits

_NO_THREADS = ("can't start new thread", os.strerror(errno.EAGAIN))


def out_of_memory(what: str = "out of memory") -> OutOfMemory:
    """The error to raise: what could not be had, and the limits that are set."""
    limits = [f"{limit / 1e6:,.0f} MB of {name} ({option})" for limit, name, option in memory_limits()]
    if not limits:
        return OutOfMemory(f"{what} (close other programs, or use a machine that has more)")
    return OutOfMemory(f"{what}: this process may have {' and '.join(limits)} (raise the limit, or lift it)")


@contextmanager
def memory_errors() -> Iterator[None]:
    """Raises OutOfMemory for whatever says in the block that there is no memory, or no room for another thread."""
    try:
        yield
    except MemoryError as error:
        raise out_of_memory() from error
    except OSError as error:
        if error.errno != errno.ENOMEM:
            raise
        raise out_of_memory() from error
    except RuntimeError as error:
        if not any(text in str(error) for text in _NO_THREADS):
            raise
        raise out_of_memory("no more threads can be started, for want of memory or because of ulimit -u") from error
