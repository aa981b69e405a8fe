import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { meaningOf } from "./event-meaning";
import type { Meaning } from "./meaning";

type Example = readonly [name: string, category: string, meaning: Meaning];

const EXAMPLES = JSON.parse(readFileSync(new URL("work-examples.json", import.meta.url), "utf8")) as Example[];

test("what devices do is what the registry of work kinds says", () => {
  // The registry counts infeeds as copies; and of `hcom_…` it says by the track whether it communicates, or waits for that.
  const own = new Map<string, Meaning>([
    ["infeed.1", "input"],
    ["hcom_allReduce__123_0", "collective"],
  ]);
  const wrong = EXAMPLES.filter(
    ([name, category, meaning]) => meaningOf({ name, category }) !== (own.get(name) ?? meaning),
  );
  expect(EXAMPLES.length).toBeGreaterThan(100);
  expect(wrong).toEqual([]);
});

test.each<Example>([
  ["volta_sgemm_32x128_nt", "kernel", "compute"],
  ["volta_sgemm_32x128_nt", "Kernel", "compute"],
  ["ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", "Kernel", "collective"],
  ["Memcpy HtoD (Pageable -> Device)", "Memcpy", "copy"],
  ["Memset (Device)", "gpu_memset", "memory"],
  ["cudaLaunchKernel", "Runtime", "launch"],
  ["cudaStreamSynchronize", "cuda_runtime", "launch"],
  ["cudaMalloc", "cuda_runtime", "memory"],
  ["aten::conv2d", "Operator", "operator"],
  ["nccl:all_reduce", "user_annotation", "collective"],
  ["c10d::allreduce_", "cpu_op", "collective"],
  ["enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "user_annotation", "input"],
  ["torch/utils/data/dataloader.py(600): __next__", "python_function", "input"],
  ["nn/modules/module.py(1501): _call_impl", "python_function", "python"],
  ["ProfilerStep#4", "user_annotation", "other"],
  ["pe_exe", "mtia_ccp_events", "compute"],
  ["event_wait", "mtia_ccp_events", "other"],
  ["fusion.2", "loop fusion", "compute"],
  ["fusion.2", "", "compute"],
  ["%reduce-window.3", "", "compute"],
  ["wrapped_reduce", "", "compute"],
  ["end: multiply_add_fusion", "", "compute"],
  ["all-reduce.1", "all-reduce", "collective"],
  ["infeed.1", "infeed", "input"],
  ["outfeed.1", "outfeed", "copy"],
  ["MemcpyH2D", "", "copy"],
  ["void gemm<float>(float*)", "", "compute"],
  ["$array.py:12 __array__", "", "launch"],
  ["$core.py:1311 process_primitive", "", "python"],
  ["$builtins isinstance", "", "python"],
  ["PjitFunction(step)", "", "launch"],
  ["Iterator::Prefetch::BatchV2", "", "input"],
  ["MatMul", "", "operator"],
  ["gradient_tape/replica_6/bert/MatMul", "", "operator"],
  ["jit_train_step(1234567890)", "", "other"],
  ["100", "", "other"],
  ["Default/network/conv2d-op1", "AI_CORE", "compute"],
  ["allreduceAicpuKernel", "AI_CPU", "collective"],
  ["NOTIFY_WAIT", "NOTIFY_WAIT", "other"],
  ["AscendCL@aclrtSynchronizeStream", "", "launch"],
  ["Model@ModelExecute", "", "launch"],
  ["Communication(Not Overlapped)", "", "collective"],
  ["Computing", "", "compute"],
  ["Default/AllReduce-op534_0", "", "collective"],
  ["AllReduce-op3", "", "collective"],
  ["Mul-op29", "", "compute"],
  ["Default/network-TrainStepWrap/optimizer_d-Adam/Assign-op30", "", "compute"],
  ["stream_7_parallel_0", "", "collective"],
  ["stream_7_parallel_0", "Reduce", "collective"],
  ["stream_48_0_Receive-op663", "Reduce", "collective"],
  ["Reduce_1_0", "Reduce", "collective"],
  ["model-opt3", "", "other"],
  ["ProfilerStep#6", "Operator", "other"],
  ["all-gather-simplifier", "", "other"],
  ["ThreadpoolListener::Record", "", "other"],
  ["dot", "", "compute"],
  ["Free", "", "other"],
  ["RunTask", "toplevel", "other"],
  ["V8.Execute", "v8,devtools.timeline", "other"],
  ["", "", "other"],
])("%s of category '%s' is %s", (name, category, meaning) => {
  expect(meaningOf({ name, category })).toBe(meaning);
});

test("names and categories of objects' own properties mean nothing", () => {
  expect(["constructor", "__proto__", "toString"].map((category) => meaningOf({ name: "a b", category }))).toEqual([
    "other",
    "other",
    "other",
  ]);
});
