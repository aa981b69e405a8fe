"""The executor of a command: opened when there is a first task, and once more where it has broken."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import AbstractContextManager, ExitStack

OpenExecutor = Callable[[], AbstractContextManager[Executor]]
"""Opens an executor, which is closed with the block, without waiting for tasks that nobody needs."""


class OpenedExecutor:
    """One executor at a time."""

    def __init__(self, open_executor: OpenExecutor) -> None:
        self._open = open_executor
        self._stack = ExitStack()
        self._executor: Executor | None = None

    def executor(self) -> Executor:
        """The executor that is open."""
        if self._executor is None:
            self._executor = self._stack.enter_context(self._open())
        return self._executor

    def close(self) -> None:
        """Closes it. The next that is asked for is another one."""
        self._executor = None
        self._stack.close()
