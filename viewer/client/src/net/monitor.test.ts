import { expect, it } from "vitest";
import type { MonitorMessage, MonitorSampleJson } from "../base/jobs";
import { Api } from "./api";
import { FakeSocket } from "./fake-socket";
import { followMonitor, monitorUrl } from "./monitor";

const SAMPLE: MonitorSampleJson = {
  type: "sample",
  time_ns: "9007199254740993",
  source: "captures",
  duration_ms: 1000,
  device_type: null,
  devices: null,
  matrix_unit_utilization: null,
  device_idle: 0.25,
  steps: null,
  step_mean_ms: null,
  step_min_ms: null,
  step_max_ms: null,
  infeed_mean: null,
  infeed_min: null,
  infeed_max: null,
};
const PROBLEM = { cause: "unknown_host", sentence: "x", detail: "", hints: [] } as const;

function followed() {
  const sockets: FakeSocket[] = [];
  const heard: unknown[] = [];
  const pauses: (() => void)[] = [];
  const end = followMonitor({
    onWord: (word) => heard.push(word.type === "sample" ? [word.timeNs, word.deviceIdle] : word.type),
    onAway: () => heard.push("away"),
    connect: () => {
      sockets.push(new FakeSocket());
      return sockets.at(-1)!;
    },
    later: (run) => {
      pauses.push(run);
      return () => pauses.splice(0);
    },
  });
  return { sockets, heard, pauses, end };
}

it("hears of a job, and connects again", () => {
  const { sockets, heard, pauses, end } = followed();
  sockets[0]!.say(SAMPLE);
  sockets[0]!.say({ type: "held" });
  sockets[0]!.say({ type: "problem", problem: PROBLEM, retry_ms: 2000 });
  sockets[0]!.break();
  pauses.shift()!();
  sockets[1]!.say(SAMPLE);
  const sample = [9007199254740993n, 0.25];
  expect(heard).toEqual([sample, "held", "problem", "away", sample]);
  end();
  sockets[1]!.say(SAMPLE);
  sockets[1]!.break();
  expect([heard.length, pauses.length, sockets[1]!.isClosed]).toEqual([5, 0, true]);
});

it.each([
  { type: "error", code: "forbidden", message: "x" },
  { type: "problem", problem: PROBLEM, retry_ms: 0 },
] satisfies MonitorMessage[])("does not ask again where that makes no sense: %o", (message) => {
  const { sockets, heard, pauses } = followed();
  sockets[0]!.say(message);
  sockets[0]!.break();
  expect([heard, pauses.length, sockets.length]).toEqual([[message.type], 0, 1]);
});

it("names the job in its address", () => {
  expect(monitorUrl(new Api("/x"), "[::1]:9012", "http://here/")).toBe(
    "ws://here/x/api/v1/monitor/%5B%3A%3A1%5D%3A9012",
  );
});
