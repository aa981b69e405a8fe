/** The arguments of an event, sorted by what a person does with them: values to read, call stacks, internals. Pure. */

import { type EventDetails, formatDuration, type JsonValue } from "@tilescope/client";
import { argText } from "../components/copy";
import { formatCount } from "../components/format";
import { type Frame, framesOf } from "./stack";

export interface ShownArg {
  readonly name: string;
  /** As the file has it, for comparison and copying. */
  readonly raw: string;
  /** As a person reads it. */
  readonly text: string;
  /** The exact number, where `text` rounds it. */
  readonly exact: string;
}

export interface CallStack {
  readonly name: string;
  /** As the file has it. */
  readonly raw: string;
  readonly frames: readonly Frame[];
}

export interface SortedArgs {
  readonly shown: readonly ShownArg[];
  readonly stacks: readonly CallStack[];
  /** Arguments that only connect records of the profiler. */
  readonly internals: readonly ShownArg[];
}

/** `_r`, `_ct` …: links between records of XSpace. The others count records of PyTorch's profiler, or name things of XLA's compiler. */
const INTERNAL =
  /^(_[a-z]+|Ev Idx|Profiler Event Index|Record function id|Python (parent |module )?id|symbol_id|continuation)$/;

/** Labels of call stacks to which arguments refer by the id of a frame. */
const REFERRED: ReadonlyMap<string, string> = new Map([
  ["sf", "Call stack"],
  ["esf", "Call stack at the end"],
]);

export function sortArgs(details: EventDetails): SortedArgs {
  const shown: ShownArg[] = [];
  const stacks: CallStack[] = [];
  const internals: ShownArg[] = [];
  const referred = [...details.stacks];
  for (const { name, value } of details.args) {
    const frames = framesOf(name, value);
    if (referred.length > 0 && referred[0]!.argument === name) {
      const path = referred.shift()!.frames;
      const text = path.join(" › ");
      shown.push({ name, raw: argText(value), text, exact: argText(value) });
      const innermostFirst = path.map((code) => ({ code, place: "" })).toReversed();
      stacks.push({ name: REFERRED.get(name) ?? name, frames: innermostFirst, raw: text });
    } else if (frames !== null) {
      stacks.push({ name, frames, raw: argText(value) });
    } else {
      (INTERNAL.test(name) ? internals : shown).push(shownArg(name, value));
    }
  }
  return { shown, stacks, internals };
}

/** `("bytes_accessed", 10737418240)` → `10.7 GB`, exactly `10,737,418,240`. Without a unit in its key a number stays as it is. */
export function shownArg(name: string, value: JsonValue): ShownArg {
  const raw = argText(value);
  const number = exactInteger(value);
  const text = number === null ? null : withUnit(name, number);
  if (text === null || number === null) {
    return { name, raw, text: oneLine(value, raw), exact: "" };
  }
  return { name, raw, text, exact: number < 1000n ? "" : formatCount(number) };
}

/** Large integers come as text: a text of digits is one where its key has a unit. */
function exactInteger(value: JsonValue): bigint | null {
  if (typeof value === "number") {
    return Number.isSafeInteger(value) ? BigInt(value) : null;
  }
  return typeof value === "string" && /^\d{1,19}$/.test(value) ? BigInt(value) : null;
}

const BYTES = /(^|[_ ])bytes($|_(?!per))|^(Total Allocated|Total Reserved|Bytes|shared memory)$/;
const FLOPS = /(^|_)flops$/;
const TIME_PS: Readonly<Record<string, bigint>> = { ps: 1n, ns: 1000n, us: 1_000_000n, ms: 1_000_000_000n };

/** Null where the key names no unit. */
function withUnit(name: string, number: bigint): string | null {
  if (BYTES.test(name)) {
    return formatScaled(number, "B");
  }
  if (FLOPS.test(name)) {
    return formatScaled(number, "FLOP");
  }
  const unit = /[_ (](ps|ns|us|ms)\)?$/.exec(name)?.[1];
  return unit === undefined ? null : formatDuration(number * TIME_PS[unit]!, 1);
}

/** `(1342177280, "FLOP")` → `1.34 GFLOP`. */
export function formatScaled(amount: bigint, unit: string): string {
  const value = Number(amount);
  for (const [prefix, size] of [
    ["P", 1e15],
    ["T", 1e12],
    ["G", 1e9],
    ["M", 1e6],
    ["k", 1e3],
  ] as const) {
    if (value >= size * 0.9995) {
      return `${Number((value / size).toPrecision(3))}\u202f${prefix}${unit}`;
    }
  }
  return `${value}\u202f${unit}`;
}

const LINE_LENGTH = 60;

/** Short lists and objects on one line: `[32, 1, 2]`. */
function oneLine(value: JsonValue, raw: string): string {
  if (typeof value !== "object" || value === null) {
    return raw;
  }
  const line = raw.replace(/\n\s*/g, " ").replace(/([[{]) | ([\]}])/g, "$1$2");
  return line.length <= LINE_LENGTH ? line : raw;
}
