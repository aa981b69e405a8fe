"""Operations as a tree: by program, by category, or by where they come from in the framework."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from tilescope.tiler.facts.operations import KERNEL, FusedPart, Operation
from tilescope.tiler.tools.operation_notes import is_bound_elsewhere

By = Literal["program", "category", "provenance"]
Path = tuple[str, ...]

UNKNOWN_PROGRAM: Final = "unknown program"
UNKNOWN_CATEGORY: Final = "no category"

# Of the name of a kernel that runs for no operation: "Eigen::internal::EigenMetaKernel" of a template, "volta_sgemm_".
_PREFIX: Final = re.compile(r"(?:void )?([A-Za-z_][\w:]*(?=[<(])|[A-Za-z_:]+)")


@dataclass(slots=True)
class Node:
    """Operations, and the parts that they are shown in. Sums are of all operations in it; times in ps."""

    name: str
    children: dict[str, Node] = field(default_factory=dict)
    operation: Operation | None = None  # of a leaf
    own: int = 0
    total: int = 0
    count: int = 0
    flops: int = 0
    bytes: int = 0
    hbm_bytes: int | None = None  # None: the trace tells of none where its bytes go
    waiting: int = 0  # of `own`, that of operations which wait for others
    track: int = -1
    tells_flops: bool = False  # whether the trace says of any how much it computes
    fused: FusedPart | None = None  # it is a part of an operation: only its FLOPs are known
    ordered: list[Node] | None = None  # its parts in order, once all are there
    rest: Rest | None = None  # operations in it that come after all of its parts that could be listed

    def set(self, operation: Operation) -> None:
        """Makes it the leaf of an operation."""
        self.operation = operation
        self.own, self.total, self.count = operation.own, operation.total, operation.count
        self.waiting = operation.own if is_bound_elsewhere(operation) else 0
        self.flops, self.bytes = operation.flops, operation.bytes
        self.tells_flops = operation.tells_flops
        self.hbm_bytes = operation.known_hbm_bytes if operation.by_memory else None
        self.track = operation.track

    def add(self, leaf: Node) -> None:
        """Counts an operation that is below it."""
        self.waiting += leaf.waiting
        self.own += leaf.own
        self.total += leaf.total
        self.count += leaf.count
        self.flops += leaf.flops
        self.tells_flops = self.tells_flops or leaf.tells_flops
        self.bytes += leaf.bytes
        if leaf.hbm_bytes is not None:
            self.hbm_bytes = (self.hbm_bytes or 0) + leaf.hbm_bytes
        if self.track < 0:
            self.track = leaf.track

    def child(self, name: str) -> Node:
        """The part of this name."""
        if name not in self.children:
            self.children[name] = Node(name)
        return self.children[name]

    @property
    def sorted(self) -> list[Node]:
        """Its parts, those that take the most time first; of a fusion those with the most FLOPs. All must be there."""
        if self.ordered is None:
            self.ordered = sorted(
                self.children.values(),
                key=lambda part: (-part.own, -part.count, -part.flops if part.fused else 0, part.name),
            )
        return self.ordered

    @property
    def working(self) -> int:
        """In which operations compute that a device could make faster, ps."""
        return self.own - self.waiting

    def leaves(self) -> Iterator[Node]:
        """The operations in it."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            if node.operation is not None:
                yield node
            else:
                waiting += node.children.values()


@dataclass(frozen=True, slots=True)
class Rest:
    """Operations that are not listed: `sums` of so many. `is_first`: among them is the first that is met."""

    sums: Node
    operations: int
    is_first: bool


def tree(
    operations: Iterable[Operation],
    by: By,
    program_names: dict[str, str],
    rests: Mapping[Path, Rest | None],
    copies: Mapping[int, Rest] | None = None,
) -> Node:
    """The root of the tree of some operations; `rests`: more of them, by path.

    `copies`: more that are like an operation, by the identity of that.
    """
    root = Node("all")
    operations = list(operations)
    prefixes = Counter(map(_prefix, operations))
    groups: dict[Path, list[Operation]] = defaultdict(list, {path: [] for path in rests})
    for operation in operations:
        prefix = _prefix(operation)
        metadata = operation.metadata
        named = path_of(metadata.program, metadata.category, metadata.provenance, by, program_names)
        groups[*named, *([prefix] if prefix and prefixes[prefix] > 1 else ())].append(operation)
    for path, members in groups.items():
        rest = rests.get(path)
        if rest is not None and rest.is_first:
            _put_rest(root, path, rest)
        for duplicates in _duplicates(members):
            group = [f"{duplicates[0].metadata.name} and its duplicates"] if len(duplicates) > 1 else []
            for operation in duplicates:
                _put(root, [*path, *group], operation)
            for operation in duplicates if copies else ():
                if copies and id(operation) in copies:
                    _put_rest(root, (*path, *group), copies[id(operation)])
        if rest is not None and not rest.is_first:
            _put_rest(root, path, rest)
    return root


def _put_rest(root: Node, path: Path, rest: Rest) -> None:
    node = root
    node.add(rest.sums)
    for name in path:
        node = node.child(name)
        node.add(rest.sums)
    node.rest = rest


def _put(root: Node, path: Sequence[str], operation: Operation) -> None:
    leaf = Node("")
    leaf.set(operation)
    node = root
    node.add(leaf)
    for name in path:
        node = node.child(name)
        node.add(leaf)
    name = operation.metadata.name
    if name in node.children:  # programs of one name have instructions of one name
        name = f"{name} ({operation.metadata.program}, {operation.metadata.symbol})"
    leaf.name = name
    if node.children.setdefault(name, leaf) is not leaf:
        node.children[name].operation = operation
        node.children[name].add(leaf)


def path_of(program: str, category: str, provenance: str, by: By, program_names: dict[str, str]) -> Path:
    """The names of the parts that an operation is in."""
    category = category or UNKNOWN_CATEGORY
    if by == "category":
        return (category,)
    name = program_names.get(program, program) or UNKNOWN_PROGRAM
    within = [part for part in provenance.split("/") if part] if by == "provenance" else []
    return name, *within, category


def _prefix(operation: Operation) -> str:
    """Prefix of the name of a kernel that runs for no operation; "" for others."""
    metadata = operation.metadata
    match = None if metadata.program or metadata.category != KERNEL else _PREFIX.match(metadata.name)
    return "" if match is None else match[1]


def _duplicates(operations: Sequence[Operation]) -> list[list[Operation]]:
    """Operations of one category, an instruction together with its copies; the first of them takes the most time."""
    groups: dict[tuple[str, str], list[Operation]] = defaultdict(list)
    for operation in operations:
        metadata = operation.metadata
        groups[metadata.program, metadata.duplicate_of or metadata.name].append(operation)
    return [sorted(group, key=lambda operation: (-operation.own, operation.metadata.name)) for group in groups.values()]
