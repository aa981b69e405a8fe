/** Answers of every shape, the same each time. */

import { type ToolAnswer, ticks } from "@tilescope/client";
import type { Figure } from "../src/answers/figures";
import { column, PLAIN, table } from "../src/answers/test-tables";

/** Numbers from 0 to 1 that look random. */
function noise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const STEP_PS = 125_000_000_000;
const STEPS = 48;

function list<Value>(length: number, valueAt: (k: number) => Value): Value[] {
  return Array.from({ length }, (_, k) => valueAt(k));
}

function whole(value: number): string {
  return BigInt(Math.round(value)).toString();
}

/** Steps of a training run: facts, an area chart of what they are made of, lines, bars, a heat map, two tables. */
function steps(): ToolAnswer {
  const random = noise(7);
  const parts = list(STEPS, (k) => {
    const input = STEP_PS * (k % 11 === 4 ? 0.28 : 0.03 + 0.02 * random());
    const compute = STEP_PS * (0.55 + 0.03 * random());
    const collective = STEP_PS * (0.14 + 0.05 * random());
    return { compute, collective, input, idle: STEP_PS * 0.04 * random() };
  });
  const durations = parts.map(({ compute, collective, input, idle }) => compute + collective + input + idle);
  const starts = durations
    .map((_, k) => durations.slice(0, k).reduce((sum, duration) => sum + duration, 2e12))
    .map(Math.round);
  const x = column("step", "count", list(STEPS, String), { title: "Step" });
  const part = (id: keyof (typeof parts)[0], title: string) =>
    column(
      id,
      "ticks",
      parts.map((part) => whole(part[id])),
      { title },
    );
  const all = [
    part("compute", "Compute"),
    part("collective", "Collectives"),
    part("input", "Input"),
    part("idle", "Idle"),
  ];
  const total = durations.reduce((sum, duration) => sum + duration, 0);
  return {
    complete: true,
    missing: [],
    headline: {
      severity: "warning",
      text: "Each step loses 7.7 ms of 94.1 ms (8.2 %) because the next batch is not there in time.",
      startTicks: ticks(2_000_000_000_000n),
      endTicks: ticks(2_094_000_000_000n),
      track: null,
      event: null,
    },
    facts: [
      {
        id: "mean",
        label: "A step takes",
        kind: "ticks",
        value: whole(total / STEPS),
        note: "on average, on all devices",
      },
      { id: "count", label: "Steps", kind: "count", value: String(STEPS), note: "0 to 47" },
      { id: "wait", label: "Waits for input", kind: "fraction", value: 0.0731, note: "of the time of a step" },
      { id: "flops", label: "Model FLOPs", kind: "flops", value: "2415919104000000", note: "of a step" },
      { id: "power", label: "Power", kind: "rate", value: null, note: "record it with a meter" },
      { id: "source", label: "Source", kind: "text", value: "XLA step markers of 4 devices", note: "" },
    ],
    tables: [
      table(
        [
          column(
            "id",
            "id",
            list(STEPS, (k) => k),
          ),
          column("step", "count", list(STEPS, String), { title: "Step" }),
          column(
            "name",
            "name",
            list(STEPS, (k) => `train_step ${k}`),
            { title: "Name" },
          ),
          column("start", "time", starts.map(whole), { title: "Start" }),
          column("duration", "ticks", durations.map(whole), { title: "Duration" }),
          column(
            "input_share",
            "fraction",
            parts.map((part, k) => part.input / durations[k]!),
            { title: "Input" },
          ),
          column(
            "longest",
            "ticks",
            parts.map((part) => whole(part.compute)),
            { title: "Longest op", total: "max" },
          ),
          column(
            "bytes",
            "bytes",
            list(STEPS, (k) => (k % 9 === 5 ? null : (4_000_000_000 + 1e8 * k).toString())),
            { title: "Read" },
          ),
          column(
            "track",
            "track",
            list(STEPS, (k) => k % 16),
            { title: "Slowest on" },
          ),
          column(
            "event",
            "event",
            list(STEPS, (k) => `${k % 16}.${k}`),
            { title: "Event" },
          ),
        ],
        {
          id: "steps",
          title: "Steps",
          totals: { duration: whole(total), longest: whole(Math.max(...parts.map((part) => part.compute))) },
          more: "48,0,0",
        },
      ),
      table([column("device", "name", ["TPU 0", "TPU 1"], { title: "Device" }), column("track", "track", [0, 4])], {
        id: "devices",
        title: "Devices",
      }),
    ],
    series: [
      { id: "parts", title: "What a step is made of", ...PLAIN, kind: "area", x, ys: all },
      {
        id: "levels",
        title: "Memory in use",
        ...PLAIN,
        kind: "line",
        x: column("at", "time", starts.map(whole), { title: "At" }),
        ys: list(4, (host) =>
          column(
            `host${host}`,
            "bytes",
            list(STEPS, (k) =>
              host === 2 && k > 20 && k < 26 ? null : whole(9e9 + host * 8e8 + 6e8 * Math.sin(k / 3 + host)),
            ),
            { title: `host ${host}` },
          ),
        ),
      },
      {
        id: "ops",
        title: "Busiest operations",
        ...PLAIN,
        kind: "bars",
        x: column("op", "name", ["fusion", "all-reduce", "copy", "convolution", "infeed"], { title: "Operation" }),
        ys: [
          column("busy", "ticks", ["91000000000", "31000000000", "9000000000", "44000000000", "12000000000"], {
            title: "Busy",
          }),
          column("self", "ticks", ["81000000000", "21000000000", "9000000000", "40000000000", null], { title: "Self" }),
        ],
      },
      {
        id: "hosts",
        title: "Hosts × steps",
        ...PLAIN,
        kind: "heat",
        x,
        ys: list(8, (host) =>
          column(
            `h${host}`,
            "ticks",
            durations.map((duration, k) =>
              host === 5 && k > 40 ? null : whole(duration * (1 + 0.2 * random() + (host === 2 ? 0.3 : 0))),
            ),
            { title: `host ${host}` },
          ),
        ),
      },
    ],
    notes: [
      {
        severity: "warning",
        text: "Every eleventh step waits for input: 28 % of it on host 2.",
        startTicks: ticks(starts[4]!),
        endTicks: ticks(Math.round(starts[4]! + durations[4]!)),
        track: 2,
        event: null,
      },
      {
        severity: "info",
        text: "Steps are those that the trace marks.",
        startTicks: null,
        endTicks: null,
        track: null,
        event: null,
      },
    ],
  };
}

