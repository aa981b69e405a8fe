// Prints what a browser downloads, so that growth is seen when it happens.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const folder = new URL("../../server/static/", import.meta.url).pathname;
let plainBytes = 0;
let gzipBytes = 0;
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) {
    continue;
  }
  const body = readFileSync(join(entry.parentPath, entry.name));
  plainBytes += body.length;
  gzipBytes += gzipSync(body).length;
}
console.log(`viewer: ${(plainBytes / 1000).toFixed(1)} kB, ${(gzipBytes / 1000).toFixed(1)} kB as gzip`);
