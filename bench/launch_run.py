"""A synthetic trace of a GPU whose kernels are launched by threads of its host, as PyTorch writes it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

_AT_ONCE = 100_000  # launches

_KINDS = (("gemm", "kernel"), ("relu", "kernel"), ("ncclDevKernel_AllReduce", "kernel"), ("Memcpy HtoD", "gpu_memcpy"))


@dataclass(frozen=True, slots=True)
class LaunchShape:
    """The same shape gives the same bytes. Of a launch come two events: its call, and its work."""

    launches: int = 5_000_000
    threads: int = 2
    streams: int = 3
    seed: int = 44

    def write(self, folder: Path) -> Path:
        """Writes the trace into the folder, which is made."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "launches.json"
        rng = np.random.default_rng(self.seed)
        with path.open("w") as out:
            out.write('{"traceEvents":[\n')
            out.write('{"ph":"M","pid":0,"name":"process_labels","args":{"labels":"GPU 0"}},\n')
            out.write('{"ph":"M","pid":500,"name":"process_name","args":{"name":"python"}}')
            free = np.zeros(self.streams, np.int64)  # ns at which each stream has done its work
            now = 0
            for first in range(0, self.launches, _AT_ONCE):
                count = min(_AT_ONCE, self.launches - first)
                calls = now + np.cumsum(rng.integers(3_000, 12_000, count))
                now = int(calls[-1])
                stream = rng.integers(0, self.streams, count)
                kind = rng.choice(len(_KINDS), count, p=[0.6, 0.25, 0.1, 0.05])
                length = rng.integers(500, 6_000, count)  # most end before the next one is launched
                begin = np.zeros(count, np.int64)
                for number in range(self.streams):
                    mine = np.flatnonzero(stream == number)
                    # Each begins once it was launched and the one before is done: a running maximum.
                    sums = np.cumsum(length[mine]) - length[mine]
                    ready = np.maximum.accumulate(np.maximum(calls[mine] + 2_000, free[number]) - sums)
                    begin[mine] = ready + sums
                    free[number] = int(begin[mine[-1]] + length[mine[-1]]) if len(mine) else free[number]
                thread = 1 + (np.arange(first, first + count) % self.threads)
                columns = (column.tolist() for column in (calls, thread, kind, stream, begin, length))
                for number, (call, tid, work, line, start, ns) in enumerate(zip(*columns, strict=True), first + 1):
                    name, category = _KINDS[work]
                    out.write(
                        f',\n{{"ph":"X","name":"cudaLaunchKernel","cat":"cuda_runtime","pid":500,"tid":{tid},'
                        f'"ts":{_us(call)},"dur":2.5,"args":{{"correlation":{number}}}}}'
                        f',\n{{"ph":"X","name":"{name}","cat":"{category}","pid":0,"tid":{7 + line},'
                        f'"ts":{_us(start)},"dur":{_us(ns)},"args":{{"correlation":{number}}}}}'
                    )
            out.write("\n]}\n")
        return path


def _us(ns: int) -> str:
    return f"{ns // 1000}.{ns % 1000:03}"
