import { type Mark as KeptMark, NetworkError, type Track, ticks } from "@tilescope/client";
import { afterEach, describe, expect, it } from "vitest";
import { makePane } from "../state/pane";
import type { Trace } from "../state/trace";
import { type KeeperPort, MarkKeeper } from "./keeper";
import { type Mark, makeMark, renamed } from "./mark";
import { MarkCollection } from "./mark-collection";

const pane = makePane();

/** A server's marks, and whether it answers. */
class Shelf implements KeeperPort {
  marks: readonly Mark[] = [];
  version = 0;
  writable = true;
  isAway = false;

  async load() {
    this.#answer();
    return { marks: this.marks as readonly KeptMark[], writable: this.writable, etag: `${this.version}` };
  }

  async save(marks: readonly Mark[], etag: string) {
    this.#answer();
    expect(etag).toBe(`${this.version}`);
    this.version += 1;
    this.marks = marks;
    return { etag: `${this.version}` };
  }

  #answer(): void {
    if (this.isAway) {
      throw new NetworkError("the server does not answer");
    }
  }
}

function traceOf(...names: string[]): Trace {
  const tracks = new Map(
    names.map((name, id) => [id, { id, group: 0, kind: "slice", name, detail: "" } as unknown as Track]),
  );
  return { tracks, groups: new Map() } as unknown as Trace;
}

const range = (start: number, end: number) => ({ startTicks: ticks(start), endTicks: ticks(end) });
const settled = () => new Promise((resolve) => setTimeout(resolve));

let open: MarkCollection | null = null;

async function opened(shelf: Shelf, address = "", trace = traceOf("main", "io")): Promise<MarkCollection> {
  pane.addressMarks.value = address;
  open = new MarkCollection(pane, trace, new MarkKeeper(shelf));
  await open.keeper.load();
  return open;
}

const shown = (collection: MarkCollection) => collection.all.value.map(({ name, home }) => `${name} ${home}`);

afterEach(() => {
  open?.close();
  pane.addressMarks.value = "";
});

describe("MarkBook", () => {
  it("keeps marks in the address where the server keeps none, and goes with Back", async () => {
    const shelf = new Shelf();
    shelf.writable = false;
    const collection = await opened(shelf);
    expect(pane.marksLanePx.value).toBe(0);
    const mark = collection.keep(range(5, 9), [1]);
    expect(pane.addressMarks.value).toBe(`${mark.id},m5-9,,1`);
    expect(pane.marksLanePx.value).toBeGreaterThan(0);
    collection.change(collection.all.value[0]!, renamed(mark, "a"));
    const withName = pane.addressMarks.value;
    pane.addressMarks.value = "";
    expect(shown(collection)).toEqual([]);
    pane.addressMarks.value = withName;
    expect(shown(collection)).toEqual(["a address"]);
    collection.remove(collection.all.value[0]!);
    expect(pane.addressMarks.value).toBe("");
    collection.undo();
    expect(shown(collection)).toEqual(["a address"]);
  });

  it("keeps its own marks on the server, those of a link only when one asks for it", async () => {
    const shelf = new Shelf();
    const collection = await opened(shelf, "x1,r5-9,2,,linked");
    const { id } = collection.keep(range(1, 2), []);
    await settled();
    expect(shelf.marks.map((mark) => mark.id)).toEqual([id]);
    expect(pane.addressMarks.value).toBe("x1,r5-9,2,,linked");
    collection.keepAll();
    await settled();
    expect(shelf.marks.map((mark) => mark.id)).toEqual([id, "x1"]);
    expect(pane.addressMarks.value).toBe("");
  });

  it("gives the server what was marked before it answered", async () => {
    const shelf = new Shelf();
    shelf.isAway = true;
    const collection = await opened(shelf);
    collection.keep(range(5, 9), []);
    expect(pane.addressMarks.value).not.toBe("");
    shelf.isAway = false;
    await collection.keeper.load();
    await settled();
    expect(shelf.marks).toHaveLength(1);
    expect(pane.addressMarks.value).toBe("");
    expect(shown(collection)).toEqual([" server"]);
  });

  it("has in the address what cannot be saved, and takes it for what it is after a reload", async () => {
    const shelf = new Shelf();
    const first = renamed(makeMark(range(5, 9), [], 0), "old");
    shelf.marks = [first];
    const collection = await opened(shelf);
    shelf.isAway = true;
    collection.change(collection.all.value[0]!, renamed(first, "new"));
    await settled();
    expect(pane.addressMarks.value).toBe(`${first.id},r5-9,,,new`);
    expect(shown(collection)).toEqual(["new server"]);
    collection.close();
    shelf.isAway = false;
    const again = await opened(shelf, `${first.id},r5-9,,,new`);
    expect(shown(again).sort()).toEqual(["new address", "old server"]);
    again.close();
    const same = await opened(shelf, `${first.id},r5-9,,,old`);
    expect(shown(same)).toEqual(["old server"]);
    expect(pane.addressMarks.value).toBe("");
  });

  it("goes on where a run has grown: other ticks, other numbers of tracks", async () => {
    const shelf = new Shelf();
    shelf.writable = false;
    const collection = await opened(shelf, "a,r5-9,,1,x", traceOf("main", "io"));
    collection.moment.value = makeMark(range(1, 2), [0], 0);
    collection.renew(traceOf("other", "main", "io"), 100n);
    expect(pane.addressMarks.value).toBe("a,r105-109,,2,x");
    expect(collection.moment.value).toMatchObject({ startTicks: 101n, tracks: [1] });
  });

  it("keeps a mark for the moment when it gets a name, and gives new ones other colours", async () => {
    const collection = await opened(new Shelf());
    collection.moment.value = makeMark(range(1, 2), [], 0);
    const [moment] = collection.all.value;
    expect(moment).toMatchObject({ home: "moment" });
    collection.change(moment!, renamed(moment!, "now kept"));
    await settled();
    expect(collection.moment.value).toBeNull();
    expect(shown(collection)).toEqual(["now kept server"]);
    expect(collection.keep(range(3, 4), []).colour).not.toBe(moment!.colour);
  });
});
