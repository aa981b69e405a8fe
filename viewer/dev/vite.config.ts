import { defineConfig } from "vite";

// The page of made-up answers, as browser tests have it: `npx vite build -c dev/vite.config.ts --outDir FOLDER`.
export default defineConfig({
  base: "./",
  root: import.meta.dirname,
  build: {
    rolldownOptions: { input: `${import.meta.dirname}/answers.html` },
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: false,
  },
});
