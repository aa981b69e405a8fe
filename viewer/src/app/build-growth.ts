/** News of a build while it grows: blocks that are built, and facts that tiles add to their tracks. */

import type { Pane } from "../state/pane";
import type { RootTileFacts } from "../state/root-tile-facts";
import type { Session } from "../state/session";
import { withRootTileFacts } from "../state/trace";

/** Facts of tracks arrive tile by tile; the tree is made anew at most this often. */
const APPLY_MS = 60;

export class BuildGrowth {
  readonly #pane: Pane;
  /** Also blocks that were told of before their build was shown. */
  #built: { readonly build: string; readonly blocks: Set<number> } | null = null;
  #facts: Map<number, RootTileFacts> | null = null;

  constructor(pane: Pane) {
    this.#pane = pane;
  }

  blocksBuilt(build: string, blocks: readonly number[]): void {
    if (this.#built?.build !== build) {
      this.#built = { build, blocks: new Set() };
    }
    for (const block of blocks) {
      this.#built.blocks.add(block);
    }
    this.#pane.session.peek()?.built(build, blocks);
  }

  /** Tells a session all that was heard of its build. */
  catchUp(current: Session): void {
    if (this.#built?.build === current.trace.manifest.build) {
      current.built(this.#built.build, [...this.#built.blocks]);
    }
  }

  /** Takes what tiles tell of their tracks into the tree, several tiles at a time. */
  addFacts(facts: ReadonlyMap<number, RootTileFacts>): void {
    const isFirst = this.#facts === null;
    this.#facts = new Map([...(this.#facts ?? []), ...facts]);
    if (isFirst) {
      setTimeout(() => this.#applyFacts(), APPLY_MS);
    }
  }

  #applyFacts(): void {
    const facts = this.#facts;
    this.#facts = null;
    const shown = this.#pane.runView.peek();
    if (facts !== null && shown.kind === "open" && shown.trace.manifest.state === "indexing") {
      this.#pane.runView.value = { kind: "open", trace: withRootTileFacts(shown.trace, facts) };
    }
  }
}
