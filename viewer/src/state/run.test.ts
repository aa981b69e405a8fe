import {
  type Api,
  ApiError,
  type Manifest,
  type Run,
  type TextSocket,
  type WatchProgressJson,
} from "@tilescope/client";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { makePane } from "./pane";
import { RunOpener, runIdOf } from "./run";

const pane = makePane();

const run = (state: Run["state"], error: string | null = null): Run => ({
  id: "r",
  name: "name of r",
  path: "r",
  state,
  error,
  hosts: [],
  files: 1,
  sizeBytes: 1n,
  modifiedNs: 0n,
  build: null,
  progress: null,
  notes: [],
  events: null,
  durationPs: null,
  growing: false,
  contents: [],
  steps: null,
});

function fakeApi(manifest: () => Promise<Partial<Manifest>>) {
  const fake = {
    index: vi.fn(async () => undefined),
    manifest: vi.fn(manifest),
    build: (_run: string, _build: string) => ({ tracks: async (): Promise<object> => ({ groups: [], tracks: [] }) }),
  };
  return fake as typeof fake & Api;
}

/** Sockets that the watch has opened, by run; what the server says goes in by `tell`. */
class FakeSocket implements TextSocket {
  onopen: TextSocket["onopen"] = null;
  onmessage: TextSocket["onmessage"] = null;
  onclose: TextSocket["onclose"] = null;
  readonly sent: string[] = [];
  isClosed = false;
  readonly run: string;

  constructor(run: string) {
    this.run = run;
    sockets.push(this);
  }

  send(text: string): void {
    this.sent.push(text);
  }

  close(): void {
    this.isClosed = true;
  }

  tell(message: object): void {
    this.onmessage?.({ data: JSON.stringify(message) } as MessageEvent);
  }
}

let sockets: FakeSocket[] = [];
const connect = (id: string) => new FakeSocket(id);
const onBlocks = vi.fn();
const openerOf = (api: Api) => new RunOpener(pane, api, refresh, onBlocks, connect);

const refresh = vi.fn(async () => undefined);

beforeEach(() => {
  refresh.mockClear();
  onBlocks.mockClear();
  sockets = [];
  pane.runView.value = { kind: "list" };
});

