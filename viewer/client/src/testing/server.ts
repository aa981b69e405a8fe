/** A real `tilescope serve` for integration tests, where one is installed. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

const ROOT = join(import.meta.dirname, "../../../..");

/** The installed command, or null. */
export function serverCommand(): string | null {
  const command = process.env.TILESCOPE_COMMAND ?? join(ROOT, ".venv/bin/tilescope");
  return existsSync(command) ? command : null;
}

/** A file of the corpus of real traces, or null where the corpus is absent. */
export function corpusPath(name: string): string | null {
  const path = join(process.env.TILESCOPE_CORPUS ?? join(ROOT, "../shared/corpus"), name);
  return existsSync(path) ? path : null;
}

/** Stand-ins for real traces, written anew into a folder: from their names to their paths. */
export function writeStandins(command: string, folder: string): Map<string, string> {
  const python = join(dirname(command), "python");
  const written = execFileSync(python, ["-m", "tests.standins", folder], { cwd: ROOT, encoding: "utf8" });
  return new Map(
    written
      .trim()
      .split("\n")
      .map((path) => [basename(path), path]),
  );
}

export class TestServer {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #cache: string;

  constructor(url: string, child: ChildProcess, cache: string) {
    this.url = url;
    this.#child = child;
    this.#cache = cache;
  }

  /** Serves traces from an empty cache; resolves when the server has printed its address. */
  static start(command: string, paths: readonly string[]): Promise<TestServer> {
    const cache = mkdtempSync(join(tmpdir(), "tilescope-viewer-"));
    const child = spawn(command, ["serve", ...paths, "--port", "0", "--cache-dir", cache], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    return new Promise((resolve, reject) => {
      let output = "";
      const read = (chunk: Buffer): void => {
        output += chunk.toString();
        const url = /http:\/\/[\w.:[\]-]+/.exec(output);
        if (url !== null) {
          resolve(new TestServer(url[0], child, cache));
        }
      };
      child.stdout.on("data", read);
      child.stderr.on("data", read);
      child.on("exit", (code) => reject(new Error(`the server ended with ${code}: ${output}`)));
    });
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGTERM");
    await ended;
    rmSync(this.#cache, { recursive: true, force: true });
  }
}
