/** Folders know those below them, as viewer/README.md and client/README.md list them, and never those above. */

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { expect, it } from "vitest";

const SOURCES = resolve(import.meta.dirname);
const CLIENT = resolve(import.meta.dirname, "../client/src");

/** Folder → what it may import of the others. `.` is what lies in the root. */
type Table = Readonly<Record<string, readonly string[]>>;

const CLIENT_TABLE: Table = {
  base: [],
  pages: ["base"],
  archive: ["pages", "net"],
  answers: ["base", "pages", "net", "archive"],
  net: ["base", "pages"],
  testing: ["base", "pages", "net"],
  ".": ["base", "pages", "net", "archive", "answers"],
};

/** The table of viewer/README.md: `| \`base/\` | … | the client |`. */
function viewerTable(): Table {
  const readme = readFileSync(resolve(SOURCES, "../README.md"), "utf8");
  const rows = [...readme.matchAll(/^\| `(\w+)\/` \| [^|]* \| ([^|]*) \|$/gm)];
  const folders = rows.map((row) => row[1]!);
  const table = rows.map(([, folder, knows]) => {
    const named = [...knows!.matchAll(/`(\w+)`/g)].map((match) => match[1]!);
    expect(named.filter((name) => !folders.includes(name))).toEqual([]);
    return [folder!, named] as const;
  });
  return { ...Object.fromEntries(table), ".": folders };
}

function upward(root: string, table: Table): readonly string[] {
  const modules = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  expect(modules.length).toBeGreaterThan(20);
  return modules.flatMap((path) => {
    const from = folderOf(root, path);
    const targets = [...readFileSync(path, "utf8").matchAll(/(?:from |import\(|import )"(\.[^"]+)"/g)];
    return targets
      .map((match) => folderOf(root, resolve(dirname(path), match[1]!)))
      .filter((to) => to !== from && !(table[from] ?? []).includes(to))
      .map((to) => `${relative(root, path)} → ${to}`);
  });
}

function folderOf(root: string, path: string): string {
  const parts = relative(root, path).split(sep);
  return parts.length > 1 ? parts[0]! : ".";
}

it("the viewer's folders import only what its README says they know", () => {
  expect(upward(SOURCES, viewerTable())).toEqual([]);
});

it("the client's folders import only what is below them", () => {
  expect(upward(CLIENT, CLIENT_TABLE)).toEqual([]);
});

it("what reads names is imported from one file, or it is several files that are loaded one after another", () => {
  const importers = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter(
    (path) => /(?<!\.test)\.tsx?$/.test(path) && dirname(path) !== "raster",
  );
  const others = importers.filter((path) =>
    /^import (?!type ).*\/(short-name|event-meaning|function-name|work-patterns)";$/m.test(
      readFileSync(join(SOURCES, path), "utf8"),
    ),
  );
  expect(importers.length).toBeGreaterThan(100);
  expect(others).toEqual([]);
});
