import { expect, test } from "vitest";
import { ShortNames, stemOf } from "./short-name";

function formsOf(...names: readonly string[]): readonly string[] {
  const short = new ShortNames();
  short.add(names);
  return names.map((name) => {
    const { head, tail } = short.form(name);
    return head + tail;
  });
}

test.each([
  ["void at::native::vectorized_elementwise_kernel<4, F<float>>(int, F)", "vectorized_elementwise_kernel"],
  ["void (anonymous namespace)::softmax_warp_forward<float>(float*)", "softmax_warp_forward"],
  ["aten::conv2d", "conv2d"],
  ["autograd::engine::evaluate_function: AddBackward0", "AddBackward0"],
  ["fusion.2711", "fusion.2711"],
  ["jit_train_step(1234567890)", "jit_train_step"],
  ["torch/nn/modules/module.py(1501): _call_impl", "_call_impl"],
  ["$core.py:1311 process_primitive", "process_primitive"],
  ["<built-in method append of collections.deque object at 0x7f>", "append"],
  ["gradient_tape/replica_6/bert/MatMul", "MatMul"],
  ["Memcpy HtoD (Pinned -> Device)", "Memcpy HtoD (Pinned -> Device)"],
  ["ProfilerStep#4", "#4"],
  ["Step 12", "#12"],
  ["train step #1234567", "#1234567"],
  ["jit_train_step", "jit_train_step"],
  ["step_12", "step_12"],
  ["Optimizer.step#SGD.step", "Optimizer.step#SGD.step"],
  ["nccl:all_reduce", "nccl:all_reduce"],
  ["%fusion.3 = f32[8]{0} fusion(f32[8] %p), kind=kLoop", "%fusion.3"],
  ["::", "::"],
  ["", ""],
])("%s is in short %s", (name, stem) => {
  expect(stemOf(name)).toBe(stem);
});

test("names that share a stem keep what tells them apart", () => {
  const kernel = (functor: string) => `void at::native::vectorized_elementwise_kernel<4, at::native::${functor}>(int)`;
  expect(formsOf(kernel("copy"), kernel("AddFunctor<float>"), kernel("AddFunctor<double>"))).toEqual([
    "vectorized_elementwise_kernel…copy",
    "vectorized_elementwise_kernel…float",
    "vectorized_elementwise_kernel…double",
  ]);
  expect(formsOf("AddBackward0", "autograd::engine::evaluate_function: AddBackward0")).toEqual([
    "AddBackward0",
    "AddBackward0…autograd",
  ]);
  expect(formsOf("nets/module.py(1): forward", "sub/module.py(1): forward", "sub/linear.py(9): forward")).toEqual([
    "forward…nets",
    "forward…sub",
    "forward…linear",
  ]);
});

test("a file says more than a line, and a line where the file is the same", () => {
  expect(formsOf("q/queues.py(98): get", "q/queues.py(154): get", "pool.py(3): get", "pool.py(3): put")).toEqual([
    "get…q 98",
    "get…q 154",
    "get…pool",
    "put",
  ]);
});

test("steps are called by their numbers, and steps of two programs by these as well", () => {
  expect(formsOf("ProfilerStep#4", "ProfilerStep#5", "EvalStep#5")).toEqual(["#4", "#5…ProfilerStep", "#5…EvalStep"]);
});

test("a number at the end is the tail", () => {
  const short = new ShortNames();
  short.add(["fusion.2711", "copy"]);
  expect([short.form("fusion.2711"), short.form("copy")]).toEqual([
    { head: "fusion", tail: ".2711" },
    { head: "copy", tail: "" },
  ]);
});

test("no two names have one form, in whatever order they come, and a name that comes later changes only its like", () => {
  let state = 7;
  const pick = <T>(...choices: readonly T[]): T => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return choices[(state >>> 8) % choices.length]!;
  };
  for (let round = 0; round < 200; round++) {
    const names = Array.from({ length: 12 }, () => {
      const part = () => pick("a", "b", "copy", "Add<int>", "Add<4, float>", "", "x/y", "12", " ", "…", "<", ")");
      return `${pick("void ", "", "aten::", "m.py(3): ")}${part()}${pick("::", "<", "(", ".", "")}${part()}${pick(">(int)", "", ".7")}`;
    });
    const distinct = [...new Set(names)];
    const forms = formsOf(...distinct);
    expect(new Set(forms).size, JSON.stringify(distinct)).toBe(distinct.length);
    const later = new ShortNames();
    for (const name of distinct) {
      later.add([name]);
      later.form(name);
    }
    expect(distinct.map((name) => later.form(name).head + later.form(name).tail)).toEqual(forms);
  }
});

test("a hundred thousand names with one stem are read in a moment", () => {
  const short = new ShortNames();
  for (let page = 0; page < 100; page++) {
    short.add(Array.from({ length: 1000 }, (_, k) => `void f<${page * 1000 + k}>(int)`));
    short.form("void f<7>(int)");
  }
  expect(short.form("void f<99999>(int)")).toEqual({ head: "void f<99999>(int)", tail: "" });
});

test("a name that has room is itself, one that has none is told from its like", () => {
  const short = new ShortNames();
  const names = [
    "void sgemm<float, 1024, true>(int)",
    "void sgemm<float, 128, true>(int)",
    "void alone<float>(int, int)",
  ];
  short.add(names);
  expect(names.map((name) => short.inRoom(name, 40).head)).toEqual(names);
  expect(names.map((name) => short.inRoom(name, 10))).toEqual([
    { head: "sgemm", tail: "…1024" },
    { head: "sgemm", tail: "…128" },
    { head: names[2], tail: "" },
  ]);
});
