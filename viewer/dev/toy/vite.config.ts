import { defineConfig, mergeConfig, type Plugin } from "vite";
import viewer from "../../vite.config";

const LIST = /OWN_PAGES: readonly Page\[\] = \[\s*timelinePage/;

/** The one line that adds a page. */
const register: Plugin = {
  name: "register-toy",
  enforce: "pre",
  transform(code, id) {
    if (!id.endsWith("/src/tools/registry.ts")) {
      return null;
    }
    if (!LIST.test(code)) {
      throw new Error(`registry.ts has no list of pages that begins with the timeline`);
    }
    return `import { toyPage } from "../../dev/toy/page";\n${code.replace(LIST, (list) => `${list}, toyPage`)}`;
  },
};

// The viewer with the toy page, as a browser test has it: `npx vite build -c dev/toy/vite.config.ts --outDir FOLDER`.
export default mergeConfig(viewer, defineConfig({ plugins: [register], build: { emptyOutDir: true } }));
