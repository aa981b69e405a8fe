import { describe, expect, it } from "vitest";
import { chosenFiles, droppedFiles, titleOf } from "./chosen-files";

type Tree = { readonly [name: string]: Tree | string };

/** An entry as browsers make them: a folder gives a hundred of its entries at a time. */
function entryOf(name: string, content: Tree | string): FileSystemEntry {
  if (typeof content === "string") {
    const file = (take: (file: File) => void) => take(new File([content], name));
    return { name, isFile: true, isDirectory: false, file } as unknown as FileSystemEntry;
  }
  const left = Object.entries(content).map(([inner, below]) => entryOf(inner, below));
  const createReader = () => ({
    readEntries: (take: (entries: FileSystemEntry[]) => void) => take(left.splice(0, 100)),
  });
  return { name, isFile: false, isDirectory: true, createReader } as unknown as FileSystemEntry;
}

describe("files that are dropped", () => {
  it("have the folders that they are in", async () => {
    const many = Object.fromEntries(Array.from({ length: 250 }, (_, number) => [`${number}.json`, "[]"]));
    const files = await droppedFiles([entryOf("a.json", "{}"), entryOf("logs", { run: many, "b.json": "x" })]);
    expect(files).toHaveLength(252);
    expect(files[0]!.name).toBe("a.json");
    expect(files.map(({ name }) => name)).toContain("logs/run/249.json");
    expect(await files.at(-1)!.file.text()).toBe("x");
  });

  it("are without what is hidden in folders", async () => {
    const files = await droppedFiles([
      entryOf(".own", "x"),
      entryOf("logs", { ".git": { config: "x" }, ".DS_Store": "x", "a.json": "x" }),
    ]);
    expect(files.map(({ name }) => name)).toEqual([".own", "logs/a.json"]);
  });
});

it("files that are chosen have the folders that they are in", () => {
  const file = (path: string) => Object.assign(new File([], "a"), { webkitRelativePath: path });
  const paths = ["run/a", "run/.b", "run/.git/c", ".run/d", ""];
  expect(chosenFiles(paths.map(file)).map(({ name }) => name)).toEqual(["run/a", ".run/d", "a"]);
});

it("a choice has a title", () => {
  const titled = (...names: string[]) => titleOf(names.map((name) => ({ name, file: new File([], name) })));
  expect(titled("a.json")).toBe("a.json");
  expect(titled("logs/a", "logs/b")).toBe("logs (2 files)");
  expect(titled("a", "b", "c")).toBe("3 files");
});
