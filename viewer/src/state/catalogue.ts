/** Tools of the server, and whether they have an answer for the run: asked for when somebody looks at them. */

import { signal } from "@preact/signals";
import type { ToolEntry } from "@tilescope/client";
import { type Failure, failureOf } from "./failure";
import { buildKey } from "./question-key";
import type { Trace } from "./trace";

export type Catalogue =
  | { readonly kind: "none" }
  | { readonly kind: "loading" }
  | { readonly kind: "ready"; readonly tools: readonly ToolEntry[] }
  | { readonly kind: "failed"; readonly failure: Failure };

export const catalogue = signal<Catalogue>({ kind: "none" });

export class CatalogueLoader {
  #name: string | null = null;

  /** Asks for the tools of a build, once; again when it has grown, or when that failed in a way that may pass. */
  want(trace: Pick<Trace, "manifest" | "api">): void {
    const state = catalogue.peek();
    const mayAsk = state.kind === "failed" && !state.failure.isFinal;
    if (mayAsk || buildKey(trace.manifest) !== this.#name) {
      this.#begin(trace);
    }
  }

  /** The same for a person who looks for the tools: also where they were refused. */
  look(trace: Pick<Trace, "manifest" | "api">): void {
    if (catalogue.peek().kind === "failed") {
      this.#begin(trace);
    } else {
      this.want(trace);
    }
  }

  #begin({ manifest, api }: Pick<Trace, "manifest" | "api">): void {
    const name = buildKey(manifest);
    const isOther = !this.#name?.startsWith(`${manifest.run} ${manifest.build} `);
    this.#name = name;
    // What is known of a build that has grown is shown until its tools are known anew.
    if (isOther || catalogue.peek().kind !== "ready") {
      catalogue.value = { kind: "loading" };
    }
    void this.#load(name, api);
  }

  async #load(name: string, api: Pick<Trace["api"], "tools">): Promise<void> {
    let loaded: Catalogue;
    try {
      loaded = { kind: "ready", tools: await api.tools() };
    } catch (error) {
      loaded = { kind: "failed", failure: failureOf(error) };
    }
    if (name === this.#name) {
      catalogue.value = loaded;
    }
  }
}
