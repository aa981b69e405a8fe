import { type Mark as KeptMark, NetworkError, type Track, ticks } from "@tilescope/client";
import { afterEach, describe, expect, it } from "vitest";
import { addressMarks, marksLanePx } from "../state/marks";
import type { Trace } from "../state/trace";
import { MarkBook } from "./book";
import { type KeeperPort, MarkKeeper } from "./keeper";
import { type Mark, makeMark, renamed } from "./mark";

/** What a server has of marks, and whether it answers. */
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

let open: MarkBook | null = null;

async function opened(shelf: Shelf, address = "", trace = traceOf("main", "io")): Promise<MarkBook> {
  addressMarks.value = address;
  open = new MarkBook(trace, new MarkKeeper(shelf));
  await open.keeper.load();
  return open;
}

const shown = (book: MarkBook) => book.all.value.map(({ name, home }) => `${name} ${home}`);

afterEach(() => {
  open?.close();
  addressMarks.value = "";
});

describe("MarkBook", () => {
  it("keeps marks in the address where the server keeps none, and goes with Back", async () => {
    const shelf = new Shelf();
    shelf.writable = false;
    const book = await opened(shelf);
    expect(marksLanePx.value).toBe(0);
    const mark = book.keep(range(5, 9), [1]);
    expect(addressMarks.value).toBe(`${mark.id},m5-9,,1`);
    expect(marksLanePx.value).toBeGreaterThan(0);
    book.change(book.all.value[0]!, renamed(mark, "a"));
    const withName = addressMarks.value;
    addressMarks.value = "";
    expect(shown(book)).toEqual([]);
    addressMarks.value = withName;
    expect(shown(book)).toEqual(["a address"]);
    book.remove(book.all.value[0]!);
    expect(addressMarks.value).toBe("");
    book.undo();
    expect(shown(book)).toEqual(["a address"]);
  });

  it("keeps its own marks on the server, those of a link only when one asks for it", async () => {
    const shelf = new Shelf();
    const book = await opened(shelf, "x1,r5-9,2,,linked");
    const { id } = book.keep(range(1, 2), []);
    await settled();
    expect(shelf.marks.map((mark) => mark.id)).toEqual([id]);
    expect(addressMarks.value).toBe("x1,r5-9,2,,linked");
    book.keepAll();
    await settled();
    expect(shelf.marks.map((mark) => mark.id)).toEqual([id, "x1"]);
    expect(addressMarks.value).toBe("");
  });

  it("gives the server what was marked before it answered", async () => {
    const shelf = new Shelf();
    shelf.isAway = true;
    const book = await opened(shelf);
    book.keep(range(5, 9), []);
    expect(addressMarks.value).not.toBe("");
    shelf.isAway = false;
    await book.keeper.load();
    await settled();
    expect(shelf.marks).toHaveLength(1);
    expect(addressMarks.value).toBe("");
    expect(shown(book)).toEqual([" server"]);
  });

  it("has in the address what cannot be saved, and takes it for what it is after a reload", async () => {
    const shelf = new Shelf();
    const first = renamed(makeMark(range(5, 9), [], 0), "old");
    shelf.marks = [first];
    const book = await opened(shelf);
    shelf.isAway = true;
    book.change(book.all.value[0]!, renamed(first, "new"));
    await settled();
    expect(addressMarks.value).toBe(`${first.id},r5-9,,,new`);
    expect(shown(book)).toEqual(["new server"]);
    book.close();
    shelf.isAway = false;
    const again = await opened(shelf, `${first.id},r5-9,,,new`);
    expect(shown(again).sort()).toEqual(["new address", "old server"]);
    again.close();
    const same = await opened(shelf, `${first.id},r5-9,,,old`);
    expect(shown(same)).toEqual(["old server"]);
    expect(addressMarks.value).toBe("");
  });

  it("goes on where a run has grown: other ticks, other numbers of tracks", async () => {
    const shelf = new Shelf();
    shelf.writable = false;
    const book = await opened(shelf, "a,r5-9,,1,x", traceOf("main", "io"));
    book.moment.value = makeMark(range(1, 2), [0], 0);
    book.renew(traceOf("other", "main", "io"), 100n);
    expect(addressMarks.value).toBe("a,r105-109,,2,x");
    expect(book.moment.value).toMatchObject({ startTicks: 101n, tracks: [1] });
  });

  it("keeps a mark for the moment when it gets a name, and gives new ones other colours", async () => {
    const book = await opened(new Shelf());
    book.moment.value = makeMark(range(1, 2), [], 0);
    const [moment] = book.all.value;
    expect(moment).toMatchObject({ home: "moment" });
    book.change(moment!, renamed(moment!, "now kept"));
    await settled();
    expect(book.moment.value).toBeNull();
    expect(shown(book)).toEqual(["now kept server"]);
    expect(book.keep(range(3, 4), []).colour).not.toBe(moment!.colour);
  });
});
