import { defineConfig } from "vite";

// One module without dependencies, for pages that have no bundler.
export default defineConfig({
  build: {
    lib: { entry: "client/src/index.ts", formats: ["es"], fileName: "tilescope-client" },
    outDir: "client/dist",
    emptyOutDir: true,
    target: "es2022",
    reportCompressedSize: false,
  },
});
