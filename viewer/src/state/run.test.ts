import { type Api, ApiError, type Manifest, type Run } from "@tilescope/client";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { RunOpener, runIdOf, runView } from "./run";

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
});

function fakeApi(manifest: () => Promise<Partial<Manifest>>) {
  const fake = {
    index: vi.fn(async () => undefined),
    manifest: vi.fn(manifest),
    build: () => ({ tracks: async () => ({ groups: [], tracks: [] }) }),
  };
  return fake as typeof fake & Api;
}

const refresh = vi.fn(async () => undefined);

beforeEach(() => {
  refresh.mockClear();
  runView.value = { kind: "list" };
});

describe("RunOpener", () => {
  it("asks once for the index of a new run, waits, and opens it", async () => {
    const api = fakeApi(async () => ({ run: "r", build: "b", empty: false }));
    const opener = new RunOpener(api, refresh);
    opener.open("r");
    opener.follow([run("new")]);
    opener.follow([run("new")]);
    expect(api.index).toHaveBeenCalledTimes(1);
    opener.follow([run("indexing")]);
    expect(runView.value).toMatchObject({ kind: "indexing", run: { state: "indexing" } });
    opener.follow([run("ready")]);
    opener.follow([run("ready")]);
    await vi.waitFor(() => expect(runView.value.kind).toBe("open"));
    expect(api.manifest).toHaveBeenCalledTimes(1);
    expect(runIdOf(runView.value)).toBe("r");
  });

  it("says that a trace is empty", async () => {
    const opener = new RunOpener(
      fakeApi(async () => ({ run: "r", build: "b", empty: true })),
      refresh,
    );
    opener.open("r");
    opener.follow([run("ready")]);
    await vi.waitFor(() => expect(runView.value.kind).toBe("empty"));
  });

  it("shows why indexing failed, and tries again when asked", async () => {
    const api = fakeApi(async () => ({}));
    const opener = new RunOpener(api, refresh);
    opener.open("r");
    opener.follow([run("failed", "r: byte 1: damaged")]);
    expect(runView.value).toEqual({ kind: "failed", id: "r", name: "name of r", message: "r: byte 1: damaged" });
    await opener.retry("r");
    expect(api.index).toHaveBeenCalledWith("r");
    expect(refresh).toHaveBeenCalled();
  });

  it("knows runs that do not exist, and those that come back", () => {
    const opener = new RunOpener(
      fakeApi(async () => ({})),
      refresh,
    );
    opener.open("r");
    opener.follow([]);
    expect(runView.value).toEqual({ kind: "unknown", id: "r" });
    opener.follow([run("queued")]);
    expect(runView.value.kind).toBe("indexing");
  });

  it("looks at the list again when the run changed in between", async () => {
    const opener = new RunOpener(
      fakeApi(async () => {
        throw new ApiError(409, "not_indexed", "there is no index");
      }),
      refresh,
    );
    opener.open("r");
    refresh.mockClear();
    opener.follow([run("ready")]);
    await vi.waitFor(() => expect(refresh).toHaveBeenCalledTimes(1));
    expect(runView.value.kind).toBe("opening");
  });

  it("drops an answer that is no longer wanted", async () => {
    const opener = new RunOpener(
      fakeApi(async () => ({ run: "r", build: "b", empty: true })),
      refresh,
    );
    opener.open("r");
    opener.follow([run("ready")]);
    opener.open(null);
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(runView.value).toEqual({ kind: "list" });
  });
});
