import { expect, it } from "vitest";
import { type CaptureJson, type CaptureOrder, readCapture } from "../base/jobs";
import { Api } from "./api";
import { beginCapture, captureWatchUrl, fetchCaptures, followCapture, stopCapture } from "./captures";
import { FakeSocket } from "./fake-socket";

const ORDER = {
  hosts: ["a:1"],
  durationMs: 5,
  delayMs: 0,
  hostTracerLevel: 2,
  deviceTracerLevel: 1,
  pythonTracerLevel: 0,
  includeDatasetOps: true,
  attempts: 3,
  runName: null,
} satisfies CaptureOrder;

function capture(state: CaptureJson["state"]): CaptureJson {
  const host = { name: "a:1", phase: "done", attempt: 1, attempts: 3, wait_ms: 0, problem: null } as const;
  const hosts = [{ ...host, size_bytes: "9007199254740993", total_bytes: "0" }];
  const facts = { elapsed_ms: 7, was_stopped: false, run: null, problem: null };
  return { id: "x/y", state, order: { hosts: ["a:1"], duration_ms: 5 }, hosts, ...facts };
}

/** A server that answers these in turn, and what it was asked. */
function fakeServer(...answers: readonly (readonly [number, unknown])[]) {
  const requests: (readonly [string, string, unknown])[] = [];
  const left = [...answers];
  const api = new Api("", async (input, init) => {
    const body = init?.body === undefined ? null : JSON.parse(String(init.body));
    requests.push([init?.method ?? "GET", input, body]);
    const [status, answer] = left.shift()!;
    return new Response(JSON.stringify(answer), { status });
  });
  return { api, requests };
}

it("asks, begins and stops", async () => {
  const room = { allowed: true, reason: null, targets: [], addresses: ["loopback"], captures: [capture("failed")] };
  const { api, requests } = fakeServer([200, room], [202, capture("running")], [200, capture("running")]);
  expect((await fetchCaptures(api)).captures[0]!.hosts[0]!.sizeBytes).toBe(9007199254740993n);
  expect((await beginCapture(api, ORDER)).state).toBe("running");
  await stopCapture(api, "x/y");
  expect(requests).toEqual([
    ["GET", "/api/v1/captures", null],
    [
      "POST",
      "/api/v1/captures",
      {
        hosts: ["a:1"],
        duration_ms: 5,
        delay_ms: 0,
        host_tracer_level: 2,
        device_tracer_level: 1,
        python_tracer_level: 0,
        include_dataset_ops: true,
        attempts: 3,
        run_name: null,
      },
    ],
    ["DELETE", "/api/v1/captures/x%2Fy", null],
  ]);
  expect(captureWatchUrl(api, "x/y", "https://here/")).toBe("wss://here/api/v1/captures/x%2Fy/watch");
});

/** A capture that is followed, with pauses that the test ends. */
function followed(...answers: readonly (readonly [number, unknown])[]) {
  const sockets: FakeSocket[] = [];
  const states: string[] = [];
  const pauses: (() => void)[] = [];
  const { api } = fakeServer(...answers);
  const end = followCapture(api, "x", {
    onCapture: ({ state }) => states.push(state),
    onLost: () => states.push("lost"),
    connect: () => {
      sockets.push(new FakeSocket());
      return sockets.at(-1)!;
    },
    later: (run) => {
      pauses.push(run);
      return () => pauses.splice(0);
    },
  });
  const settle = () => new Promise((resolve) => setTimeout(resolve, 0));
  return { sockets, states, pauses, end, settle };
}

it("follows a capture to its end, and asks again where the connection is lost", async () => {
  const { sockets, states, pauses, settle } = followed([200, capture("running")]);
  sockets[0]!.say(capture("running"));
  sockets[0]!.say({ type: "error", code: "internal", message: "x" });
  sockets[0]!.break();
  pauses.shift()!();
  await settle();
  expect(sockets).toHaveLength(2);
  sockets[0]!.say(capture("failed")); // of a connection that is gone
  sockets[1]!.say(capture("captured"));
  sockets[1]!.break();
  expect(states).toEqual(["running", "running", "captured"]);
  expect(pauses).toEqual([]);
});

it("hears that the server has forgotten it, and nothing when nobody listens", async () => {
  const gone = { error: { code: "not_found", message: "there is no capture" } };
  const lost = followed([404, gone]);
  lost.sockets[0]!.break();
  lost.pauses.shift()!();
  await lost.settle();
  expect(lost.states).toEqual(["lost"]);
  expect(lost.sockets).toHaveLength(1);
  const ended = followed();
  ended.end();
  expect(ended.sockets[0]!.isClosed).toBe(true);
  ended.sockets[0]!.say(capture("captured"));
  ended.sockets[0]!.break();
  expect([ended.states, ended.pauses]).toEqual([[], []]);
  expect(readCapture(capture("partly")).elapsedMs).toBe(7);
});
