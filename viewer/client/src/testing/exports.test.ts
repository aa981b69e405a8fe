import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as client from "../index";
import { apiPage, publicExports } from "./exports";

const PAGE = new URL("../../../../docs/typescript.md", import.meta.url);

test("the page lists all exports, with what they are", () => {
  expect(readFileSync(PAGE, "utf8")).toBe(apiPage());
});

test("every export has a doc comment", () => {
  const bare = publicExports().filter(({ comment }) => comment === "");
  expect(bare.map(({ module, name }) => `${module}: ${name}`)).toEqual([]);
});

test("every member of a class has a doc comment, but for constructors", () => {
  const members = publicExports().flatMap(({ name, members }) => members.map((member) => ({ name, ...member })));
  const bare = members.filter(({ signature, comment }) => comment === "" && !signature.startsWith("new "));
  expect(bare.map(({ name, signature }) => `${name}: ${signature}`)).toEqual([]);
});

test("classes are listed with what they have", () => {
  const signatures = (wanted: string) =>
    publicExports()
      .find(({ name }) => name === wanted)
      ?.members.map(({ signature }) => signature);
  expect(signatures("TileClient")).toContain("show(screen: Screen): void");
  expect(signatures("TileClient")).toContain("exact({ track, level, index }: TileName): Promise<TileData>");
  expect(signatures("Api")).toContain("runs(signal?: AbortSignal): Promise<Run[]>");
  expect(signatures("BuildApi")).toContain("page(key: PageKey, signal?: AbortSignal): Promise<Uint8Array>");
  expect(signatures("BuildApi")?.join(" ")).not.toContain("#");
});

test("what is listed is what the package exports", () => {
  const values = publicExports().filter(({ kind }) => kind !== "interface" && kind !== "type");
  expect(values.map(({ name }) => name).sort()).toEqual(Object.keys(client).sort());
});
