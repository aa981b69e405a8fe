// Writes docs/keys.md from the tables of src/keys.
import { writeFileSync } from "node:fs";
import { createServer } from "vite";

const server = await createServer({ server: { middlewareMode: true }, appType: "custom", logLevel: "error" });
const { keysMarkdown } = await server.ssrLoadModule("/src/keys/markdown.ts");
writeFileSync(new URL("../../docs/keys.md", import.meta.url), keysMarkdown());
await server.close();
