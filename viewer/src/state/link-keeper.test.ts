import { Api, NetworkError } from "@tilescope/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { estrangement, fate, link, retries } from "./link";
import { LinkKeeper } from "./link-keeper";

/** A server that answers, refuses, or says nothing; and what it was asked. */
function setUp() {
  const server = {
    ...{ mood: "alive" as "alive" | "dead" | "stalled", version: "1", status: 200, type: "application/json" },
    /** The browser answers for it, with what it had before. */
    cached: false,
    /** Answers all that it was asked while it was stalled. */
    wake: () => {
      server.mood = "alive";
      for (const say of waiting.splice(0)) {
        say();
      }
    },
  };
  const requests: string[] = [];
  const waiting: (() => void)[] = [];
  const respond = () =>
    new Response(JSON.stringify({ status: "ok", version: server.version, runs: [] }), {
      status: server.status,
      headers: { "content-type": server.type, ...(server.cached ? { "cache-control": "public, immutable" } : {}) },
    });
  const answer = (signal: AbortSignal | null | undefined): Promise<Response> =>
    new Promise((resolve, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason));
      if (server.mood === "alive" || server.cached) {
        resolve(respond());
      } else if (server.mood === "dead") {
        reject(new TypeError("refused"));
      } else {
        waiting.push(() => resolve(respond()));
      }
    });
  const fetcher = (url: string, init?: RequestInit) => {
    requests.push(url);
    return answer(init?.signal);
  };
  const raw = new Api("", fetcher);
  const keeper = new LinkKeeper({
    health: (signal) => raw.health(signal),
    ping: () => requests.push("ping") > 0,
    reconnect: () => void requests.push("reconnect"),
    checkRuns: () => void requests.push("runs"),
    fetch: fetcher,
    now: () => performance.now(),
    later: (run, ms) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    random: () => 0,
  });
  return { keeper, server, requests, api: new Api("", keeper.fetch, async () => undefined) };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  vi.useFakeTimers();
  link.value = { kind: "up" };
  estrangement.value = { needsLogin: false, isUpdated: false };
  fate.value = "same";
  retries.value = 0;
});

afterEach(() => {
  vi.useRealTimers();
});

it("tells of a server that refuses at once, tries again less and less often, and stops when it is back", async () => {
  const { keeper, server, requests } = setUp();
  keeper.watch(true);
  keeper.streamChanged(true);
  await pass(100);
  server.mood = "dead";
  keeper.streamChanged(false);
  await pass(1);
  expect(link.value).toEqual({ kind: "down", nextTryMs: performance.now() - 1 + 2000 });
  requests.length = 0;
  const triedMs: number[] = [];
  for (let ms = 0; ms < 70_000; ms += 100) {
    await pass(100);
    triedMs.push(...requests.splice(0).map(() => ms));
  }
  const pauses = triedMs.map((ms, k) => ms - (triedMs[k - 1] ?? 0));
  expect(pauses.map((ms) => Math.round(ms / 1000))).toEqual([2, 4, 8, 16, 16, 16]);
  server.mood = "alive";
  keeper.tryNow();
  await pass(1);
  expect(link.value).toEqual({ kind: "up" });
  expect(retries.value).toBe(1);
  expect(requests).toEqual(expect.arrayContaining(["/healthz", "reconnect", "runs"]));
});

it("tells within two seconds of a server that says nothing any more, and hears it on the stream again", async () => {
  const { keeper, server, requests } = setUp();
  keeper.watch(true);
  keeper.streamChanged(true);
  await pass(100);
  server.mood = "stalled";
  await pass(1800);
  expect(requests).toContain("ping");
  expect(link.value.kind).toBe("slow");
  server.mood = "alive";
  keeper.heard();
  expect(link.value).toEqual({ kind: "up" });
  await pass(10_000);
  expect(link.value).toEqual({ kind: "up" });
});

it("waits for a server that answers after seven seconds, and is well again in that moment, without a new question", async () => {
  const { keeper, server, requests, api } = setUp();
  keeper.watch(true);
  await pass(10);
  server.mood = "stalled";
  let hasAnswer = false;
  const answer = api.runs().then(
    () => true,
    () => true,
  );
  void answer.then(() => {
    hasAnswer = true;
  });
  await pass(2000);
  expect(link.value.kind).toBe("slow");
  await pass(5000);
  const questions = requests.length;
  expect([link.value.kind, hasAnswer]).toEqual(["slow", false]);
  server.wake();
  await pass(1);
  expect(link.value.kind).toBe("up");
  expect(hasAnswer).toBe(true);
  expect(requests.slice(0, questions).filter((what) => what === "/healthz").length).toBeLessThan(4);
});

