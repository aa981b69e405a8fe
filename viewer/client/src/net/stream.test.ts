import { gzipSync } from "node:zlib";
import { decode, encode } from "@msgpack/msgpack";
import { describe, expect, test, vi } from "vitest";
import { LIMITS } from "../base/schema";
import { type PageKey, pageName } from "../pages/key";
import { encodePage } from "../testing/page";
import { LEAF } from "../testing/tile-input";
import { ApiError, NetworkError } from "./error";
import type { FetchPage } from "./fetcher";
import { type Socket, type StreamStatus, TileStream } from "./stream";
import { WorkQueue } from "./work-queue";

const key = (index: number): PageKey => ({ block: 0, level: 1, index, slot: 0 });

function pageBytes(index: number): Uint8Array<ArrayBuffer> {
  return encodePage(0, [{ level: 1, index, slot: 0, flags: LEAF, events: 0, slices: [], bins: [] }]);
}

type Sent = { type: "want"; id: number; pages: number[][]; received: number } | { type: "credit"; bytes: number };

class FakeSocket implements Socket {
  binaryType: BinaryType = "blob";
  onopen: Socket["onopen"] = null;
  onmessage: Socket["onmessage"] = null;
  onclose: Socket["onclose"] = null;
  readonly sent: Sent[] = [];
  closed = false;

  send(data: Uint8Array<ArrayBuffer>): void {
    this.sent.push(decode(data) as Sent);
  }

  close(): void {
    this.closed = true;
    this.drop();
  }

  accept(): void {
    this.onopen?.(new Event("open"));
  }

  drop(): void {
    this.onclose?.(new Event("close") as CloseEvent);
  }

  push(header: object, payload = new Uint8Array(0)): void {
    const bytes = new Uint8Array([...encode(header), ...payload]);
    this.onmessage?.(new MessageEvent("message", { data: bytes.buffer }));
  }

  pushPage(index: number, payload = new Uint8Array(gzipSync(pageBytes(index)))): number {
    this.push({ type: "page", id: 1, key: [0, 1, index, 0], bytes: payload.length }, payload);
    return payload.length;
  }

  get wants(): number[][] {
    return this.sent.flatMap((message) => (message.type === "want" ? [message.pages.map((page) => page[2]!)] : []));
  }
}

function setUp(
  fetchPage: FetchPage = () => Promise.reject(new NetworkError("down")),
  workQueue = new WorkQueue(),
  limits = LIMITS,
) {
  const sockets: FakeSocket[] = [];
  const pauses: { run: () => void; ms: number }[] = [];
  const pages: number[] = [];
  const failed: string[] = [];
  const statuses: StreamStatus[] = [];
  const heard: true[] = [];
  const stream = new TileStream({
    connect: () => {
      sockets.push(new FakeSocket());
      return sockets[sockets.length - 1]!;
    },
    fetchPage,
    limits,
    turns: workQueue,
    events: {
      onPage: (page) => pages.push(page.key.index),
      onFailed: (page, error) => failed.push(`${page.index}: ${error.message}`),
      onStatus: (status) => statuses.push(status),
      onHeard: () => heard.push(true),
    },
    later: (run, ms) => {
      pauses.push({ run, ms });
      return () => pauses.splice(0);
    },
    random: () => 0,
  });
  return { stream, sockets, pauses, pages, failed, statuses, heard };
}

/** The same, with a first connection that is open and has said that nothing is wanted. */
function opened(fetchPage?: FetchPage, workQueue?: WorkQueue) {
  const made = setUp(fetchPage, workQueue);
  made.sockets[0]!.accept();
  made.sockets[0]!.sent.length = 0;
  return made;
}

