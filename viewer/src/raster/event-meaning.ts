/**
 * Kind of work that an event stands for, by its category and its name alone: so a name has one meaning in all runs, on all
 * pages, and while a run is being indexed. The patterns are those of the tools.
 */

import { functionOf } from "./function-name";
import type { Meaning, NamedEvent } from "./meaning";
import {
  ASCEND_TASKS,
  ASCEND_TYPES,
  GPU_COPIES,
  HOST_FUNCTIONS,
  KERNEL_FUNCTIONS,
  type WorkPattern,
  XLA_OPERATIONS,
} from "./work-patterns";

/** Categories of PyTorch, of today and of before 2022, in lower case. */
const PYTORCH: ReadonlyMap<string, Meaning> = new Map(
  Object.entries({
    compute: "kernel hpu_op",
    copy: "gpu_memcpy memcpy",
    memory: "gpu_memset memset",
    launch:
      "cuda_runtime cuda_driver cuda_sync hip_runtime runtime mtia_runtime xpu_runtime privateuse1_runtime privateuse1_driver",
    operator: "cpu_op operator",
    python: "python_function",
    other: "user_annotation gpu_user_annotation nvtx roctx cpu_instant_event overhead",
  } satisfies Partial<Record<Meaning, string>>).flatMap(([meaning, categories]) =>
    categories.split(" ").map((category) => [category, meaning as Meaning] as const),
  ),
);

/** Categories of HLO operations, beside those that communicate and copy. */
const HLO_CATEGORY =
  /fusion|convolution|custom[- ]call|data formatting|elementwise|^(?:bitcast|broadcast|concatenate|copy|dot|fft|gather|iota|pad|reduce|reshape|reverse|rng|scatter|select|slice|sort|transpose|dynamic)\b/;

/** An operation of HLO by its name: `fusion.12`, `%reduce-window.3`, `end: wrapped_add`. */
const HLO_NAME =
  /^(?:end: )?%?(?:wrapped_|[a-z][\w-]*(?:\.\d+)+$|[\w-]*fusion(?:[._]\d+)?$|(?:broadcast|convolution|copy|dot|gather|reduce|scatter|sort|transpose)$)/;
/** Opcodes end so: what goes on is a pass of the compiler, `all-gather-simplifier`. */
const HLO_OPCODE =
  /(?:call|collective-broadcast|conditional|copy|done|gather|outfeed|infeed|permute|recv|reduce|scatter|send|slice|start|sum|to-all|while)[.\d]*$/;
const COMPILER_PASS =
  /^[a-z][\w-]*(?:(?<!scatt|kern)(?:er|or)|cse|elimination|folding|motion|normalization|operations|propagation)(?:-\d+)?$/;

const PYTHON = /^\$|^<built-in|\.py(?:\(|:)\d/;
const OPERATOR = /^(?:aten|prim|autograd|torch|c10d?|fbgemm)::|^[A-Z][A-Za-z0-9]+$|^[\w.:-]+\/[\w./:-]+$/;
/** A method of a runtime on a host. */
const METHOD = /^[A-Z]\w*(?:::\w+)+$/;
/** Calls of a runtime that launch, wait or move nothing themselves. */
const DRIVER = /^(?:cu(?:da)?|hip|acl|musa)[A-Z]|^(?:AscendCL|Runtime|Node|GE|Model|Hccl)@/;
/** Time in which something else runs, or nothing: steps, programs, idle time. */
const ENVELOPE = /^(?:[\d.]+|(?:ProfilerStep|Iteration|FP_BP Time|jit_|pmap_).*|Free)$/;
const COLLECTIVE = /^(?:(?:nccl|rccl|hccl|c10d|xccl|ucc)[:_]|Communication(?:\(|$)|hcom_)/;
const MEMSET = /^memset/i;
/** An operator of MindSpore on a device, behind its scope: `Default/network/Conv2D-op11`, `Mul-op29`. */
const MINDSPORE_OPERATOR = /^(?:[\w.:-]+\/)*\w+-op\d+(?:_\d+)?$/;
/** Category of reduces in step traces of Ascend devices: `stream_48_0_Receive-op663`, `Reduce_1_0`. */
const STEP_TRACE_REDUCE = "Reduce";
/** A reduce of MindSpore's first timelines: `stream_7_parallel_0`. */
const MINDSPORE_REDUCE = /^stream_\d+_parallel_\d+$/;

/** Meaning of an event. */
export function meaningOf({ name, category }: NamedEvent): Meaning {
  const pytorch = PYTORCH.get(category.toLowerCase());
  if (pytorch === "compute") {
    return first(KERNEL_FUNCTIONS, functionOf(name)) ?? pytorch;
  }
  if (ENVELOPE.test(name)) {
    return "other";
  }
  if (category === STEP_TRACE_REDUCE || MINDSPORE_REDUCE.test(name)) {
    return "collective";
  }
  if (pytorch === "operator" || pytorch === "python" || pytorch === "launch") {
    return hostMeaning(name) ?? pytorch;
  }
  if (pytorch !== undefined) {
    // What a library annotates itself: `nccl:all_reduce`, `enumerate(DataLoader)`.
    return pytorch === "other" ? (hostMeaning(name) ?? pytorch) : pytorch;
  }
  return category === "" ? meaningOfName(name) : meaningOfCategory(name, category);
}

/** Devices of Ascend, MTIA and TPUs say what an operation is. */
function meaningOfCategory(name: string, category: string): Meaning {
  if (category === "mtia_ccp_events") {
    return name.startsWith("event_") ? "other" : name === "dma_request" ? "copy" : "compute";
  }
  const byType = first(ASCEND_TYPES, category);
  if (byType !== null) {
    return first(ASCEND_TASKS.slice(0, 1), name) ?? byType;
  }
  return feed(category) ?? first(XLA_OPERATIONS, category) ?? (HLO_CATEGORY.test(category) ? "compute" : "other");
}

/** Meaning of a name without a category: in XSpaces, and of some of Ascend. */
function meaningOfName(name: string): Meaning {
  if (PYTHON.test(name)) {
    return hostMeaning(name) ?? "python";
  }
  if (MEMSET.test(name)) {
    return "memory";
  }
  if (COMPILER_PASS.test(name)) {
    return "other";
  }
  const kernel = first(KERNEL_FUNCTIONS, functionOf(name));
  return (
    (HLO_OPCODE.test(name) ? (feed(name) ?? first(XLA_OPERATIONS, name)) : null) ??
    first(GPU_COPIES, name) ??
    hostMeaning(name) ??
    first(ASCEND_TASKS, name) ??
    (kernel === "collective" ? kernel : null) ??
    (MINDSPORE_OPERATOR.test(name) ? "compute" : null) ??
    (DRIVER.test(name) ? "launch" : null) ??
    (HLO_NAME.test(name) || name === "Computing" ? "compute" : null) ??
    (OPERATOR.test(name) ? "operator" : null) ??
    (METHOD.test(name) ? "other" : null) ??
    kernel ??
    "other"
  );
}

/** The device waits for its input. */
function feed(text: string): Meaning | null {
  return text.startsWith("infeed") ? "input" : null;
}

function hostMeaning(name: string): Meaning | null {
  return COLLECTIVE.test(name) ? "collective" : first(HOST_FUNCTIONS, name);
}

function first(patterns: readonly WorkPattern[], text: string): Meaning | null {
  const rule = patterns.find(([, exact, folded]) => exact?.test(text) === true || folded?.test(text) === true);
  return rule?.[0] ?? null;
}
