"""Conductor of tasks: sends them to an executor until each has a report.

Executors lose tasks, answer twice, late or in another order, and lose their workers: a report counts once, and says
where the result lies, which is the same whoever made it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from typing import Any, Final

import msgspec

from tilescope.tiler.errors import TilescopeError
from tilescope.tiler.shards.opened_executor import OpenedExecutor
from tilescope.tiler.shards.progress import ShardCallback, progress_of
from tilescope.tiler.shards.session import Session
from tilescope.tiler.shards.task import ERROR_CHARACTERS, OtherVersion, Report, Task, run_task

DEFAULT_SILENCE_SECONDS: Final = 60.0

_TRIES: Final = 3
_POLL_SECONDS: Final = 0.2


class Conductor:
    """The tasks of one kind of work."""

    def __init__(
        self,
        tasks: Iterable[Task],
        sizes: Mapping[str, int],
        session: Session,
        report: ShardCallback,
        silence_seconds: float = DEFAULT_SILENCE_SECONDS,
    ) -> None:
        """`sizes`: bytes of the files of each shard. After so much silence of all workers tasks are sent again."""
        self._tasks = {task.name: task for task in tasks}
        self._size_by_task = {task.name: sizes[task.shard] for task in self._tasks.values()}
        self._session = session
        self._report = report
        self._silence_seconds = silence_seconds
        self._reports: dict[str, Report] = {}
        self._tries: Counter[str] = Counter()
        self._suspects: set[str] = set()

    def conduct(self, workers: OpenedExecutor) -> dict[str, Report]:
        """Returns the report of each task, by the name of its shard."""
        while left := self._left():
            batch = [name for name in left if name in self._suspects][:1] or left
            try:
                self._conduct(workers.executor(), batch)
            except BrokenExecutor as error:
                workers.close()
                self._broke(batch, error)
        return {self._tasks[name].shard: report for name, report in self._reports.items()}

    def _conduct(self, executor: Executor, batch: Sequence[str]) -> None:
        """Sends tasks and takes reports until each of them has one. Raises BrokenExecutor."""
        futures = {self._send(executor, name): name for name in batch}
        heard, last_pulses = time.monotonic(), self._session.pulses()
        while left := [name for name in batch if name not in self._reports]:
            done, _ = wait(futures, _POLL_SECONDS, FIRST_COMPLETED)
            for future in done:
                name = futures.pop(future)
                if not self._take(name, future):
                    futures[self._send(executor, name)] = name
            pulses = self._session.pulses()
            if done or pulses != last_pulses:
                heard, last_pulses = time.monotonic(), pulses
            elif time.monotonic() - heard > self._silence_seconds:
                for name in left:
                    if not self._fail(name, f"no worker was heard of for {self._silence_seconds:.0f} s"):
                        futures[self._send(executor, name)] = name
                heard = time.monotonic()
            self._report(progress_of(self._tasks[batch[0]].work, self._size_by_task, self._reports, pulses))

    def _left(self) -> list[str]:
        return [name for name in self._tasks if name not in self._reports]

    def _send(self, executor: Executor, name: str) -> Future[dict[str, Any]]:
        return executor.submit(run_task, self._tasks[name].message())

    def _take(self, name: str, future: Future[dict[str, Any]]) -> bool:
        """Takes what a future has: True if nothing is to be sent again. Raises BrokenExecutor."""
        if name in self._reports:
            return True
        try:
            report = msgspec.convert(future.result(), Report)
        except BrokenExecutor:
            raise
        except (OtherVersion, ModuleNotFoundError) as error:  # of the package on the worker
            raise TilescopeError(f"the workers cannot do this: {error}") from error
        except CancelledError:
            return self._fail(name, "the executor cancelled it")
        except Exception as error:  # of any kind: it is the worker's
            return self._fail(name, f"{type(error).__name__}: {error}")
        if report.task != name:
            return self._fail(name, f"the executor answered with the report of {report.task:.100}")
        self._reports[name] = report
        return True

    def _broke(self, batch: Sequence[str], error: BrokenExecutor) -> None:
        """A worker died. Each task that had begun may be why: these are sent one by one from here on."""
        if len(batch) == 1:
            self._fail(batch[0], f"its worker died: {error}")
            return
        pulses = self._session.pulses()
        left = [name for name in batch if name not in self._reports]
        self._suspects.update([name for name in left if name in pulses] or left)

    def _fail(self, name: str, why: str) -> bool:
        """Notes a failure. Returns True where it was the last that may be."""
        self._tries[name] += 1
        if self._tries[name] < _TRIES:
            return False
        self._reports[name] = Report(name, error=f"failed {_TRIES} times: {why}"[:ERROR_CHARACTERS])
        return True
