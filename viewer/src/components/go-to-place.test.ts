import { beforeEach, expect, it, vi } from "vitest";
import { makePane } from "../state/pane";
import type { RunView } from "../state/run";
import { failure } from "../state/shell";
import type { Trace } from "../state/trace";
import type { AppActions } from "./app-context";
import { goToTypedPlace } from "./go-to-place";

const pane = makePane();

const columns = [
  { id: "start", values: ["9007199254740993"] },
  { id: "end", values: ["9007199254740999"] },
];
const went: unknown[] = [];
const app = { pane, pages: { goTo: (span: unknown) => went.push(span) } } as unknown as AppActions;

function traceOf(run: string, ask: () => Promise<unknown>): Trace {
  return { manifest: { run }, api: { ask }, tracks: new Map() } as unknown as Trace;
}

function show(trace: Trace): void {
  pane.runView.value = { kind: "open", trace } as unknown as RunView;
}

beforeEach(() => {
  went.length = 0;
  failure.value = "";
});

it("goes to a step, unless another run is shown by then", async () => {
  let answered: (() => void) | null = null;
  const ask = () =>
    new Promise((resolve) => {
      answered = () => resolve({ facts: [], tables: [{ id: "devices", columns }] });
    });
  for (const run of ["a", "b"]) {
    const trace = traceOf("a", ask);
    show(trace);
    const going = goToTypedPlace(app, trace, { kind: "step", step: "7" });
    show(traceOf(run, ask));
    await vi.waitUntil(() => answered !== null);
    answered!();
    answered = null;
    await going;
  }
  expect(went).toEqual([{ startTicks: 9007199254740993n, endTicks: 9007199254740999n }]);
});

it("says why a step cannot be shown, not that there is none", async () => {
  const trace = traceOf("a", () => Promise.reject(new Error("the server does not answer")));
  show(trace);
  await goToTypedPlace(app, trace, { kind: "step", step: "7" });
  expect(failure.value).toBe("Step 7 cannot be shown: the server does not answer");
});
