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

test("what is listed is what the package exports", () => {
  const values = publicExports().filter(({ kind }) => kind !== "interface" && kind !== "type");
  expect(values.map(({ name }) => name).sort()).toEqual(Object.keys(client).sort());
});
