import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const VIEWER = fileURLToPath(new URL("../../../", import.meta.url));
const TSC = join(VIEWER, "node_modules", ".bin", "tsc");
const BUILDING_MS = 60_000;

let folder = "";

/** Output of tsc for the files of the folder, as a project that has installed the package would have them checked. */
function check(file: string, ...options: string[]): string {
  const strict = ["--strict", "--noUncheckedIndexedAccess", "--noEmit", "--target", "es2022", "--types", ""];
  try {
    execFileSync(TSC, [...strict, ...options, "--lib", "es2023,dom,dom.iterable", file], { cwd: folder });
    return "";
  } catch (error) {
    return String((error as { stdout: Buffer }).stdout);
  }
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tilescope-stranger-"));
  const installed = join(folder, "node_modules", "@tilescope", "client");
  mkdirSync(installed, { recursive: true });
  execFileSync(TSC, ["-p", "client/tsconfig.types.json", "--outDir", join(installed, "types")], { cwd: VIEWER });
  execFileSync(process.execPath, ["scripts/write-client-package.mjs", installed], { cwd: VIEWER });
  writeFileSync(join(folder, "package.json"), '{"type": "module"}');
  copyFileSync(join(VIEWER, "client", "stranger", "page.ts"), join(folder, "page.ts"));
}, BUILDING_MS);

afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ["a bundler", ["--module", "esnext", "--moduleResolution", "bundler"]],
  ["Node", ["--module", "nodenext"]],
])(
  "a stranger's page is well typed by the declarations that are shipped, as %s finds them",
  (_, options) => {
    expect(check("page.ts", ...options)).toBe("");
  },
  BUILDING_MS,
);

test(
  "and a wrong one is not",
  () => {
    const wrong = 'import { Api } from "@tilescope/client";\nconst run: number = (await new Api().runs())[0];\n';
    writeFileSync(join(folder, "wrong.ts"), `${wrong}export { run };\n`);
    expect(check("wrong.ts", "--module", "nodenext")).toContain("TS2322");
  },
  BUILDING_MS,
);
