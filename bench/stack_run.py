"""A synthetic trace of a Python program whose slices have call stacks, as PyTorch writes them with `with_stack`."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_SEED: Final = 7
_THREADS: Final = 8
_FOLDERS: Final = ("torch/nn/modules", "torch/optim", "train", "models", "data")
_WORDS: Final = ("conv", "batchnorm", "linear", "resnet", "attention", "loader", "adam", "loss", "embedding", "pool")
_BATCH: Final = 20_000


@dataclass(frozen=True, slots=True)
class StackShape:
    """The same shape gives the same bytes: so many events, each with one of so many stacks of `frames` frames."""

    events: int = 10_000_000
    stacks: int = 5000
    frames: int = 8

    def write(self, folder: Path) -> Path:
        """Writes the trace into the folder, which is made."""
        folder.mkdir(parents=True, exist_ok=True)
        draw = random.Random(_SEED)
        stacks = [self._stack(draw) for _ in range(self.stacks)]
        path = folder / "stacks.json"
        with path.open("w") as out:
            out.write('{"traceEvents":[\n{"ph":"M","name":"process_name","pid":1,"args":{"name":"python"}}')
            for begin in range(0, self.events, _BATCH):
                batch = range(begin, min(self.events, begin + _BATCH))
                out.write("".join(self._event(number, stacks, draw) for number in batch))
            out.write("\n]}\n")
        return path

    def _stack(self, draw: random.Random) -> str:
        def frame() -> str:
            file = f"{draw.choice(_FOLDERS)}/{draw.choice(_WORDS)}.py"
            return f"{file}({draw.randrange(1, 900)}): {draw.choice(_WORDS)}_{draw.randrange(40)}"

        return ";".join(frame() for _ in range(self.frames))

    def _event(self, number: int, stacks: list[str], draw: random.Random) -> str:
        """A slice of eight microseconds on one of the threads, ten after the one before it."""
        name = f"aten::{_WORDS[number % len(_WORDS)]}_{number % 61}"
        return (
            f',\n{{"ph":"X","cat":"cpu_op","name":"{name}","pid":1,"tid":{number % _THREADS},'
            f'"ts":{number // _THREADS * 10},"dur":8,"args":{{"Call stack":"{stacks[draw.randrange(len(stacks))]}"}}}}'
        )