describe("while the first connection is being opened", () => {
  /** Requests that are answered by hand, by page. */
  function requests() {
    const open = new Map<number, { resolve: (bytes: Uint8Array) => void; reject: (error: Error) => void }>();
    const fetchPage: FetchPage = (page, signal) =>
      new Promise((resolve, reject) => {
        open.set(page.index, { resolve, reject });
        signal.addEventListener("abort", () => reject(new Error("aborted")));
      });
    return { open, fetchPage };
  }

  test("pages come over HTTP; the stream is asked for those that are not on their way already", async () => {
    const { open, fetchPage } = requests();
    const { stream, sockets, pages } = setUp(fetchPage);
    stream.want([1, 2, 3, 4, 5, 6, 7].map(key));
    expect([...open.keys()]).toEqual([1, 2, 3, 4, 5]);
    open.get(1)!.resolve(pageBytes(1));
    await vi.waitFor(() => expect(pages).toEqual([1]));
    sockets[0]!.accept();
    expect(sockets[0]!.wants).toEqual([[7]]);
    open.get(2)!.resolve(pageBytes(2));
    await vi.waitFor(() => expect(pages).toEqual([1, 2]));
    expect([...open.keys()]).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test("what fails over HTTP is asked for on the stream, once that is open", async () => {
    const { open, fetchPage } = requests();
    const { stream, sockets } = setUp(fetchPage);
    stream.want([key(1), key(2)]);
    open.get(1)!.reject(new NetworkError("down"));
    sockets[0]!.accept();
    await vi.waitFor(() => expect(sockets[0]!.wants.at(-1)).toEqual([1]));
    open.get(2)!.reject(new NetworkError("down"));
    await vi.waitFor(() => expect(sockets[0]!.wants.at(-1)).toEqual([1, 2]));
  });

  test("when it cannot be opened, nothing is asked for until the second attempt has failed as well", async () => {
    const { open, fetchPage } = requests();
    const { stream, sockets, pauses } = setUp(fetchPage);
    sockets[0]!.drop();
    stream.want([key(1)]);
    expect(open.size).toBe(0);
    pauses[0]!.run();
    sockets[1]!.drop();
    expect([...open.keys()]).toEqual([1]);
  });
});

describe("an open connection", () => {
  test("sends the wants of before, then each new list, and the same list only once", () => {
    const { stream, sockets, pauses } = opened();
    sockets[0]!.drop();
    pauses[0]!.run();
    stream.want([key(1), key(2)]);
    sockets[0] = sockets[1]!;
    expect(sockets[0]!.sent).toEqual([]);
    sockets[0]!.accept();
    stream.want([key(1), key(2)]);
    stream.want([key(2), key(3)]);
    stream.want([]);
    expect(sockets[0]!.binaryType).toBe("arraybuffer");
    expect(sockets[0]!.wants).toEqual([[1, 2], [2, 3], []]);
    expect(sockets[0]!.sent.map((message) => message.type === "want" && message.id)).toEqual([2, 3, 4]);
  });

  test("asks for as many pages at once as the server has told, the most urgent ones", () => {
    const { stream, sockets } = setUp(undefined, undefined, { ...LIMITS, pageKeys: 2 });
    sockets[0]!.accept();
    stream.want([key(5), key(1), key(2)]);
    expect(sockets[0]!.wants).toEqual([[], [5, 1]]);
  });

  test("gives back the credit of a page after it was decoded", async () => {
    const { stream, sockets, pages } = opened();
    stream.want([key(1)]);
    const [socket] = sockets;
    const size = socket!.pushPage(1);
    expect(socket!.sent.length).toBe(1);
    await vi.waitFor(() => expect(socket!.sent[1]).toEqual({ type: "credit", bytes: size }));
    expect(pages).toEqual([1]);
  });

  test("says how many pages have come, and asks again for one that was dropped since", async () => {
    const { stream, sockets, pages } = opened();
    stream.want([key(1), key(2)]);
    const [socket] = sockets;
    socket!.pushPage(1);
    await vi.waitFor(() => expect(pages).toEqual([1]));
    stream.want([key(2)]);
    expect(socket!.wants).toEqual([[1, 2]]);
    stream.want([key(1), key(2)]);
    expect(socket!.wants).toEqual([
      [1, 2],
      [1, 2],
    ]);
    expect(socket!.sent[socket!.sent.length - 1]).toMatchObject({ type: "want", received: 1 });
  });

  test("a page on its way through the decoder is not asked for again", async () => {
    const { stream, sockets, pages } = opened();
    stream.want([key(1)]);
    const [socket] = sockets;
    socket!.pushPage(1);
    stream.want([key(1), key(2)]);
    expect(socket!.wants[1]).toEqual([2]);
    await vi.waitFor(() => expect(pages).toEqual([1]));
  });

  test("missing and broken pages are reported once and not asked for again", async () => {
    const { stream, sockets, failed } = opened();
    stream.want([key(1), key(2), key(3)]);
    const [socket] = sockets;
    socket!.push({ type: "missing", id: 1, key: [0, 1, 1, 0] });
    const size = socket!.pushPage(2, new Uint8Array(gzipSync(pageBytes(5))));
    socket!.pushPage(3, new Uint8Array([1, 2, 3]));
    await vi.waitFor(() => expect(failed.length).toBe(3));
    expect(failed[0]).toBe("1: the server has no such page");
    expect(failed.some((text) => text.startsWith("2: page starts at tile 5"))).toBe(true);
    await vi.waitFor(() => expect(socket!.sent).toContainEqual({ type: "credit", bytes: size }));
    expect(socket!.sent).toContainEqual({ type: "credit", bytes: 3 });
    stream.want([key(1), key(2), key(3), key(4)]);
    expect(socket!.wants[1]).toEqual([4]);
    // Whoever tries again has not looked elsewhere in between.
    stream.forgetFailures();
    stream.want([key(1), key(4)]);
    expect(socket!.wants[2]).toEqual([1, 4]);
  });

  test("a peer that talks nonsense is hung up on", () => {
    const { sockets, pauses } = setUp();
    sockets[0]!.accept();
    sockets[0]!.push({ type: "what" });
    expect(sockets[0]!.closed).toBe(true);
    expect(pauses.length).toBe(1);
  });
});

describe("a lost connection", () => {
  test("is opened again, with the wants that are still open", async () => {
    const { stream, sockets, pauses, pages, statuses } = opened();
    stream.want([key(1), key(2)]);
    sockets[0]!.pushPage(1);
    await vi.waitFor(() => expect(pages).toEqual([1]));
    sockets[0]!.drop();
    expect(pauses.map(({ ms }) => ms)).toEqual([250]);
    pauses[0]!.run();
    sockets[1]!.accept();
    expect(sockets[1]!.sent).toEqual([{ type: "want", id: 3, pages: [[0, 1, 2, 0]], received: 0 }]);
    expect(statuses).toEqual(["open", "connecting", "open"]);
  });

  test("pauses grow up to eight seconds, and pages come over HTTP meanwhile", async () => {
    const { stream, sockets, pauses, pages, statuses } = setUp(async (page) => pageBytes(page.index));
    stream.want([key(1)]);
    for (let attempt = 0; attempt < 7; attempt++) {
      sockets[attempt]!.drop();
      pauses[attempt]!.run();
    }
    expect(pauses.map(({ ms }) => ms)).toEqual([500, 1000, 2000, 4000, 8000, 8000, 8000]);
    await vi.waitFor(() => expect(pages).toEqual([1]));
    stream.want([key(2)]);
    await vi.waitFor(() => expect(pages).toEqual([1, 2]));
    stream.want([key(3)]);
    sockets[7]!.accept();
    expect(sockets[7]!.wants).toEqual([[3]]);
    expect(statuses).toEqual(["polling", "open"]);
  });

  test("over HTTP a page that does not exist fails, and one without an answer is tried again", async () => {
    const urls: string[] = [];
    const { stream, sockets, pauses, failed } = setUp(async (page) => {
      urls.push(pageName(page));
      throw page.index === 1 ? new ApiError(404, "not_found", "no such page") : new NetworkError("down");
    });
    stream.want([key(1), key(2)]);
    sockets[0]!.drop();
    pauses[0]!.run();
    sockets[1]!.drop();
    await vi.waitFor(() => expect(failed).toEqual(["1: no such page"]));
    pauses[1]!.run();
    sockets[2]!.drop();
    await vi.waitFor(() => expect(urls).toEqual(["0/1/1/0", "0/1/2/0", "0/1/2/0"]));
  });
});

test("a sign of life is asked for with the list of before, and each message is one", () => {
  const { stream, sockets, heard } = setUp();
  expect(stream.ping()).toBe(false);
  sockets[0]!.accept();
  stream.want([key(1)]);
  expect(stream.ping()).toBe(true);
  expect(sockets[0]!.wants).toEqual([[], [1], [1]]);
  sockets[0]!.push({ type: "done", id: 2 });
  expect(heard.length).toBe(1);
  sockets[0]!.drop();
  sockets[0]!.push({ type: "done", id: 2 });
  expect([stream.ping(), heard.length]).toEqual([false, 1]);
});

test("a stream can be opened anew at once: an open one, and one that waits to be", () => {
  const { stream, sockets, pauses, statuses } = setUp();
  sockets[0]!.accept();
  stream.want([key(1)]);
  stream.reconnect();
  expect([sockets.length, sockets[0]!.closed, pauses.length]).toEqual([2, true, 0]);
  sockets[1]!.accept();
  expect(sockets[1]!.wants).toEqual([[1]]);
  sockets[1]!.drop();
  stream.reconnect();
  expect([sockets.length, pauses.length]).toEqual([3, 0]);
  sockets[2]!.accept();
  expect(sockets[2]!.wants).toEqual([[1]]);
  expect(statuses).toEqual(["open", "connecting", "open", "connecting", "open"]);
  stream.close();
  stream.reconnect();
  expect(sockets.length).toBe(3);
});

test("a closed stream is silent", async () => {
  const workQueue = new WorkQueue();
  const run = vi.spyOn(workQueue, "runSteps");
  const { stream, sockets, pauses, pages, statuses } = setUp(undefined, workQueue);
  sockets[0]!.accept();
  stream.want([key(1)]);
  sockets[0]!.pushPage(1);
  stream.close();
  await vi.waitFor(() => expect(run).toHaveBeenCalled());
  await workQueue.run(() => undefined);
  expect([pages, pauses, statuses]).toEqual([[], [], ["open", "closed"]]);
});
