"""Records the demo trace: a small model trained on CPU with JAX, annotated as a real training loop would be.

    python -m venv /some/where && /some/where/bin/pip install 'jax[cpu]'
    unshare --uts sh -c 'hostname demo && exec /some/where/bin/python docs/demo/record.py'

writes `plugins/profile/<run>/<host>.xplane.pb` beside this script. The host's name is part of a trace, hence `unshare`.
"""

from __future__ import annotations

import json
import queue
import shutil
import tempfile
import threading
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

STEPS = 24
BATCH, WIDTH, DEPTH, CLASSES = 64, 192, 3, 10
LEARNING_RATE = 1e-2
MAX_BYTES = 300_000  # the trace is tracked by git

Parameters = list[tuple[jax.Array, jax.Array]]
Batch = tuple[np.ndarray, np.ndarray]


def initial_parameters(key: jax.Array) -> Parameters:
    sizes = [WIDTH] * (DEPTH + 1) + [CLASSES]
    keys = jax.random.split(key, len(sizes) - 1)
    return [
        (jax.random.normal(k, (rows, columns)) / rows**0.5, jnp.zeros(columns))
        for k, rows, columns in zip(keys, sizes[:-1], sizes[1:], strict=True)
    ]


def logits(parameters: Parameters, inputs: jax.Array) -> jax.Array:
    hidden = inputs
    for depth, (weights, bias) in enumerate(parameters[:-1]):
        with jax.named_scope(f"layer_{depth}"):
            hidden = jax.nn.gelu(hidden @ weights + bias) + hidden
            hidden = hidden / jnp.sqrt(jnp.mean(hidden**2, axis=-1, keepdims=True) + 1e-6)
    weights, bias = parameters[-1]
    with jax.named_scope("head"):
        return hidden @ weights + bias


def loss(parameters: Parameters, inputs: jax.Array, labels: jax.Array) -> jax.Array:
    with jax.named_scope("loss"):
        log_probabilities = jax.nn.log_softmax(logits(parameters, inputs))
        return -jnp.mean(log_probabilities[jnp.arange(labels.shape[0]), labels])


@jax.jit
def train_step(parameters: Parameters, inputs: jax.Array, labels: jax.Array) -> tuple[Parameters, jax.Array]:
    value, gradients = jax.value_and_grad(loss)(parameters, inputs, labels)
    with jax.named_scope("sgd"):
        updated = jax.tree.map(lambda p, g: p - LEARNING_RATE * g, parameters, gradients)
    return updated, value


@jax.jit
def accuracy(parameters: Parameters, inputs: jax.Array, labels: jax.Array) -> jax.Array:
    return jnp.mean(jnp.argmax(logits(parameters, inputs), axis=-1) == labels)


def load_batches(batches: queue.Queue[Batch], count: int, worker: int) -> None:
    """A loader thread: decodes, augments and hands over batches."""
    random = np.random.default_rng(worker)
    for number in range(count):
        with jax.profiler.TraceAnnotation("load_batch", worker=worker, number=number):
            with jax.profiler.TraceAnnotation("decode"):
                inputs = random.normal(size=(BATCH, WIDTH)).astype(np.float32)
                labels = np.argmax(inputs[:, :CLASSES], axis=-1)
            with jax.profiler.TraceAnnotation("augment", noise=0.1):
                inputs += 0.1 * random.normal(size=inputs.shape).astype(np.float32)
        batches.put((inputs, labels))


def train(parameters: Parameters, directory: Path, steps: int) -> Parameters:
    """The loop that is recorded: steps, an evaluation every eight of them, a checkpoint at the end."""
    batches: queue.Queue[Batch] = queue.Queue(maxsize=4)
    loaders = [threading.Thread(target=load_batches, args=(batches, steps // 2, worker)) for worker in range(2)]
    for loader in loaders:
        loader.start()
    for step in range(steps):
        with jax.profiler.StepTraceAnnotation("train", step_num=step):
            with jax.profiler.TraceAnnotation("next_batch"):
                inputs, labels = batches.get()
            with jax.profiler.TraceAnnotation("train_step"):
                parameters, value = train_step(parameters, inputs, labels)
            with jax.profiler.TraceAnnotation("log_metrics"):
                value.block_until_ready()
        if step % 8 == 7:
            with jax.profiler.TraceAnnotation("evaluate", step=step):
                accuracy(parameters, inputs, labels).block_until_ready()
    for loader in loaders:
        loader.join()
    with jax.profiler.TraceAnnotation("checkpoint"):
        leaves = [np.asarray(leaf) for leaf in jax.tree.leaves(parameters)]
        np.savez(directory / "checkpoint.npz", *leaves)
    return parameters


def record(directory: Path) -> Path:
    """Records one run into `directory` and returns its trace."""
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = 0  # a call of every Python function would drown the annotations
    options.host_tracer_level = 2
    options.enable_hlo_proto = False
    parameters = train(initial_parameters(jax.random.key(0)), directory, 8)  # compiles before the recording
    with jax.profiler.trace(str(directory), profiler_options=options):
        train(parameters, directory, STEPS)
    (trace,) = directory.glob("plugins/profile/*/*.xplane.pb")
    return trace


def main() -> None:
    plugins = Path(__file__).resolve().parent / "plugins"
    with tempfile.TemporaryDirectory() as directory:
        trace = record(Path(directory))
        size_bytes = trace.stat().st_size
        if size_bytes > MAX_BYTES:
            raise SystemExit(f"{size_bytes:,} bytes are too many, {MAX_BYTES:,} are allowed: record fewer steps")
        target = plugins / "profile" / trace.parent.name / trace.name
        shutil.rmtree(plugins, ignore_errors=True)
        target.parent.mkdir(parents=True)
        shutil.copyfile(trace, target)
    print(json.dumps({"trace": str(target), "bytes": size_bytes, "jax": jax.__version__}))


if __name__ == "__main__":
    main()
