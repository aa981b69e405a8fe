"""Instructions of the kernels of a graph: what names say, what order says, and what neither does."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.facts.operations.graph_attribution import GraphKernel, attribute
from tilescope.tiler.facts.operations.graph_launches import GraphLaunches, LaunchingInstruction, kernel_name


def launches(
    text: str,
    *,
    is_ordered: bool = True,
    is_whole: bool = False,
    elsewhere: Mapping[Hashable, Sequence[str]] | None = None,
) -> GraphLaunches:
    """Instructions in their order: "add.1:A" is one like all others of A; "!" a library's, "@" apart, "&" control."""
    order = []
    for word in text.split():
        name, _, likeness = word.strip("!@&").partition(":")
        order.append(
            LaunchingInstruction(name, kernel_name(name), likeness or name, "!" in word, "&" in word, "@" in word)
        )
    owners: dict[str, list[str]] = {}
    for launch in order:
        owners.setdefault(launch.kernel, []).append(launch.name)
    return GraphLaunches(order, is_ordered, is_whole, owners, elsewhere or {})


def attributed(kernels: str, graph: GraphLaunches, others: Sequence[str] = ()) -> str:
    """Instruction of each kernel, "~" operations of memory: with "=" by name, with "#" by order, "-" none."""
    parsed = [GraphKernel(word.strip("~"), "~" not in word) for word in kernels.split()]
    names = {kernel.name for kernel in parsed} | set(others)
    ways = {"name": "=", "order": "#"}
    matches = attribute(parsed, graph, names)
    return " ".join("-" if each is None else ways[each.way] + each.instruction for each in matches)


def test_names_of_one_instruction() -> None:
    assert attributed("add_1 mul_2", launches("add.1 mul.2")) == "=add.1 =mul.2"
    assert attributed("mul_2", launches("add.1 mul.2")) == "=mul.2"
    # Twice where the instruction runs once; a name of two instructions; and one of none.
    assert attributed("add_1 add_1 mul_2", launches("add.1 mul.2")) == "- - =mul.2"
    assert attributed("a_1 mul_2", launches("a.1 a_1 mul.2")) == "- =mul.2"
    assert attributed("x mul_2", launches("add.1 mul.2")) == "- =mul.2"


def test_instructions_that_share_a_kernel_in_their_order() -> None:
    graph = launches("first add.1:A mul.2 add.3:A add.4:A last")
    assert attributed("first add_1 mul_2 add_1 add_1 last", graph) == "=first #add.1 =mul.2 #add.3 #add.4 =last"
    # One of them did not run, or another was not recorded.
    assert attributed("first add_1 mul_2 add_1 last", graph) == "=first - =mul.2 - =last"
    # The last may lie beyond what names say of the graph.
    assert attributed("add_1 mul_2 add_1", graph) == "- =mul.2 -"
    assert attributed("add_1 mul_2 add_1", launches("add.1:A mul.2 add.3:A @add.4:A")) == "#add.1 =mul.2 #add.3"
    assert attributed("add_1 add_1 add_1", graph) == "#add.1 #add.3 #add.4"


def test_like_instructions_with_kernels_of_their_own() -> None:
    graph = launches("first add.1:A mul.2 add.3:A add.4:A last")
    names = "=first #add.1 =mul.2 #add.3 #add.4 =last"
    assert attributed("first add_1 mul_2 add_3 add_3 last", graph) == names
    assert attributed("first add_1 mul_2 add_3 add_1 last", graph) == names
    assert attributed("first add_3 mul_2 add_1 add_1 last", graph) == "=first - =mul.2 - - =last"


def test_a_graph_with_its_other_instructions_in_another_one() -> None:
    graph = launches("add.1:A mul.2 add.3:A apart! add.4:A mul.5 add.6:A last")
    assert attributed("add_1 mul_5 add_1 last", graph, ["mul_2"]) == "- =mul.5 - =last"
    assert attributed("mul_2 add_1 mul_5", launches("mul.2 add.1:A mul.5 add.3:A")) == "=mul.2 #add.1 =mul.5"


def test_kernels_of_libraries_between_others() -> None:
    graph = launches("a dot.1! b dot.2! dot.3! c copy.4 d")
    assert attributed("a gemm b", graph) == "=a #dot.1 =b"
    assert attributed("a ~Memset gemm reduce b", graph) == "=a #dot.1 #dot.1 #dot.1 =b"
    assert attributed("a gemm b gemm other c", graph) == "=a #dot.1 =b #dot.2 #dot.3 =c"
    assert attributed("b ~Memset gemm gemm c", graph) == "=b - - - =c"
    assert attributed("b gemm c", graph) == "=b - =c"
    assert attributed("c ~MemcpyD2D d", graph) == "=c #copy.4 =d"
    assert attributed("c gemm d", graph) == "=c - =d"
    assert attributed("a gemm b", launches("a while.1!& b")) == "=a - =b"
    assert attributed("a gemm b", launches("a add.1 b")) == "=a - =b"