describe("RunOpener", () => {
  it("asks for the tracks of the build that the list names beside the manifest, and opens from that list at once", async () => {
    let answer: (manifest: Partial<Manifest>) => void = () => undefined;
    const api = fakeApi(() => new Promise((resolve) => (answer = resolve)));
    const requests: string[] = [];
    Object.assign(api, {
      build: (_run: string, build: string) => ({
        tracks: async () => {
          requests.push(build);
          return { groups: [], tracks: [] };
        },
      }),
    });
    openerOf(api).open("r", [{ ...run("ready"), build: "b" }]);
    expect(refresh).not.toHaveBeenCalled();
    expect(requests).toEqual(["b"]);
    answer({ run: "r", build: "b", empty: false });
    await vi.waitFor(() => expect(pane.runView.value.kind).toBe("open"));
    expect(requests).toEqual(["b"]);
  });

  it("looks again for what a shown run lacks, and asks nothing more of the build of before", async () => {
    let build = "old";
    const api = fakeApi(async () => ({ run: "r", build, empty: false }));
    const requests: string[] = [];
    Object.assign(api, {
      index: async () => {
        build = "new";
      },
      build: (_run: string, name: string) => ({
        tracks: async () => {
          requests.push(name);
          return { groups: [], tracks: [] };
        },
      }),
    });
    const opener = openerOf(api);
    const list = [{ ...run("ready"), build: "old" }];
    opener.open("r", list);
    await vi.waitFor(() => expect(pane.runView.value.kind).toBe("open"));
    refresh.mockImplementationOnce(async () => {
      opener.follow(list); // which is late
      return undefined;
    });
    await opener.retry("r");
    expect(pane.runView.value).toMatchObject({ kind: "open", trace: { manifest: { build: "new" } } });
    expect(requests).toEqual(["old", "new"]);
  });

  it("asks for other tracks where the manifest is of another build, whatever became of the first", async () => {
    const api = fakeApi(async () => ({ run: "r", build: "new", empty: false }));
    const requests: string[] = [];
    Object.assign(api, {
      build: (_run: string, build: string) => ({
        tracks: async () => {
          requests.push(build);
          if (build === "old") {
            throw new ApiError(404, "unknown_build", "gone");
          }
          return { groups: [], tracks: [] };
        },
      }),
    });
    openerOf(api).open("r", [{ ...run("ready"), build: "old" }]);
    await vi.waitFor(() => expect(pane.runView.value.kind).toBe("open"));
    expect(requests).toEqual(["old", "new"]);
  });

  it("asks once for the index of a new run, waits, and opens it", async () => {
    const api = fakeApi(async () => ({ run: "r", build: "b", empty: false }));
    const opener = openerOf(api);
    opener.open("r");
    opener.follow([run("new")]);
    opener.follow([run("new")]);
    expect(api.index).toHaveBeenCalledTimes(1);
    opener.follow([run("indexing")]);
    expect(pane.runView.value).toMatchObject({ kind: "indexing", run: { state: "indexing" } });
    opener.follow([run("ready")]);
    opener.follow([run("ready")]);
    await vi.waitFor(() => expect(pane.runView.value.kind).toBe("open"));
    expect(api.manifest).toHaveBeenCalledTimes(1);
    expect(runIdOf(pane.runView.value)).toBe("r");
  });

  it("says that a trace is empty", async () => {
    const opener = openerOf(fakeApi(async () => ({ run: "r", build: "b", empty: true })));
    opener.open("r");
    opener.follow([run("ready")]);
    await vi.waitFor(() => expect(pane.runView.value.kind).toBe("empty"));
  });

  it("shows why indexing failed, and tries again when asked", async () => {
    const api = fakeApi(async () => ({}));
    const opener = openerOf(api);
    opener.open("r");
    opener.follow([run("failed", "r: byte 1: damaged")]);
    expect(pane.runView.value).toEqual({ kind: "failed", id: "r", name: "name of r", message: "r: byte 1: damaged" });
    await opener.retry("r");
    expect(api.index).toHaveBeenCalledWith("r");
    expect(refresh).toHaveBeenCalled();
  });

  it("knows runs that do not exist, and those that come back", () => {
    const opener = openerOf(fakeApi(async () => ({})));
    opener.open("r");
    opener.follow([]);
    expect(pane.runView.value).toEqual({ kind: "unknown", id: "r" });
    opener.follow([run("queued")]);
    expect(pane.runView.value.kind).toBe("indexing");
  });

  it("looks at the list again when the run changed in between", async () => {
    const opener = openerOf(
      fakeApi(async () => {
        throw new ApiError(409, "not_indexed", "there is no index");
      }),
    );
    opener.open("r");
    refresh.mockClear();
    onBlocks.mockClear();
    sockets = [];
    opener.follow([run("ready")]);
    await vi.waitFor(() => expect(refresh).toHaveBeenCalledTimes(1));
    expect(pane.runView.value.kind).toBe("opening");
  });

  it("drops an answer that is no longer wanted", async () => {
    const opener = openerOf(fakeApi(async () => ({ run: "r", build: "b", empty: true })));
    opener.open("r");
    opener.follow([run("ready")]);
    opener.open(null);
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(pane.runView.value).toEqual({ kind: "list" });
  });

  const progress: Omit<WatchProgressJson, "revision"> = {
    ...{ type: "progress", state: "indexing", phase: "read", fraction: 0.2, events: "5", build: "b" },
    ...{ bytes_read: "1", bytes_total: "9", tracks: 1, blocks_done: 0, blocks: 0, seconds_left: null },
  };

  it("shows a run while it is indexed, anew with each revision, and once more when it is ready", async () => {
    let manifest: Partial<Manifest> = { run: "r", build: "b", empty: false, state: "indexing", revision: 1 };
    const opener = openerOf(fakeApi(async () => ({ overview: null, ...manifest })));
    opener.open("r");
    opener.follow([run("indexing")]);
    expect(sockets.map((socket) => socket.run)).toEqual(["r"]);
    sockets[0]!.onopen?.({} as Event);
    sockets[0]!.tell({ ...progress, revision: 0 });
    expect(pane.runView.value.kind).toBe("indexing");
    expect(pane.growth.value?.fraction).toBe(0.2);
    sockets[0]!.tell({ ...progress, revision: 1 });
    await vi.waitFor(() =>
      expect(pane.runView.value).toMatchObject({ kind: "open", trace: { manifest: { revision: 1 } } }),
    );
    sockets[0]!.tell({ type: "blocks", build: "b", blocks: [3] });
    expect(onBlocks).toHaveBeenCalledWith("b", [3]);
    opener.wantBlocks([7, 1]);
    expect(sockets[0]!.sent).toEqual([JSON.stringify({ type: "want", blocks: [7, 1] })]);
    manifest = { ...manifest, revision: 2 };
    sockets[0]!.tell({ ...progress, revision: 2 });
    await vi.waitFor(() => expect(pane.runView.value).toMatchObject({ trace: { manifest: { revision: 2 } } }));
    manifest = { ...manifest, state: "ready" };
    sockets[0]!.tell({ type: "ready", build: "b" });
    await vi.waitFor(() => expect(pane.runView.value).toMatchObject({ trace: { manifest: { state: "ready" } } }));
    expect(sockets.every((socket) => socket.isClosed)).toBe(true);
    expect(pane.growth.value).toBeNull();
  });

  it("says that indexing has failed also while the run is shown", async () => {
    const manifest = { run: "r", build: "b", empty: false, state: "indexing", revision: 1, overview: null } as const;
    const opener = openerOf(fakeApi(async () => manifest));
    opener.open("r");
    opener.follow([run("indexing")]);
    sockets[0]!.tell({ ...progress, revision: 1 });
    await vi.waitFor(() => expect(pane.runView.value.kind).toBe("open"));
    sockets[0]!.tell({ type: "failed", error: "the disk is full" });
    expect(pane.runView.value).toMatchObject({ kind: "failed", message: "the disk is full" });
  });

  it("believes the list of runs where the watch does not get through", async () => {
    let state: Manifest["state"] = "indexing";
    const opener = openerOf(
      fakeApi(async () => ({ run: "r", build: "b", empty: false, state, revision: 1, overview: null })),
    );
    opener.open("r");
    opener.follow([run("indexing")]);
    sockets[0]!.tell({ ...progress, revision: 1 });
    await vi.waitFor(() => expect(pane.runView.value.kind).toBe("open"));
    state = "ready";
    opener.follow([run("ready")]);
    await vi.waitFor(() => expect(pane.runView.value).toMatchObject({ trace: { manifest: { state: "ready" } } }));
  });

  it("shows what it has loaded also when the run grows faster than it can be loaded", async () => {
    const answers: ((manifest: Partial<Manifest>) => void)[] = [];
    const opener = openerOf(fakeApi(() => new Promise((resolve) => answers.push(resolve))));
    opener.open("r");
    opener.follow([run("indexing")]);
    const manifest = { run: "r", build: "b", empty: false, state: "indexing", overview: null } as const;
    for (const revision of [1, 2, 3]) {
      sockets[0]!.tell({ ...progress, revision });
    }
    expect(answers.length).toBe(1);
    answers[0]!({ ...manifest, revision: 1 });
    await vi.waitFor(() => expect(pane.runView.value).toMatchObject({ trace: { manifest: { revision: 1 } } }));
    await vi.waitFor(() => expect(answers.length).toBe(2));
    answers[1]!({ ...manifest, revision: 3 });
    await vi.waitFor(() => expect(pane.runView.value).toMatchObject({ trace: { manifest: { revision: 3 } } }));
    expect(answers.length).toBe(2);
  });

  it("keeps what it shows when the next state cannot be had", async () => {
    let answer = async (): Promise<Partial<Manifest>> => ({
      ...{ run: "r", build: "b", empty: false, state: "indexing", revision: 1, overview: null },
    });
    const opener = openerOf(fakeApi(() => answer()));
    opener.open("r");
    opener.follow([run("indexing")]);
    sockets[0]!.tell({ ...progress, revision: 1 });
    await vi.waitFor(() => expect(pane.runView.value.kind).toBe("open"));
    refresh.mockClear();
    answer = () => Promise.reject(new Error("the server does not answer"));
    sockets[0]!.tell({ ...progress, revision: 2 });
    await vi.waitFor(() => expect(refresh).toHaveBeenCalled());
    expect(pane.runView.value.kind).toBe("open");
  });

  it("follows nothing any more when another run is opened", () => {
    const opener = openerOf(fakeApi(async () => ({})));
    opener.open("r");
    opener.follow([run("queued")]);
    opener.open(null);
    expect(sockets[0]!.isClosed).toBe(true);
  });
});
