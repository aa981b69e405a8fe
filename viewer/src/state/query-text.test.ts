import { expect, it } from "vitest";
import { exactly, exactlyOf, within } from "./query-text";
import type { Trace } from "./trace";

it("writes a name so that it is found, and no other", () => {
  expect(exactly("all-reduce.1")).toBe('"all-reduce.1"');
  expect(exactly('a "b" \\c')).toBe('"a \\"b\\" \\\\c"');
});

it("tells a name of one category from its namesakes", () => {
  expect(exactlyOf("gemm", "kernel")).toBe('"gemm" cat:"kernel"');
  expect(exactlyOf("gemm", "")).toBe('"gemm"');
});

it("names a track with the process that it is of, and a process alone", () => {
  const trace = {
    tracks: new Map([[5, { name: "XLA Ops", group: 2 }]]),
    groups: new Map([
      [1, { kind: "host", name: "host0", parent: null }],
      [2, { kind: "process", name: 'TPU "0"', parent: 1 }],
    ]),
  } as unknown as Pick<Trace, "tracks" | "groups">;
  expect(within(trace, "t5")).toBe('track:"XLA Ops" process:"TPU \\"0\\""');
  expect(within(trace, "g2")).toBe('process:"TPU \\"0\\""');
  expect(within(trace, "g1")).toBeNull();
  expect(within(trace, "t9")).toBeNull();
});
