"""Functions of kernels: of signatures, mangled names, and names that are neither."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.facts.work.kernel_function import kernel_function


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("gemm", "gemm"),
        ("void a::b<int, (Kind)1, c::d<e>>(int*, f<g>)", "a::b"),
        ("std::enable_if<!(false), void>::type a::b<int>(int)", "a::b"),
        ("void (anonymous namespace)::ep::combine<8>(int*)", "anonymous::ep::combine"),
        ("a::(anonymous namespace)::b(int)", "a::anonymous::b"),
        ("void a<int>::b<c>(int)", "a::b"),
        ("void a::f<auto (int) -> int>(int)", "a::f"),
        ("b(int) [clone .kd]", "b"),
        ("Memcpy DtoD (Device -> Device)", "Memcpy DtoD (Device -> Device)"),
        ("_ZN1a1bIiEEvPi", "a::b"),
        ("_ZN12_GLOBAL__N_11bEv", "_GLOBAL__N_1::b"),
        ("_Z3fooIfEvT_", "foo"),
        ("_ZTSN3ccl1kE", "ccl::k"),
        ("hipLaunchKernel->_ZN5aiter3barIiEEvv (Synthetic Op)", "aiter::bar"),
        ("_Z999foo", "_Z999foo"),
        ("void a<b", "a"),
        ("<", "<"),
        ("", ""),
    ],
)
def test_function(text: str, function: str) -> None:
    assert kernel_function(text) == function


@given(st.text(st.sampled_from("aZ_N1(<>) :-"), max_size=40))
def test_any_text_has_one(text: str) -> None:
    assert kernel_function(text) or not text


def test_long_names_are_looked_at_near_their_beginning() -> None:
    assert kernel_function("a<" + "b<" * 1_000_000) == "a"