/** A hundred thousand rows. */
function many(): ToolAnswer {
  const random = noise(3);
  const count = 100_000;
  const busy = list(count, () => whole(1e9 * random() ** 6));
  const names = list(count, (k) => `fusion.${(k * 7919) % count}`);
  const sum = busy.reduce((total, ticks) => total + BigInt(ticks), 0n).toString();
  return {
    complete: true,
    missing: [],
    headline: null,
    facts: [{ id: "names", label: "Names", kind: "count", value: String(count), note: "that occur" }],
    tables: [
      table(
        [
          column("name", "name", names, { title: "Name" }),
          column(
            "category",
            "text",
            list(count, (k) => ["fusion", "copy", "all-reduce"][k % 3]!),
            { title: "Category" },
          ),
          column(
            "count",
            "count",
            list(count, (k) => String(1 + (k % 977))),
            { title: "Count" },
          ),
          column("busy", "ticks", busy, { title: "Busy" }),
          column(
            "share",
            "fraction",
            busy.map((ticks) => Number(ticks) / 1e9),
            { title: "Share" },
          ),
          column(
            "exact",
            "count",
            list(count, (k) => (9_007_199_254_740_993n + BigInt(k)).toString()),
            { title: "Exact" },
          ),
          column(
            "track",
            "track",
            list(count, (k) => k % 16),
            { title: "Track" },
          ),
          column(
            "event",
            "event",
            list(count, (k) => `${k % 16}.${k}`),
            { title: "Event" },
          ),
        ],
        { id: "names", title: "Names", totals: { busy: sum, count: "48850000" }, rest: { busy: "17", count: "1" } },
      ),
    ],
    series: [],
    notes: [],
  };
}

/** A tree of modules, layers and operations. */
function tree(): ToolAnswer {
  const parents: number[] = [];
  const names: string[] = [];
  const busy: Figure[] = [];
  for (let module = 0; module < 3; module++) {
    const root = names.length;
    parents.push(-1);
    names.push(`jit_module_${module}`);
    busy.push(String((3 - module) * 9_000_000_000));
    for (let layer = 0; layer < 12; layer++) {
      const above = names.length;
      parents.push(root);
      names.push(`layer_${layer}`);
      busy.push(String((3 - module) * 700_000_000 + layer * 1_000_000));
      for (let op = 0; op < 5; op++) {
        parents.push(above);
        names.push(`fusion.${op + 5 * layer}`);
        busy.push(op === 4 ? null : String(100_000_000 + ((op * 37) % 11) * 1_000_000));
      }
    }
  }
  return {
    complete: false,
    missing: [],
    headline: null,
    facts: [],
    tables: [
      table(
        [
          column("parent", "id", parents),
          column("name", "name", names, { title: "Operation" }),
          column("busy", "ticks", busy, { title: "Busy" }),
          column(
            "span",
            "span",
            names.map((_, k) => `${k * 1000}-${k * 1000 + 500}`),
            { title: "Span" },
          ),
        ],
        { id: "tree", title: "Operations", parent: "parent", totals: { busy: "54000000000" } },
      ),
    ],
    series: [],
    notes: [],
  };
}

/** Twelve series over a hundred thousand points: hues come again, with another dash. */
function lines(): ToolAnswer {
  const count = 100_000;
  return {
    complete: true,
    missing: [],
    headline: null,
    facts: [],
    tables: [],
    series: [
      {
        id: "many",
        title: "Twelve levels",
        ...PLAIN,
        kind: "line",
        x: column(
          "at",
          "time",
          list(count, (k) => (10n ** 18n + BigInt(k) * 1000n).toString()),
          { title: "At" },
        ),
        ys: list(12, (y) =>
          column(
            `y${y}`,
            "number",
            list(count, (k) => y + Math.sin(k / (900 + 90 * y))),
            { title: `level ${y}` },
          ),
        ),
      },
    ],
    notes: [],
  };
}

