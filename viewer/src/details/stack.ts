/** Call stacks in arguments, as frames. Pure. */

import type { JsonValue } from "@tilescope/client";

/** A frame: what runs, and where it is written. Either may be empty, not both. */
export interface Frame {
  readonly code: string;
  readonly place: string;
}

/** Keys under which profilers write call stacks: PyTorch, XLA, DevTools and others. */
const KEYS = /^(call[ _]?stack|source_stack|stack|stack_?trace|back_?trace|python_?stack)$/i;

const MAX_FRAMES = 1000;

/** The outermost frame comes first in these. */
const OUTERMOST_FIRST = /^source_stack$/;

/** The frames of an argument, the innermost first, or null where it is no call stack. */
export function framesOf(name: string, value: JsonValue): readonly Frame[] | null {
  if (!KEYS.test(name)) {
    return null;
  }
  const parts = typeof value === "string" ? value.split(/[\n;]/) : Array.isArray(value) ? value : null;
  if (parts === null) {
    return null;
  }
  const frames: Frame[] = [];
  for (const part of parts.slice(0, MAX_FRAMES)) {
    const frame = typeof part === "string" ? parseFrame(part.trim()) : frameOfObject(part);
    if (frame === null) {
      return null;
    }
    if (frame.code !== "" || frame.place !== "") {
      frames.push(frame);
    }
  }
  if (OUTERMOST_FIRST.test(name)) {
    frames.reverse();
  }
  return frames.length === 0 ? null : frames;
}

/** `a/b.py(7): f` → f in a/b.py:7; `a/b.py:7:2` is a place alone; anything else is shown as it is. */
export function parseFrame(text: string): Frame {
  const called = /^(.+)\((\d+)\): (.+)$/.exec(text);
  if (called !== null) {
    return { code: called[3]!, place: `${called[1]}:${called[2]}` };
  }
  const inFile = /^(.+?) (?:at |\()([^()]+:\d+(?::\d+)?)\)?$/.exec(text);
  if (inFile !== null) {
    return { code: inFile[1]!, place: inFile[2]! };
  }
  return /:\d+(:\d+)?$/.test(text) ? { code: "", place: text } : { code: text, place: "" };
}

/** `/home/x/site-packages/torch/nn/functional.py:2263` → `torch/nn/functional.py:2263`. */
export function shortPlace(place: string): string {
  const parts = place.replace(/^.*\/site-packages\//, "").split("/");
  return parts.length > 3 ? `…/${parts.slice(-3).join("/")}` : parts.join("/");
}

/** As DevTools has frames. */
function frameOfObject(value: JsonValue): Frame | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return null;
  }
  const members = value as { readonly [key: string]: JsonValue };
  const text = (key: string) => {
    const member = members[key];
    return typeof member === "string" || typeof member === "number" ? String(member) : "";
  };
  const code = text("functionName") || text("name");
  const file = text("url") || text("file");
  const line = text("lineNumber") || text("line");
  return code === "" && file === "" ? null : { code, place: file === "" || line === "" ? file : `${file}:${line}` };
}
