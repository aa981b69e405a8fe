import { expect, test, vi } from "vitest";
import { type TextSocket, Watch, type WatchEvents } from "./watch";

function setUp() {
  const sockets: (TextSocket & { sent: string[]; isClosed: boolean })[] = [];
  const waits: { run: () => void; ms: number }[] = [];
  const events = { onProgress: vi.fn(), onBlocks: vi.fn(), onReady: vi.fn(), onFailed: vi.fn() } satisfies WatchEvents;
  const watch = new Watch({
    connect: () => {
      const sent: string[] = [];
      const socket = {
        ...{ onopen: null, onmessage: null, onclose: null, sent, isClosed: false },
        send: (text: string) => void sent.push(text),
        close: () => {
          socket.isClosed = true;
        },
      };
      sockets.push(socket);
      return socket;
    },
    events,
    later: (run, ms) => {
      waits.push({ run, ms });
      return () => void waits.splice(0);
    },
    random: () => 0,
  });
  const tell = (message: object) => sockets.at(-1)!.onmessage!({ data: JSON.stringify(message) } as MessageEvent);
  const open = () => sockets.at(-1)!.onopen!({} as Event);
  const lose = () => sockets.at(-1)!.onclose!({} as CloseEvent);
  return { watch, sockets, waits, events, tell, open, lose };
}

test("what the server says is passed on", () => {
  const { events, tell, open } = setUp();
  open();
  tell({
    ...{ type: "progress", state: "indexing", build: "b", phase: "build", fraction: 0.5, events: "9007199254740993" },
    ...{ bytes_read: "7", bytes_total: "9", tracks: 3, blocks_done: 1, blocks: 4, seconds_left: null, revision: 2 },
  });
  expect(events.onProgress).toHaveBeenCalledWith(
    {
      ...{ phase: "build", fraction: 0.5, events: 9007199254740993n, bytesRead: 7n, bytesTotal: 9n, tracks: 3 },
      ...{ blocksDone: 1, blocks: 4, secondsLeft: null, revision: 2 },
    },
    "b",
  );
  tell({ type: "blocks", build: "b", blocks: [4, 0] });
  expect(events.onBlocks).toHaveBeenCalledWith("b", [4, 0]);
  tell({ type: "ready", build: "b" });
  expect(events.onReady).toHaveBeenCalledWith("b");
  tell({ type: "failed", error: "no" });
  expect(events.onFailed).toHaveBeenCalledWith("no");
});

test("wants are sent when they change, and again on a new connection", () => {
  const { watch, sockets, waits, open, lose } = setUp();
  watch.want([3, 1]);
  open();
  watch.want([3, 1]);
  watch.want([]);
  const texts = [[3, 1], []].map((blocks) => JSON.stringify({ type: "want", blocks }));
  expect(sockets[0]!.sent).toEqual(texts);
  watch.want([5]);
  lose();
  expect(waits.map(({ ms }) => ms)).toEqual([500]);
  waits[0]!.run();
  open();
  expect(sockets[1]!.sent).toEqual([JSON.stringify({ type: "want", blocks: [5] })]);
});

test("pauses grow while nothing gets through, and closing ends it", () => {
  const { watch, sockets, waits, events, lose } = setUp();
  for (let k = 0; k < 6; k++) {
    lose();
    waits.at(-1)!.run();
  }
  expect(waits.map(({ ms }) => ms)).toEqual([500, 1000, 2000, 4000, 8000, 8000]);
  watch.close();
  expect(sockets.at(-1)!.isClosed).toBe(true);
  sockets.at(-1)!.onmessage?.({ data: JSON.stringify({ type: "ready", build: "b" }) } as MessageEvent);
  expect(events.onReady).not.toHaveBeenCalled();
});