function nothing(): ToolAnswer {
  return { complete: true, missing: [], headline: null, facts: [], tables: [], series: [], notes: [] };
}

function noRows(): ToolAnswer {
  const none = table([column("name", "name", [], { title: "Name" })], { id: "none", title: "Names" });
  return {
    complete: true,
    missing: [],
    headline: null,
    facts: [{ id: "count", label: "Events", kind: "count", value: "0", note: "" }],
    tables: [none],
    series: [{ id: "s", title: "Over time", ...PLAIN, kind: "line", x: column("x", "time", []), ys: [] }],
    notes: [
      {
        severity: "error",
        text: "The trace ends before this range.",
        startTicks: null,
        endTicks: null,
        track: 3,
        event: null,
      },
    ],
  };
}

/** Operations below two roofs, on scales of logarithms; the corners of the roofs have no operation. */
function roofline(): ToolAnswer {
  const random = noise(3);
  const peak = 918e12;
  const bandwidths = { hbm: 1.6e12, vmem: 20e12 };
  const ops = list(14, (k) => {
    const intensity = 10 ** (-1.5 + 4.5 * random());
    const rate = Math.min(peak, intensity * bandwidths.hbm) * (0.2 + 0.75 * random());
    return { name: k === 3 ? "" : `fusion.${k}`, intensity, rate: k === 3 ? 0 : rate };
  });
  const xs = [
    0.01,
    ...Object.values(bandwidths).map((bandwidth) => peak / bandwidth),
    1e4,
    ...ops.map((op) => op.intensity),
  ];
  const corners = xs.length - ops.length;
  const none = list<Figure>(corners, () => null);
  const limit = (id: keyof typeof bandwidths, title: string) =>
    column(
      id,
      "rate",
      xs.map((x) => Math.min(peak, x * bandwidths[id])),
      { title, unit: "FLOP/s", total: "none" },
    );
  const rates = (id: string, title: string, isOf: (k: number) => boolean) =>
    column(id, "rate", [...none, ...ops.map(({ rate }, k) => (isOf(k) ? rate : null))], {
      ...{ title, unit: "FLOP/s", total: "none" },
    });
  const names = ops.map(({ name }) => name);
  return {
    complete: true,
    missing: [],
    headline: null,
    facts: [],
    tables: [
      table(
        [
          column("name", "name", names, { title: "Operation" }),
          column(
            "used",
            "fraction",
            ops.map(({ rate }) => rate / peak),
            { title: "FLOPS", unit: "of peak", total: "none" },
          ),
          column(
            "expression",
            "text",
            names.map((name) => `%${name} = f32[1024,1024]{1,0} fusion(f32[1024] %p0), kind=kLoop`),
            {
              title: "Expression",
            },
          ),
          column(
            "query",
            "text",
            names.map((name) => `"${name}"`),
          ),
        ],
        { id: "operations", title: "Operations" },
      ),
    ],
    series: [
      {
        ...{ id: "roofline", title: "Roofline", kind: "points", scale: "log" },
        x: column("intensity", "number", xs, { title: "Intensity", unit: "FLOP/B", total: "none" }),
        ys: [
          rates("hbm", "Bound by HBM", (k) => k % 2 === 0),
          rates("compute", "Bound by compute", (k) => k % 2 === 1),
        ],
        lines: [limit("hbm", "HBM"), limit("vmem", "VMEM")],
        labels: column("name", "name", [...none, ...names], { title: "Operation" }),
      },
    ],
    notes: [],
  };
}

/** Names of kernels and of scopes as long as they come, beside figures. */
function longNames(): ToolAnswer {
  const inner = "cutlass::gemm::kernel::DefaultGemmUniversal<cutlass::half_t, ";
  const names = list(12, (k) =>
    k % 2 === 0 ? `void ${inner.repeat(17)}${k}>(int)` : `${"model/layer_".repeat(84)}${k}`,
  );
  const figures = (id: string, title: string) =>
    column(
      id,
      "ticks",
      list(12, (k) => whole(1e10 / (k + 1))),
      { title },
    );
  return {
    ...{ complete: true, missing: [], headline: null, facts: [], series: [], notes: [] },
    tables: [
      table([
        column("name", "name", names, { title: "Name" }),
        column("count", "count", list(12, String), { title: "Count" }),
        figures("busy", "Busy"),
        figures("self", "Self time"),
        column(
          "share",
          "fraction",
          list(12, (k) => 0.5 / (k + 1)),
          { title: "Share" },
        ),
      ]),
    ],
  };
}

export const ANSWERS: Readonly<Record<string, () => ToolAnswer>> = {
  ...{ steps, many, longNames, tree, lines, nothing, noRows, roofline },
};