def test_kernels_of_libraries_at_the_ends_of_a_graph() -> None:
    assert attributed("gemm a gemm", launches("@x dot.1! a dot.2! y")) == "#dot.1 =a #dot.2"
    assert attributed("gemm a gemm", launches("@x dot.0! dot.1! a dot.2! @dot.3! y")) == "#dot.1 =a #dot.2"
    graph = launches("@x dot.0! dot.1! a dot.2! y")
    assert attributed("gemm gemm a ~Memset gemm", graph) == "- - =a - -"
    assert attributed("~Memcpy gemm a gemm reduce ~Memset", graph) == "- #dot.1 =a #dot.2 #dot.2 -"
    assert attributed("~Memset gemm a", launches("@x dot.1! a")) == "#dot.1 #dot.1 =a"
    # Kernels of a loop may follow.
    assert attributed("a gemm gemm", launches("a dot.1! while.2& b")) == "=a - -"
    assert attributed("a gemm", launches("a dot.1! while.2& b")) == "=a #dot.1"
    assert attributed("gemm", launches("dot.1!")) == "-"
    assert attributed("gemm", launches("dot.1!", is_whole=True)) == "#dot.1"
    assert attributed("gemm a", launches("add.1 dot.1! a", is_whole=True)) == "- =a"


def test_no_order_where_kernels_run_in_another_one_or_the_program_has_none() -> None:
    assert attributed("b gemm a", launches("a dot.1! b")) == "=b - =a"
    assert attributed("b add_1 a add_1", launches("a add.1:A b add.2:A")) == "=b - =a -"
    assert attributed("a gemm b", launches("a dot.1! b", is_ordered=False)) == "=a - =b"
    # Without an order nobody knows which instruction gave a kernel its name.
    assert attributed("add_1", launches("add.1:A add.2:A", is_ordered=False)) == "-"


def test_kernels_of_instructions_that_ran_outside_of_graphs_too() -> None:
    """XLA runs a program without its graphs at first."""
    graph = launches("@first @add.1:A @mul.2! @add.3:A @last")
    assert attributed("first add_1 gemm add_1 last", graph) == "=first #add.1 #mul.2 #add.3 =last"
    assert attributed("add_1", launches("@add.1:A @add.3:A")) == "-"
    assert attributed("add_1", launches("@add.1:A add.3:A")) == "#add.3"


def test_kernels_that_instructions_of_other_computations_may_run() -> None:
    text = "first add.1:A mul.2 last"
    elsewhere: dict[Hashable, list[str]] = {"A": ["body_9"]}
    graph = launches(text, elsewhere=elsewhere)
    assert attributed("add_1 x", graph) == "- -"
    assert attributed("first add_1 mul_2", graph) == "=first #add.1 =mul.2"
    assert attributed("add_1 mul_2", graph) == "- =mul.2"
    # That instruction has a kernel of its own.
    assert attributed("add_1 x", graph, ["body_9"]) == "=add.1 -"
    looped = launches("first add.1:A while.1& mul.2 last", elsewhere=elsewhere)
    assert attributed("first add_1 mul_2", looped) == "=first - =mul.2"


PROGRAMS = st.lists(st.tuples(st.sampled_from("ABCD"), st.booleans()), min_size=1, max_size=12)


@given(PROGRAMS, st.data())
def test_what_is_attributed_is_what_ran(program: list[tuple[str, bool]], data: st.DataObject) -> None:
    """A program of like instructions, some of which libraries run; the graph is any stretch of it."""
    words = [
        f"op.{place}:{kind}" if not is_library else f"op.{place}!" for place, (kind, is_library) in enumerate(program)
    ]
    owner: dict[str, int] = {}
    ran: list[tuple[str, int]] = []
    first = data.draw(st.integers(0, len(program) - 1))
    last = data.draw(st.integers(first, len(program)))
    for place, (kind, is_library) in enumerate(program):
        name = "gemm" if is_library else f"op_{owner.setdefault(kind, place)}"
        times = data.draw(st.integers(1, 2)) if is_library else 1
        ran += [(name, place)] * times if first <= place < last else []
    matches = attributed(
        " ".join(name for name, _ in ran), launches(" ".join(words)), [f"op_{position}" for position in owner.values()]
    )
    for (_, place), each in zip(ran, matches.split(), strict=True):
        assert each == "-" or each[1:] == f"op.{place}"
