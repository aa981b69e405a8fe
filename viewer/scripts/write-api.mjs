// Writes docs/typescript.md from the sources of the client.
import { writeFileSync } from "node:fs";
import { createServer } from "vite";

const server = await createServer({ server: { middlewareMode: true }, appType: "custom", logLevel: "error" });
const { apiPage } = await server.ssrLoadModule("/client/src/testing/exports.ts");
writeFileSync(new URL("../../docs/typescript.md", import.meta.url), apiPage());
await server.close();
