import type { EventDetails } from "@tilescope/client";
import { expect, it } from "vitest";
import { formatScaled, shownArg, sortArgs } from "./arguments";

const plain = (text: string) => text.replaceAll("\u202f", " ");

it("gives numbers the unit that their key names, and says them exactly beside it", () => {
  const cases: readonly (readonly [string, string | number, string, string])[] = [
    ["bytes_accessed", "10737418240", "10.7 GB", "10,737,418,240"],
    ["Bytes", 5242880, "5.24 MB", "5,242,880"],
    ["Total Allocated", 5435638784, "5.44 GB", "5,435,638,784"],
    ["model_flops", 1342177280, "1.34 GFLOP", "1,342,177,280"],
    ["device_duration_ps", "189154853750", "189.2 ms", "189,154,853,750"],
    ["wait (us)", 12, "12 µs", ""],
  ];
  for (const [name, value, text, exact] of cases) {
    const shown = shownArg(name, value);
    expect([plain(shown.text), plain(shown.exact), shown.raw]).toEqual([text, exact, `${value}`]);
  }
});

it("leaves alone what has no unit", () => {
  for (const [name, value] of [
    ["correlation", 135071],
    ["program_id", "11287434908481120160"],
    ["memory bandwidth (GB/s)", 1268.4],
    ["mem size", "14139908 bytes"],
    ["bytes", "unknown"],
    ["bytes_per_second", 12],
  ] as const) {
    expect(shownArg(name, value)).toMatchObject({ text: `${value}`, exact: "" });
  }
});

it("puts short lists on a line, and long ones below each other", () => {
  expect(shownArg("grid", [32, 1, 2]).text).toBe("[32, 1, 2]");
  expect(shownArg("dims", [[2048, 2048], []]).text).toBe("[[2048, 2048], []]");
  expect(shownArg("x", { bytes: 12 }).text).toBe('{"bytes": 12}');
  expect(shownArg("names", Array(30).fill("name")).text).toContain("\n");
});

it("shows the call stacks that arguments refer to", () => {
  const args = [
    { name: "sf", value: 3 },
    { name: "esf", value: 9 },
    { name: "sf", value: 2 },
  ];
  const stacks = [
    { argument: "sf", frames: ["main", "parse", "alloc"] },
    { argument: "sf", frames: ["main", "parse"] },
  ];
  const sorted = sortArgs({ args, stacks, category: "" } as unknown as EventDetails);
  expect(sorted.shown).toEqual([
    { name: "sf", raw: "3", text: "main › parse › alloc", exact: "3" },
    { name: "esf", raw: "9", text: "9", exact: "" },
    { name: "sf", raw: "2", text: "main › parse", exact: "2" },
  ]);
  expect(sorted.stacks.map(({ name, frames }) => [name, frames.map(({ code }) => code)])).toEqual([
    ["Call stack", ["alloc", "parse", "main"]],
    ["Call stack", ["parse", "main"]],
  ]);
});

it("keeps stacks and internals apart, in the order of the file", () => {
  const args = [
    { name: "_r", value: 1 },
    { name: "b", value: 2 },
    { name: "Call stack", value: "a.py(1): f;b.py(2): g" },
    { name: "Ev Idx", value: 3 },
    { name: "stack", value: 12 },
    { name: "a", value: 4 },
  ];
  const sorted = sortArgs({ args, stacks: [], category: "" } as unknown as EventDetails);
  expect(sorted.shown.map(({ name }) => name)).toEqual(["b", "stack", "a"]);
  expect(sorted.internals.map(({ name }) => name)).toEqual(["_r", "Ev Idx"]);
  expect(sorted.stacks).toEqual([
    {
      name: "Call stack",
      raw: "a.py(1): f;b.py(2): g",
      frames: [
        { code: "f", place: "a.py:1" },
        { code: "g", place: "b.py:2" },
      ],
    },
  ]);
});

it("counts operations", () => {
  expect([0n, 999n, 1500n, 2n * 10n ** 15n].map((flops) => plain(formatScaled(flops, "FLOP")))).toEqual([
    "0 FLOP",
    "999 FLOP",
    "1.5 kFLOP",
    "2 PFLOP",
  ]);
});
