/** What is heard of a build while it grows: blocks that can be had, and what tiles tell of their tracks. */

import type { LearntFacts } from "../state/learnt";
import { runView } from "../state/run";
import { type Session, session } from "../state/session";
import { withLearnt } from "../state/trace";

/** Tracks are learnt of tile by tile; the tree is made anew at most so often. */
const LEARN_MS = 60;

export class Growing {
  /** Also blocks that were told of before their build was shown. */
  #built: { readonly build: string; readonly blocks: Set<number> } | null = null;
  #learnt: Map<number, LearntFacts> | null = null;

  blocksBuilt(build: string, blocks: readonly number[]): void {
    if (this.#built?.build !== build) {
      this.#built = { build, blocks: new Set() };
    }
    for (const block of blocks) {
      this.#built.blocks.add(block);
    }
    session.peek()?.built(build, blocks);
  }

  /** Tells a session all that was heard of its build. */
  catchUp(current: Session): void {
    if (this.#built?.build === current.trace.manifest.build) {
      current.built(this.#built.build, [...this.#built.blocks]);
    }
  }

  /** Takes what tiles tell of their tracks into the tree, several tiles at a time. */
  learnt(facts: ReadonlyMap<number, LearntFacts>): void {
    const isFirst = this.#learnt === null;
    this.#learnt = new Map([...(this.#learnt ?? []), ...facts]);
    if (isFirst) {
      setTimeout(() => this.#takeLearnt(), LEARN_MS);
    }
  }

  #takeLearnt(): void {
    const learnt = this.#learnt;
    this.#learnt = null;
    const shown = runView.peek();
    if (learnt !== null && shown.kind === "open" && shown.trace.manifest.state === "indexing") {
      runView.value = { kind: "open", trace: withLearnt(shown.trace, learnt) };
    }
  }
}
