"""Kind of work of events, by the rules of a user and else by the table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from tilescope.tiler.device_lines import MTIA_EVENTS, PYTORCH_COPIES, PYTORCH_FILLS, PYTORCH_KERNELS
from tilescope.tiler.facts.work.gpu_communication import COMMUNICATION
from tilescope.tiler.facts.work.gpu_computation import COMPUTATION
from tilescope.tiler.facts.work.gpu_exceptions import EXCEPTIONS
from tilescope.tiler.facts.work.kernel_function import kernel_function
from tilescope.tiler.facts.work.kinds import Origin, Work, code_of
from tilescope.tiler.facts.work.other_rules import ASCEND, ASCEND_TYPES, GPU_COPIES, XLA, XLA_FOREIGN
from tilescope.tiler.facts.work.rule import OrderedPatterns, Rule
from tilescope.tiler.facts.work.user_patterns import UserPatterns, as_bytes
from tilescope.tiler.query import Name
from tilescope.tiler.work_rules import WorkRules

# In the order in which they are asked.
KERNELS: Final = (*EXCEPTIONS, *COMMUNICATION, *COMPUTATION)

# What matches nothing computes as well, but nothing says so.
_UNNAMED: Final = code_of(Work.COMPUTATION, Origin.DEFAULT)

# The type of tasks of which Ascend's profiler does not know what they are.
OTHER_TASKS: Final = "Other"

# Names of what an MTIA device does. A kernel may be called after a part of the model instead.
_MTIA_KERNEL: Final = "pe_exe"
_MTIA_COPY: Final = "dma_request"
_MTIA_WAITS: Final = "event_"  # `event_wait`, `event_record`

_KEPT: Final = 8  # sets of rules
_KEPT_TEXTS: Final = 512  # categories, of which a program has some dozens


class Classifier:
    """Says of names what kind of work they are, and by what: as `code_of` has both. One function for each format."""

    def __init__(self, rules: WorkRules) -> None:
        self.rules = rules
        self._of_user = UserPatterns(rules)
        self._kernels, self._copies = map(_patterns, (KERNELS, GPU_COPIES))
        self._ascend, self._ascend_types = map(_patterns, (ASCEND, ASCEND_TYPES))

    def xla_operation(self, name: Name) -> int:
        """An operation on an XLA line, by its category or the name of the operation."""
        code = self._of_user.code(name)
        if code is not None:
            return code
        return _xla_code(name.category or name.text)

    def xla_operations(self, names: Sequence[Name]) -> list[int]:
        """The same of many: most share a category."""
        if self.rules.rules:
            return list(map(self.xla_operation, names))
        texts = [name.category or name.text for name in names]
        codes = {text: _xla_code(text) for text in set(texts)}
        return [codes[text] for text in texts]

    def gpu_stream(self, name: Name) -> int:
        """Kind of work on a stream of a GPU in an XSpace. Setting memory is computation, as in PyTorch traces."""
        code = self._of_user.code(name)
        if code is not None:
            return code
        return _by_table(Work.COPY) if self._copies.kind(as_bytes(name.text)) else self._kernel(name.text)

    def pytorch_event(self, name: Name) -> int:
        """An event of a PyTorch trace: the category says whether it is work of a device."""
        category = name.category.lower()
        if category == MTIA_EVENTS:
            return self._mtia_event(name)
        is_kernel, is_copy = category in PYTORCH_KERNELS, category in PYTORCH_COPIES
        is_work = is_kernel or is_copy or category in PYTORCH_FILLS
        code = self._of_user.code(name, is_work=is_work)
        if code is not None:
            return code
        if is_kernel:
            return self._kernel(name.text)
        return _by_table(Work.COPY if is_copy else Work.COMPUTATION if is_work else Work.NONE)

    def ascend_stream(self, name: Name) -> int:
        """A task on a stream of an Ascend device, by its type: names alone tell communication from AI CPU operators."""
        code = self._of_user.code(name)
        if code is not None:
            return code
        by_name = self._ascend.kind(as_bytes(name.text))
        if by_name is Work.COMMUNICATION:
            return _by_table(by_name)
        by_type = self._ascend_types.kind(as_bytes(name.category))
        work = by_name if by_type is None else by_type
        if work is None and name.category:
            return _UNNAMED
        return _by_table(Work.COMPUTATION if work is None else work)  # operators of older writers have no type

    def ascend_communication(self, name: Name) -> int:
        """Kind of work of an event on a track of communication kernels."""
        code = self._of_user.code(name)
        return _by_table(Work.COMMUNICATION) if code is None else code

    def _mtia_event(self, name: Name) -> int:
        """An event on a stream of an MTIA device: what is neither a copy nor a wait runs on its processing elements."""
        is_wait = name.text.startswith(_MTIA_WAITS)
        code = self._of_user.code(name, is_work=not is_wait)
        if code is not None:
            return code
        if is_wait:
            return _by_table(Work.NONE)
        if name.text == _MTIA_COPY:
            return _by_table(Work.COPY)
        return _by_table(Work.COMPUTATION) if name.text == _MTIA_KERNEL else _UNNAMED

    def _kernel(self, text: str) -> int:
        work = self._kernels.kind(as_bytes(kernel_function(text)))
        return _UNNAMED if work is None else _by_table(work)


@lru_cache(_KEPT)
def classifier(rules: WorkRules) -> Classifier:
    """That of these rules."""
    return Classifier(rules)


@lru_cache(_KEPT_TEXTS)
def _xla_code(text: str) -> int:
    """That of a category or a name on an XLA line: thousands of operations share a category."""
    work = _patterns(XLA).kind(as_bytes(text))
    if work is None:
        return _UNNAMED if XLA_FOREIGN.match(text) else _by_table(Work.COMPUTATION)
    return _by_table(work)


@lru_cache
def _patterns(rules: Sequence[Rule]) -> OrderedPatterns[Work]:
    return OrderedPatterns([(rule.kind, rule.pattern) for rule in rules])


def _by_table(work: Work) -> int:
    return code_of(work, Origin.TABLE)
