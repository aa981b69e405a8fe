"""Differences between generation 2 of PyTorch and of MindSpore: names, headers, signs of absence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from bench.ascend_run.program import Operator

Label = Literal["pt", "ms"]

_ATEN: Final = {
    "GetNext": "aten::copy_",
    "Cast": "aten::to",
    "LayerNorm": "aten::native_layer_norm",
    "MatMul": "aten::mm",
    "BiasAdd": "aten::add",
    "DropoutGenMask": "aten::native_dropout",
    "GeLU": "aten::gelu",
    "DropoutDoMask": "aten::mul",
    "GeLUGrad": "aten::gelu_backward",
    "BiasAddGrad": "aten::sum",
    "LayerNormGrad": "aten::native_layer_norm_backward",
    "Mul": "aten::mul_",
    "ApplyMomentum": "aten::_foreach_add_",
    "AssignAdd": "aten::add_",
    "AllReduce": "HcclAllreduce",
    "Send": "HcclSend",
    "Receive": "HcclReceive",
}
_COLLECTIVES: Final = {"AllReduce": "hcom_allReduce_", "Send": "hcom_send_", "Receive": "hcom_receive_"}
_METRICS: Final = (
    "aicore_time(us),aic_total_cycles,aic_mac_fp16_ratio,aic_mac_int8_ratio,aic_cube_fops,aic_vector_fops,aiv_time(us),"
    "aiv_total_cycles,aiv_vec_fp32_ratio,aiv_vec_fp16_ratio,aiv_vec_int32_ratio,aiv_vec_misc_ratio,aiv_cube_fops,"
    "aiv_vector_fops"
)
_TENSORS: Final = (
    "Input Shapes,Input Data Types,Input Formats,Output Shapes,Output Data Types,Output Formats,Context ID"
)


@dataclass(frozen=True, slots=True)
class Framework:
    label: Label
    process: str  # of the host
    flow: str  # from the host to a device
    never: str  # where nothing was released
    kernel_header: str

    def host_name(self, operator: Operator) -> str:
        return _ATEN[operator.kind] if self.label == "pt" else operator.full_name

    def kernel_name(self, operator: Operator) -> str:
        if self.label == "ms":
            return operator.full_name
        return f"aclnn{operator.kind}_{operator.kind}AiCore_{operator.kind}"

    @property
    def is_new(self) -> bool:
        """True if `kernel_details.csv` has the columns of newer versions."""
        return self.label == "ms"


PYTORCH: Final = Framework(
    "pt",
    "Python",
    "torch_to_npu",
    "",
    "Step Id,Model ID,Task ID,Stream ID,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Dim,"
    f"Mix Block Dim,{_TENSORS},{_METRICS}",
)
MINDSPORE: Final = Framework(
    "ms",
    "MindSpore",
    "mindspore_to_npu",
    "N/A",
    "Step Id,Device_id,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,Start Time(us),Duration(us),"
    f"Wait Time(us),Block Dim,Mix Block Dim,HF32 Eligible,{_TENSORS},{_METRICS}",
)
FRAMEWORKS: Final[dict[Label, Framework]] = {"pt": PYTORCH, "ms": MINDSPORE}


def kernel_type(operator: Operator) -> str:
    return _COLLECTIVES.get(operator.kind, operator.kind)


def collective_name(operator: Operator, number: int, step: int) -> str:
    """Names of collectives count through the capture."""
    return f"{_COLLECTIVES[operator.kind]}_501_{number}_{step + 1}"
