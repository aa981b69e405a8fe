"""Events of the machine: threads on CPUs by ftrace, stages and counters of GPUs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tilescope.tiler.readers.perfetto.sequence import Sequence, text
from tilescope.tiler.readers.translated.event_text import Event

CPUS: Final = "CPUs"


class MachineEvents:
    """Counts what is left out in `ignored`."""

    def __init__(self, ignored: dict[str, int]) -> None:
        self._ignored = ignored
        self._running: dict[int, bool] = {}  # whether a thread is on a CPU
        self._counters: dict[int, dict[int, str]] = {}  # names of counters of each GPU

    def scheduling(self, bundle: Any) -> Iterator[Event]:
        """A lane for each CPU, with the threads that run there. Idle time is a gap."""
        cpu = bundle.cpu
        other = 0
        for event in bundle.event:
            if event.HasField("sched_switch"):
                switch = event.sched_switch
                yield from self._switch(cpu, event.timestamp, switch.next_pid, text(switch.next_comm))
            else:
                other += 1
        if other:
            self._ignored["ftrace_events"] = self._ignored.get("ftrace_events", 0) + other
        compact = bundle.compact_sched
        names = [text(name) for name in compact.intern_table]
        time = 0
        columns = zip(compact.switch_timestamp, compact.switch_next_pid, compact.switch_next_comm_index, strict=False)
        for delta, pid, number in columns:
            time += delta
            yield from self._switch(cpu, time, pid, names[number] if number < len(names) else "")

    def render_stage(self, event: Any, time_ns: int, sequence: Sequence) -> Iterator[Event]:
        """A stage on a queue of a GPU."""
        if event.ByteSize() == 0:
            return
        queue = sequence.name("gpu_specifications", event.hw_queue_iid) if event.hw_queue_iid else None
        stage = sequence.name("gpu_specifications", event.stage_iid) if event.stage_iid else None
        named = text(event.name) or (sequence.name("event_names", event.name_iid) if event.name_iid else None)
        args: dict[str, object] = {text(extra.name): text(extra.value) for extra in event.extra_data}
        args |= {key: getattr(event, key) for key in ("context", "submission_id") if event.HasField(key)}
        if stage and named:
            args["stage"] = stage
        yield {
            "ph": "X",
            "cat": "gpu_render_stage",
            "name": named or stage or f"stage {event.stage_id}",
            "pid": f"GPU {event.gpu_id}",
            "tid": queue or f"queue {event.hw_queue_id}",
            "ts": time_ns,
            "dur": event.duration,
            "args": args,
        }

    def counters(self, event: Any, time_ns: int, sequence: Sequence) -> Iterator[Event]:
        """Counters of a GPU, whose names are said once."""
        names = self._counters.setdefault(event.gpu_id, {})
        names.update({spec.counter_id: text(spec.name) for spec in event.counter_descriptor.specs})
        if event.counter_descriptor_iid:
            names = sequence.counters.get(event.counter_descriptor_iid, names)
        for counter in event.counters:
            value = counter.double_value if counter.HasField("double_value") else counter.int_value
            name = names.get(counter.counter_id) or f"counter {counter.counter_id}"
            if value - value == 0:
                yield {"ph": "C", "name": name, "pid": f"GPU {event.gpu_id}", "ts": time_ns, "args": {"value": value}}

    def _switch(self, cpu: int, time_ns: int, pid: int, name: str) -> Iterator[Event]:
        place = {"pid": CPUS, "tid": f"CPU {cpu}", "ts": time_ns}
        if self._running.get(cpu):
            yield place | {"ph": "E"}
        self._running[cpu] = pid != 0
        if pid:
            yield place | {"ph": "B", "cat": "sched", "name": name or f"thread {pid}", "args": {"tid": pid}}
