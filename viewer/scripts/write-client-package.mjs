// Makes client/dist, or the folder that is named, a package: declarations that resolve wherever they are read, and its package.json.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const client = new URL("../client/", import.meta.url).pathname;
const folder = process.argv[2] ?? join(client, "dist");
const types = join(folder, "types");
for (const entry of readdirSync(types, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) {
    continue;
  }
  const path = join(entry.parentPath, entry.name);
  const text = readFileSync(path, "utf8");
  writeFileSync(path, text.replace(/(from "|import\(")(\.{1,2}\/[^"]+)"/g, '$1$2.js"'));
}
const { name, version, description, license, type, sideEffects } = JSON.parse(
  readFileSync(join(client, "package.json"), "utf8"),
);
const entry = { types: "./types/index.d.ts", default: "./tilescope-client.js" };
const built = { name, version, description, license, type, sideEffects, types: entry.types, exports: { ".": entry } };
writeFileSync(join(folder, "package.json"), `${JSON.stringify(built, null, 2)}\n`);
