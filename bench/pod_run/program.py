"""The program of a training step: what its instructions are, and in which order a core runs them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from bench.pod_run.array_shape import TOKEN, AnyShape, ArrayShape, TupleShape

TRAIN_PROGRAM, INIT_PROGRAM = 9_214_500_311_772_846_133, 4_410_229_118_350_017_721  # the first needs 64 bits
ITERATIONS = 3  # of the loop
PAIRS = "_xla_send_recv_source_target_pairs"  # the attribute that says which core sends to which

_MS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction of the entry or of the loop's body, as the trace and the HLO proto tell of it."""

    name: str
    opcode: str
    category: str
    shape: AnyShape
    operands: tuple[str, ...] = ()
    framework: str = ""  # path
    line: int = 0  # of the source
    typical_ps: int = 0
    flops: int = 0
    read: int = 0  # bytes of HBM
    written: int = 0
    near: int = 0  # bytes that are read of the memory near the core
    kind: str = ""  # of a fusion
    calls: tuple[str, ...] = ()  # computations
    channel: int = 0
    pairs: tuple[tuple[int, int], ...] = ()  # of cores: which sends to which
    duplicate_of: str = ""
    counts_itself: bool = False  # its events say what they compute, and how much they move
    tuple_place: int = 0
    symbol: int = 0

    @property
    def expression(self) -> str:
        operands = ", ".join(f"%{name}" for name in self.operands)
        tail = f", kind={self.kind}, calls=%{self.calls[0]}" if self.kind else ""
        tail += f", channel_id={self.channel}" if self.channel else ""
        if self.pairs:
            tail += f', frontend_attributes={{{PAIRS}="{self.pairs_text}"}}'
        return f"%{self.name} = {self.shape.text} {self.opcode}({operands}){tail}"

    @property
    def pairs_text(self) -> str:
        """As HLO has them."""
        return "{" + ",".join(f"{{{source},{destination}}}" for source, destination in self.pairs) + "}"


@dataclass(frozen=True, slots=True)
class Program:
    """`order`: places in `instructions` as a core runs them; the loop comes before what runs in it."""

    instructions: list[Instruction]
    order: list[int]
    parameters: list[tuple[str, ArrayShape]]
    async_start: Instruction  # on a line of its own
    loop: int
    body: frozenset[int]
    collectives: tuple[int, int]  # at which all cores wait for each other
    names: dict[str, int] = field(default_factory=dict)

    @property
    def entry(self) -> list[Instruction]:
        """Instructions of the entry computation."""
        return [instruction for place, instruction in enumerate(self.instructions) if place not in self.body]