it("counts a server as lost that is silent for twenty seconds, and tries again for longer and longer", async () => {
  const { keeper, server } = setUp();
  keeper.watch(true);
  await pass(10);
  server.mood = "stalled";
  await pass(18_000);
  expect(link.value.kind).toBe("slow");
  await pass(5000);
  expect(link.value.kind).toBe("down");
  // The second try may take eight seconds: a busy server is heard though it takes six.
  await pass(10_000);
  expect(link.value).toEqual({ kind: "down", nextTryMs: null });
  server.wake();
  await pass(1);
  expect(link.value.kind).toBe("up");
});

it("takes a late answer for a sign of life, and one of the browser's cache for none", async () => {
  const { keeper, server, api } = setUp();
  keeper.watch(true);
  await pass(10);
  server.mood = "stalled";
  await pass(2000);
  expect(link.value.kind).toBe("slow");
  server.cached = true;
  await api.runs().catch(() => undefined);
  expect(link.value.kind).toBe("slow");
  server.cached = false;
  server.wake();
  await pass(1);
  expect(link.value.kind).toBe("up");
});

it("lets no request wait for a server that is away", async () => {
  const { keeper, server, api } = setUp();
  keeper.watch(true);
  await pass(10);
  server.mood = "stalled";
  let ended: unknown = null;
  api.runs().catch((error: unknown) => {
    ended = error;
  });
  await pass(22_000);
  await expect(api.runs()).rejects.toBeInstanceOf(NetworkError);
  expect(ended).toBeNull();
  await pass(7000);
  expect(ended).toBeInstanceOf(NetworkError);
});

it("does not give up what a server was asked that is only busy for a while", async () => {
  const { keeper, server, api } = setUp();
  keeper.watch(true);
  keeper.streamChanged(true);
  await pass(10);
  server.mood = "stalled";
  let isGivenUp = false;
  api.runs().catch(() => {
    isGivenUp = true;
  });
  await pass(3000);
  expect(link.value.kind).toBe("slow");
  keeper.heard();
  await pass(500);
  server.mood = "alive";
  await pass(20_000);
  expect(link.value.kind).toBe("up");
  expect(isGivenUp).toBe(false);
});

it("takes a proxy without its server for a server that is away, but not an error of the server", async () => {
  const { keeper, server, api } = setUp();
  server.status = 503;
  await api.runs().catch(() => undefined);
  expect(link.value.kind).toBe("up");
  server.type = "text/html";
  await expect(api.runs()).rejects.toBeInstanceOf(NetworkError);
  await pass(1);
  expect(link.value.kind).toBe("down");
  expect(keeper).toBeDefined();
});

it("asks for nothing while nobody looks at the page, and for everything when somebody does again", async () => {
  const { keeper, server, requests } = setUp();
  keeper.watch(true);
  await pass(10);
  keeper.watch(false);
  requests.length = 0;
  await pass(60_000);
  expect(requests).toEqual([]);
  server.mood = "dead";
  keeper.watch(true);
  await pass(1);
  expect(link.value.kind).toBe("down");
  expect(requests).toEqual(["runs", "/healthz"].toSorted());
});

it("has asked again what could not be had when the page is looked at again", async () => {
  const { keeper } = setUp();
  keeper.watch(true);
  await pass(10);
  expect(retries.value).toBe(0);
  keeper.watch(false);
  keeper.watch(true);
  expect(retries.value).toBe(1);
});

it("tells of a server of another version, and of one that asks for its token again", async () => {
  const { keeper, server, api } = setUp();
  keeper.watch(true);
  await pass(10);
  server.version = "2";
  keeper.streamChanged(true);
  await pass(10);
  expect(estrangement.value.isUpdated).toBe(true);
  server.status = 401;
  await api.runs().catch(() => undefined);
  expect(estrangement.value.needsLogin).toBe(true);
});

it("opens a stream anew that stays silent while requests are answered", async () => {
  const { keeper, requests } = setUp();
  keeper.watch(true);
  keeper.streamChanged(true);
  await pass(9000);
  expect(link.value.kind).toBe("up");
  expect(requests).toContain("reconnect");
});

it("looks at the list of runs every ten seconds, and when something is missing", async () => {
  const { keeper, server, requests, api } = setUp();
  keeper.watch(true);
  await pass(32_000);
  expect(requests.filter((what) => what === "runs").length).toBe(4);
  server.status = 404;
  await api.runs().catch(() => undefined);
  await pass(2000);
  await api.runs().catch(() => undefined);
  expect(requests.filter((what) => what === "runs").length).toBe(5);
});
