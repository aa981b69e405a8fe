// Prints what a browser downloads for the timeline, and in all; fails where the timeline is over its limit, so that growth is
// seen when it happens: what the first picture does not need is loaded late.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { gzipSync } from "node:zlib";

/** Bytes of the timeline as gzip. */
const LIMIT = 95_000;

const folder = new URL("../../server/static/", import.meta.url).pathname;
const index = readFileSync(join(folder, "index.html"), "utf8");
const first = { plain: 0, gzip: 0 };
const all = { plain: 0, gzip: 0 };
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) {
    continue;
  }
  const path = join(entry.parentPath, entry.name);
  const body = readFileSync(path);
  const name = relative(folder, path);
  for (const sum of name === "index.html" || index.includes(name) ? [first, all] : [all]) {
    sum.plain += body.length;
    sum.gzip += gzipSync(body).length;
  }
}
const text = ({ plain, gzip }) => `${(plain / 1000).toFixed(1)} kB, ${(gzip / 1000).toFixed(1)} kB as gzip`;
console.log(`timeline: ${text(first)}`);
console.log(`all pages: ${text(all)}`);
// What reads names gives the first picture its colours: what it imports has to come with the page, not after it.
const assets = readdirSync(join(folder, "assets"));
const reading = assets.filter((name) => /^reading-.*\.js$/.test(name));
const imports = reading.flatMap((name) => [
  ...readFileSync(join(folder, "assets", name), "utf8").matchAll(/from"\.\/([^"]+)"/g),
]);
const late = imports.map((match) => match[1]).filter((name) => !index.includes(name));
if (reading.length !== 1 || late.length > 0) {
  console.error(`What reads names is to be one file, and is ${[...reading, ...late].join(", ")}.`);
  process.exitCode = 1;
}
if (first.gzip > LIMIT) {
  console.error(`The timeline is over its limit of ${(LIMIT / 1000).toFixed(1)} kB as gzip.`);
  process.exitCode = 1;
}
