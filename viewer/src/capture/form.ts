/** Fields of the form of a capture, their faults, and the order that the form makes. Kept in this browser; pure but for that. */

import type { CaptureOrder } from "@tilescope/client";

/** Texts as they stand in the fields. */
export interface CaptureForm {
  /** `HOST:PORT`, several parted by commas or spaces. */
  readonly addresses: string;
  /** Names of the targets that are ticked. */
  readonly targets: readonly string[];
  readonly durationMs: string;
  readonly delayMs: string;
  readonly attempts: string;
  readonly runName: string;
  readonly hostTracerLevel: number;
  readonly deviceTracerLevel: number;
  readonly pythonTracerLevel: number;
  readonly includeDatasetOps: boolean;
}

export type CaptureField = keyof CaptureForm;

export const EMPTY_FORM: CaptureForm = {
  addresses: "",
  targets: [],
  durationMs: "1000",
  delayMs: "0",
  attempts: "3",
  runName: "",
  hostTracerLevel: 2,
  deviceTracerLevel: 1,
  pythonTracerLevel: 0,
  includeDatasetOps: true,
};

export type FormResult =
  | { readonly kind: "order"; readonly order: CaptureOrder }
  | { readonly kind: "wrong"; readonly field: CaptureField; readonly message: string };

const ADDRESS = /^(?:(?:grpc|http):\/\/)?(?:\[[0-9a-fA-F:.]+\]|[\w.-]+):\d{1,5}\/?$/;
const RUN_NAME = /^[A-Za-z0-9][\w.+@=-]{0,127}$/;
const MOST_MS = 600_000;

/** `a:1, b:2` → `["a:1", "b:2"]`. */
export function addressesOf(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((part) => part !== "");
}

export function orderOf(form: CaptureForm): FormResult {
  const addresses = addressesOf(form.addresses);
  const hosts = [...form.targets, ...addresses];
  const bad = addresses.find((address) => !ADDRESS.test(address));
  if (bad !== undefined) {
    return wrong("addresses", `${bad} is no address: write HOST:PORT, such as localhost:9012`);
  }
  if (hosts.length === 0) {
    return wrong("addresses", "Write the HOST:PORT that the job gave to its profiler server");
  }
  const twice = hosts.find((host, index) => hosts.indexOf(host) !== index);
  if (twice !== undefined) {
    return wrong("addresses", `${twice} is named twice`);
  }
  const durationMs = wholeOf(form.durationMs, 1, MOST_MS);
  if (durationMs === null) {
    return wrong("durationMs", "The duration is 1 to 600,000 milliseconds");
  }
  const delayMs = wholeOf(form.delayMs, 0, MOST_MS);
  if (delayMs === null) {
    return wrong("delayMs", "The delay is 0 to 600,000 milliseconds");
  }
  const attempts = wholeOf(form.attempts, 1, 10);
  if (attempts === null) {
    return wrong("attempts", "Attempts are 1 to 10");
  }
  const runName = form.runName.trim();
  if (runName !== "" && !RUN_NAME.test(runName)) {
    return wrong("runName", "The name of a run has letters, digits and . _ + @ = - and begins with a letter or digit");
  }
  const { hostTracerLevel, deviceTracerLevel, pythonTracerLevel, includeDatasetOps } = form;
  const levels = { hostTracerLevel, deviceTracerLevel, pythonTracerLevel, includeDatasetOps };
  return {
    kind: "order",
    order: { hosts, durationMs, delayMs, attempts, runName: runName === "" ? null : runName, ...levels },
  };
}

function wrong(field: CaptureField, message: string): FormResult {
  return { kind: "wrong", field, message };
}

function wholeOf(text: string, least: number, most: number): number | null {
  const digits = text.replace(/[\s\u202f,']/g, "");
  const value = /^\d{1,9}$/.test(digits) ? Number(digits) : -1;
  return value >= least && value <= most ? value : null;
}

const STORAGE_KEY = "tilescope.capture";

/** The form as it was when a capture was begun last; without the name, which is that run's. */
export function parseForm(text: string | null): CaptureForm {
  let stored: unknown;
  try {
    stored = JSON.parse(text ?? "{}");
  } catch {
    return EMPTY_FORM;
  }
  if (typeof stored !== "object" || stored === null) {
    return EMPTY_FORM;
  }
  const kept = Object.entries(stored).filter(([name, value]) => {
    const initial = EMPTY_FORM[name as CaptureField];
    return name !== "runName" && typeof initial === typeof value && Array.isArray(initial) === Array.isArray(value);
  });
  const form = { ...EMPTY_FORM, ...Object.fromEntries(kept) };
  return { ...form, targets: form.targets.filter((name) => typeof name === "string") };
}

export function rememberedForm(): CaptureForm {
  try {
    return parseForm(localStorage.getItem(STORAGE_KEY));
  } catch {
    return EMPTY_FORM;
  }
}

export function rememberForm(form: CaptureForm): void {
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(form));
  } catch {
    // A browser that keeps nothing asks again each time.
  }
}
