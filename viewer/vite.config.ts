import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

// The page is served under a content security policy without inline code, and from any path: no inlined assets,
// no inline module preload script, relative addresses.
// What the timeline loads behind its first picture: what lies over the tracks and answers the pointer.
const LATE =
  /\/src\/(timeline\/(late|all-arrows|area|edge-hints|flow-arrows|gap-hints|paint-overlay|pointing|event-count|row-fold|track-rows)|raster\/hit|state\/(exact|flow-chain))\.ts$/;

// The bundler's few helpers are a file of their own, which late files import: asked for with them, not after them.
const HELPERS_FIRST: Plugin = {
  name: "helpers-first",
  transformIndexHtml: (_html, { bundle = {} }) =>
    Object.values(bundle)
      .filter(({ name }) => name === "rolldown-runtime")
      .map(({ fileName }) => ({
        tag: "link",
        attrs: { rel: "modulepreload", href: `./${fileName}` },
        injectTo: "head",
      })),
};

export default defineConfig({
  base: "./",
  plugins: [HELPERS_FIRST],
  build: {
    outDir: "../server/static",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // What the timeline needs is one file: shared parts in files of their own would be heard of one after another.
        // What comes right behind the first picture is another, for the same reason.
        codeSplitting: {
          groups: [
            { name: "index", tags: ["$initial"], priority: 2 },
            { name: "late", test: LATE, priority: 1 },
            // What is asked for beside the first answers, each with what it imports: it would be asked for only then.
            { name: "embed", test: /\/src\/(embed|state\/search)\.ts$/, priority: 1 },
            { name: "address-writer", test: /\/src\/state\/(address-writer|location-text)\.ts$/, priority: 1 },
          ],
        },
      },
    },
  },
  server: {
    host: "127.0.0.1",
    // `npm run dev` talks to a `tilescope serve` that runs beside it.
    proxy: {
      "/api": { target: process.env.TILESCOPE_URL ?? "http://127.0.0.1:8808", ws: true },
      "/viewer.json": process.env.TILESCOPE_URL ?? "http://127.0.0.1:8808",
    },
  },
  test: {
    // Files share modules: loading those anew for each took twice as long as the tests themselves.
    isolate: false,
    pool: "threads",
    // Those against a plain reference take seconds where other suites run beside them.
    testTimeout: 60_000,
    include: ["client/src/**/*.test.ts", "src/**/*.test.ts", "src/**/*.test.tsx"],
    environment: "node",
    allowOnly: false,
    // Node 20 has the WebSocket of browsers only on demand.
    execArgv: ["--experimental-websocket"],
  },
});
