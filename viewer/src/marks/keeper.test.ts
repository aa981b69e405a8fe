import { ApiError, type Mark as KeptMark, NetworkError, ticks } from "@tilescope/client";
import { describe, expect, it } from "vitest";
import { type KeeperPort, MarkKeeper } from "./keeper";
import { type Mark, makeMark, renamed } from "./mark";

/** A server in memory, as strict about tags as the real one. */
class FakeServer implements KeeperPort {
  marks: readonly Mark[] = [];
  version = 0;
  writable = true;
  isAway = false;
  saves = 0;

  async load() {
    await this.#answer();
    return { marks: this.marks as readonly KeptMark[], writable: this.writable, etag: `${this.version}` };
  }

  async save(marks: readonly Mark[], etag: string) {
    await this.#answer();
    if (etag !== `${this.version}`) {
      throw new ApiError(412, "precondition_failed", "the marks were changed meanwhile");
    }
    this.saves += 1;
    this.marks = marks;
    this.version += 1;
    return { etag: `${this.version}` };
  }

  async #answer(): Promise<void> {
    await Promise.resolve();
    if (this.isAway) {
      throw new NetworkError("the server does not answer");
    }
  }
}

const span = (start: number, name = ""): Mark =>
  renamed(makeMark({ startTicks: ticks(start), endTicks: ticks(start + 5) }, [], 0), name);

const names = (marks: readonly Mark[]): string[] => marks.map(({ name }) => name).sort();

async function opened(server: FakeServer): Promise<MarkKeeper> {
  const keeper = new MarkKeeper(server);
  await keeper.load();
  return keeper;
}

describe("MarkKeeper", () => {
  it("saves what is changed, all of it, however quickly", async () => {
    const server = new FakeServer();
    const keeper = await opened(server);
    expect(keeper.state.value).toEqual({ kind: "saved" });
    const [a, b] = [span(1, "a"), span(2, "b")];
    const first = keeper.change((marks) => [...marks, a]);
    const second = keeper.change((marks) => [...marks, b]);
    expect(keeper.marks.value).toEqual([a, b]);
    await Promise.all([first, second]);
    expect(server.marks).toEqual([a, b]);
    await keeper.change((marks) => marks.filter(({ id }) => id !== a.id));
    expect(server.marks).toEqual([b]);
    expect(keeper.state.value.kind).toBe("saved");
  });

  it("keeps what is changed while it looks at what the server has", async () => {
    const server = new FakeServer();
    const keeper = await opened(server);
    const loaded = keeper.load();
    await Promise.resolve();
    const mark = span(1, "meanwhile");
    const changed = keeper.change(() => [mark]);
    await Promise.all([loaded, changed]);
    expect([keeper.marks.value, server.marks]).toEqual([[mark], [mark]]);
    expect(keeper.state.value.kind).toBe("saved");
  });

  it("says that a server keeps none", async () => {
    const server = new FakeServer();
    server.writable = false;
    const keeper = await opened(server);
    expect(keeper.state.value.kind).toBe("read-only");
    expect(keeper.isWritable.value).toBe(false);
  });

  it("merges what two viewers do, in both of them", async () => {
    const server = new FakeServer();
    const [first, second] = [await opened(server), await opened(server)];
    await first.change((marks) => [...marks, span(1, "mine")]);
    await second.change((marks) => [...marks, span(2, "yours")]);
    expect(names(server.marks)).toEqual(["mine", "yours"]);
    await first.load();
    expect(names(first.marks.value)).toEqual(["mine", "yours"]);
    expect(second.twice.value).toBe(0);
  });

  it("keeps both versions of what both have changed, and counts them", async () => {
    const server = new FakeServer();
    const keeper = await opened(server);
    await keeper.change(() => [span(1, "old")]);
    const second = await opened(server);
    await keeper.change((marks) => marks.map((mark) => renamed(mark, "one")));
    await second.change((marks) => marks.map((mark) => renamed(mark, "two")));
    expect(names(server.marks)).toEqual(["one", "two"]);
    expect(second.twice.value).toBe(1);
  });

  it("holds what cannot be saved, and saves it when the server is back", async () => {
    const server = new FakeServer();
    const keeper = await opened(server);
    server.isAway = true;
    await keeper.load();
    expect(keeper.state.value.kind).toBe("saved");
    await keeper.change(() => [span(1, "late")]);
    expect(keeper.state.value).toMatchObject({ kind: "unsaved", isAway: true });
    expect(names(keeper.unsaved.value)).toEqual(["late"]);
    server.isAway = false;
    server.marks = [span(9, "theirs")];
    server.version += 1;
    await keeper.load();
    expect(keeper.state.value.kind).toBe("saved");
    expect(keeper.unsaved.value).toEqual([]);
    expect(names(server.marks)).toEqual(["late", "theirs"]);
  });

  it("knows nothing of a server that it never reached, until it does", async () => {
    const server = new FakeServer();
    server.isAway = true;
    const keeper = await opened(server);
    expect(keeper.state.value).toMatchObject({ kind: "unknown", isAway: true });
    expect(keeper.isWritable.value).toBe(false);
    server.isAway = false;
    await keeper.load();
    expect(keeper.state.value.kind).toBe("saved");
  });

  it("gives up where somebody else is always quicker", async () => {
    const server = new FakeServer();
    const keeper = await opened(server);
    server.save = async () => {
      throw new ApiError(412, "precondition_failed", "the marks were changed meanwhile");
    };
    await keeper.change(() => [span(1, "x")]);
    expect(keeper.state.value).toMatchObject({ kind: "unsaved", isAway: false });
    expect(names(keeper.unsaved.value)).toEqual(["x"]);
  });

  it("moves with the run's origin without asking", async () => {
    const server = new FakeServer();
    const keeper = await opened(server);
    await keeper.change(() => [span(10)]);
    keeper.shift(100n);
    expect(keeper.marks.value[0]).toMatchObject({ startTicks: 110n, endTicks: 115n });
    await keeper.change((marks) => marks);
    expect(server.saves).toBe(1);
  });
});