def training_program(layers: int, batch: int, cores: int, chips: int) -> Program:
    """A network of convolutions, with a loop, a custom call, and sends and receives.

    Cores send to the next one by channel 5, and to the same one of the next host, of so many chips, by channel 6.
    """
    image = ArrayShape("bf16", (batch, 96, 96, 3), (3, 0, 2, 1))
    turned = replace(image, minor_to_major=(0, 3, 2, 1))
    stem = ArrayShape("bf16", (batch, 48, 48, 60), (3, 0, 2, 1))
    wide = ArrayShape("bf16", (batch, 24, 24, 500), (3, 0, 2, 1))
    weights = ArrayShape("bf16", (3, 3, 500, 500), (3, 2, 1, 0))
    momentum = ArrayShape("f32", (3, 3, 500, 500), (3, 2, 1, 0))
    norm = ArrayShape("f32", (500,), (0,))
    count = ArrayShape("s32", (), ())
    context = ArrayShape("u32", (), ())
    near = replace(weights, memory=1)
    ring = tuple((core, (core + 1) % cores) for core in range(cores) if cores > 1)
    across = tuple((core, (core + chips) % cores) for core in range(cores) if cores > chips)
    step, forward, backward = "jit(train_step)/", "jit(train_step)/jvp(main)/", "jit(train_step)/transpose(jvp(main))/"
    layer_ps = 42 * _MS // (3 * layers)

    def moved(instruction: Instruction, *operands: AnyShape) -> Instruction:
        return replace(
            instruction, read=sum(operand.padded_bytes for operand in operands), written=instruction.shape.padded_bytes
        )

    instructions = [
        moved(
            Instruction(
                "infeed.1",
                "infeed",
                "infeed",
                TupleShape((image, TOKEN)),
                ("after-all.1",),
                step + "infeed",
                31,
                2 * _MS,
            )
        ),
        moved(
            Instruction("copy.1", "copy", "data formatting", turned, ("image",), forward + "stem/transpose", 33, _MS),
            image,
        ),
        moved(
            Instruction(
                "convolution.3",
                "convolution",
                "convolution",
                stem,
                ("copy.1", "w.stem"),
                forward + "stem/conv_general_dilated",
                34,
                6 * _MS,
                flops=2 * batch * 48 * 48 * 60 * 7 * 7 * 3,
            ),
            turned,
        ),
        moved(
            Instruction(
                "all-reduce.1",
                "all-reduce",
                "all-reduce",
                norm,
                ("p.norm",),
                forward + "norm/psum",
                35,
                0,
                flops=500,
                calls=("sum",),
                channel=1,
            ),
            norm,
        ),
        Instruction(
            "custom-call.1",
            "custom-call",
            "custom-call",
            wide,
            ("convolution.3", "all-reduce.1"),
            forward + "pallas_pool",
            36,
            5 * _MS,
            counts_itself=True,
        ),
        Instruction("copy-done.1", "copy-done", "copy-done", near, ("copy-start.1",), "", 0, _MS // 50),
    ]
    last = "custom-call.1"
    for layer in range(layers):
        path = f"block{layer}/"
        output, loop, gradient = f"fusion.{3 * layer + 1}", f"fusion.{3 * layer + 2}", f"fusion.{3 * layer + 3}"
        copy = "" if layer == 0 else "fusion.2"
        instructions += [
            Instruction(
                output,
                "fusion",
                "output fusion",
                wide,
                (last, "copy-done.1"),
                forward + path + "conv_general_dilated",
                40,
                layer_ps,
                flops=layer_ps * 310,
                read=layer_ps // 4,
                written=wide.padded_bytes // layers,
                near=near.padded_bytes // layers,
                kind="kOutput",
                calls=(f"fused.{output}",),
            ),
            Instruction(
                loop,
                "fusion",
                "loop fusion",
                wide,
                (output,),
                forward + path + "relu/max",
                41,
                layer_ps // 4,
                flops=layer_ps // 3,
                read=layer_ps // 3,
                written=layer_ps // 7,
                kind="kLoop",
                calls=(f"fused.{loop}",),
                duplicate_of=copy,
            ),
            Instruction(
                gradient,
                "fusion",
                "convolution fusion",
                weights,
                (loop, "p.w"),
                backward + path + "conv_general_dilated",
                42,
                layer_ps,
                flops=layer_ps * 270 + layer,
                read=layer_ps // 5,
                written=layer_ps // 9,
                kind="kOutput",
                calls=(f"fused.{gradient}",),
            ),
        ]
        last = loop
    loop_shape = TupleShape((count, norm))
    instructions += [
        Instruction(
            "while.1", "while", "while", loop_shape, ("state",), step + "main/while", 50, calls=("body", "cond")
        ),
        Instruction(
            "add_fusion.1",
            "fusion",
            "loop fusion",
            norm,
            ("body.norm",),
            step + "main/while/body/add",
            51,
            _MS,
            flops=1000,
            read=norm.padded_bytes,
            written=norm.padded_bytes,
            kind="kLoop",
            calls=("fused.add_fusion.1",),
        ),
        Instruction(
            "dynamic-slice.1",
            "dynamic-slice",
            "dynamic-slice",
            norm,
            ("body.norm", "body.count"),
            step + "main/while/body/dynamic_slice",
            52,
            _MS // 4,
            read=norm.padded_bytes,
            written=norm.padded_bytes,
        ),
        *_transfers(1, 5, norm, "all-reduce.1", ring),
        *_transfers(2, 6, replace(weights, dims=(3, 3, 500, 50)), "fusion.3", across),
        moved(
            Instruction(
                "all-reduce.2",
                "all-reduce",
                "all-reduce",
                weights,
                (f"fusion.{3 * layers}",),
                backward + "psum",
                57,
                flops=weights.unpadded_bytes // 2,
                calls=("sum",),
                channel=2,
            ),
            weights,
        ),
        moved(
            Instruction(
                "fusion.0",
                "fusion",
                "loop fusion",
                momentum,
                ("p.m", "all-reduce.2"),
                step + "optimizer/sub",
                60,
                3 * _MS,
                flops=2 * momentum.unpadded_bytes // 4,
                kind="kLoop",
                calls=("fused.fusion.0",),
            ),
            momentum,
        ),
        Instruction(
            "outfeed.1",
            "outfeed",
            "outfeed",
            TOKEN,
            ("looped", "after-all.1"),
            step + "outfeed",
            62,
            _MS // 2,
            read=norm.padded_bytes,
        ),
    ]
    instructions = [replace(instruction, symbol=place + 1) for place, instruction in enumerate(instructions)]
    names = {instruction.name: place for place, instruction in enumerate(instructions)}
    body = [names["add_fusion.1"], names["dynamic-slice.1"]]
    before = list(range(names["while.1"] + 1))
    start = Instruction(
        "copy-start.1",
        "copy-start",
        "copy-start",
        TupleShape((near, weights, context)),
        ("p.w",),
        symbol=len(instructions) + 1,
        read=weights.padded_bytes,
    )
    return Program(
        instructions,
        [*before, *body * ITERATIONS, *range(names["recv.1"], len(instructions))],
        [
            ("w.stem", ArrayShape("bf16", (7, 7, 3, 60), (3, 2, 1, 0))),
            ("p.w", weights),
            ("p.m", momentum),
            ("p.norm", norm),
        ],
        start,
        names["while.1"],
        frozenset(body),
        (names["all-reduce.1"], names["all-reduce.2"]),
        names,
    )


def _transfers(
    number: int, channel: int, sent: ArrayShape, what: str, pairs: tuple[tuple[int, int], ...]
) -> list[Instruction]:
    """Instructions by which each core sends to another one, and receives."""
    path, padded = "jit(train_step)/pipeline/ppermute", sent.padded_bytes
    on_its_way = TupleShape((sent, ArrayShape("u32", (), ()), TOKEN))
    there = TupleShape((sent, TOKEN))
    send, recv = f"send.{number}", f"recv.{number}"

    def transfer(opcode: str, shape: AnyShape, *operands: str, typical: int, framework: str = "") -> Instruction:
        line = 55 if framework else 0
        return Instruction(
            f"{opcode}.{number}",
            opcode,
            opcode,
            shape,
            operands,
            framework,
            line,
            typical,
            channel=channel,
            pairs=pairs,
        )

    return [
        replace(transfer("recv", on_its_way, "after-all.1", typical=_MS // 30, framework=path), written=padded),
        replace(transfer("send", on_its_way, what, "after-all.1", typical=_MS // 25, framework=path), read=padded),
        transfer("send-done", TOKEN, send, typical=_MS // 2),
        transfer("recv-done", there, recv, typical=_MS),
    ]


def init_instruction() -> Instruction:
    """The only one of the program that runs before the steps."""
    shape = ArrayShape("f32", (3, 3, 500, 500), (3, 2, 1, 0))
    return Instruction(
        "broadcast.2",
        "broadcast",
        "broadcast",
        shape,
        ("constant.1",),
        "jit(init_state)/broadcast_in_dim",
        12,
        2 * _MS,
        written=shape.padded_bytes,
        symbol=1,
    )
