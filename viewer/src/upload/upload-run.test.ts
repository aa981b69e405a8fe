import { type Api, ApiError, NetworkError } from "@tilescope/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { UploadRun } from "./upload-run";

const ROOM = {
  allowed: true,
  reason: null,
  seen_by: "All.",
  kept_days: 7,
  most_files: 3,
  piece_bytes: 8 << 20,
  most_bytes: "9000000",
  prefixes: ["https://host/traces/"],
};

/** A server with one upload, which may refuse what it is sent. */
class FakeServer {
  readonly requests: string[] = [];
  received = 0;
  size = 0;
  refuse: (method: string, path: string) => Error | null = () => null;

  readonly api = {
    json: async (path: string, init: RequestInit = {}) => {
      const method = init.method ?? "GET";
      this.requests.push(`${method} ${path}`);
      const error = this.refuse(method, path);
      if (error !== null) {
        throw error;
      }
      if (path === "/uploads" && method === "GET") {
        return ROOM;
      }
      if (method === "PUT") {
        expect(path).toBe(`/uploads/u/files/0/${this.received}`);
        this.received += (init.body as Blob).size;
      }
      if (path === "/addresses") {
        return { runs: [JSON.parse(init.body as string).address.length > 40 ? "long" : "run"] };
      }
      const isListed = path.endsWith("/runs");
      return {
        id: "u",
        state: isListed ? "listed" : "arriving",
        received_bytes: [`${this.received}`],
        runs: isListed ? ["run"] : [],
      };
    },
    answer: async (path: string, init: RequestInit) => {
      this.requests.push(`${init.method} ${path}`);
    },
  } as unknown as Api;
}

function made(server: FakeServer) {
  const listed: string[] = [];
  const failed: string[] = [];
  const opened: string[] = [];
  const run = new UploadRun({
    api: server.api,
    now: () => 0,
    onListed: (runs, title) => listed.push(`${title}: ${runs}`),
    onOpened: (runs, address) => opened.push(`${address}: ${runs}`),
    onFailed: (message) => failed.push(message),
  });
  return { run, listed, failed, opened };
}

const file = (size: number) => [
  { name: "a.json", file: new File([new Uint8Array(size)], "a.json", { lastModified: 5 }) },
];

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal("sessionStorage", {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
    removeItem: (name: string) => kept.delete(name),
  });
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("sends all of a file, in pieces, and has it listed", async () => {
  const server = new FakeServer();
  const { run, listed } = made(server);
  await run.load();
  await run.send(file(5_000_000));
  expect(listed).toEqual(["a.json: run"]);
  expect(server.received).toBe(5_000_000);
  expect(server.requests.filter((words) => words.startsWith("PUT")).length).toBeGreaterThan(1);
});

it("goes on where it was cut off, and takes smaller pieces where a proxy wants them", async () => {
  const server = new FakeServer();
  const { run, listed } = made(server);
  const errors = [
    new NetworkError("away"),
    new ApiError(413, "too_large", "too large"),
    new ApiError(409, "busy", "elsewhere"),
  ];
  let pieces = 0;
  server.refuse = (method) => (method === "PUT" && pieces++ > 0 ? (errors.shift() ?? null) : null);
  await run.load();
  const sending = run.send(file(3_000_000));
  await vi.advanceTimersByTimeAsync(20_000);
  await sending;
  expect(errors).toEqual([]);
  expect(server.received).toBe(3_000_000);
  expect(listed).toEqual(["a.json: run"]);
});

it("goes on with an upload that was begun before the page was loaded anew", async () => {
  const server = new FakeServer();
  server.refuse = (method) =>
    method === "PUT" && server.received > 0 ? new ApiError(403, "forbidden", "not you") : null;
  const first = made(server);
  await first.run.load();
  await first.run.send(file(3_000_000));
  expect(first.failed).toEqual(["a.json could not be opened: not you"]);
  server.refuse = () => null;
  server.requests.length = 0;
  const second = made(server);
  await second.run.load();
  await second.run.send(file(3_000_000));
  expect(second.listed).toEqual(["a.json: run"]);
  expect(server.requests).not.toContain("POST /uploads");
});

it("ends when a file is written while it is sent", async () => {
  const server = new FakeServer();
  const { run, failed } = made(server);
  server.refuse = (method) => (method === "PUT" ? new NetworkError("the server does not answer") : null);
  const [{ file: written }] = file(10) as [{ name: string; file: File }];
  written.slice = () => ({ arrayBuffer: () => Promise.reject(new DOMException("", "NotReadableError")) }) as Blob;
  await run.load();
  await run.send([{ name: "a.json", file: written }]);
  expect(failed).toEqual([
    "a.json could not be opened: a.json has changed since it was chosen, or cannot be read: choose it again",
  ]);
});

it("says why an upload is gone after a long sleep, and sends it anew when asked", async () => {
  const server = new FakeServer();
  const { run, listed, failed } = made(server);
  const gone = new ApiError(404, "not_found", "there is no upload 'u'");
  const away = [new NetworkError("away")];
  const begun = () => server.requests.filter((words) => words === "POST /uploads").length;
  server.refuse = (method, path) =>
    path === "/uploads" || begun() > 1 ? null : method === "PUT" ? (away.pop() ?? gone) : gone;
  await run.load();
  const sending = run.send(file(10));
  await vi.advanceTimersByTimeAsync(5000);
  await sending;
  expect(failed).toEqual([expect.stringContaining("an hour after the last byte")]);
  await run.again();
  expect(listed).toEqual(["a.json: run"]);
  expect(begun()).toBe(2);
});

it("says what is wrong with a drop that cannot be read", async () => {
  const { run } = made(new FakeServer());
  await run.load(null, "unreadable");
  expect(run.view.value).toMatchObject({ kind: "choice", files: null, wrong: "unreadable" });
});

it("says what is wrong with a choice before anything is sent", async () => {
  const server = new FakeServer();
  const { run } = made(server);
  await run.load([...file(1), ...file(1), ...file(1), ...file(1)]);
  expect(run.view.value).toMatchObject({ kind: "choice", files: null, wrong: expect.stringContaining("3 files") });
  await run.send(file(9_000_001));
  expect(run.view.value).toMatchObject({ wrong: expect.stringContaining("--open-per-client") });
  expect(server.requests).toEqual(["GET /uploads"]);
});

it("is cancelled, on the server too", async () => {
  const server = new FakeServer();
  const { run, listed, failed } = made(server);
  server.refuse = (method) => (method === "PUT" ? new NetworkError("away") : null);
  await run.load();
  const sending = run.send(file(10));
  await vi.advanceTimersByTimeAsync(100);
  expect(run.view.value).toMatchObject({ kind: "sending", pause: "away" });
  await run.cancel();
  await sending;
  expect(server.requests).toContain("DELETE /uploads/u");
  expect([listed, failed]).toEqual([[], []]);
  expect(run.view.value.kind).toBe("choice");
});

it("has an address opened, and shows it without its signature", async () => {
  const server = new FakeServer();
  const { run, opened } = made(server);
  await run.openAddress(" https://host/traces/run.tsarc?signature=sesame");
  expect(server.requests).toEqual(["POST /addresses"]);
  expect(opened).toEqual(["https://host/traces/run.tsarc: long"]);
  server.refuse = () => new ApiError(403, "forbidden", "this server does not open this address");
  await expect(run.openAddress("https://elsewhere/a")).rejects.toThrow("does not open this address");
  expect(opened.length).toBe(1);
});
