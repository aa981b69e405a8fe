/**
 * Hits in the order in which they are drawn. The server has them in the order of the times that were recorded, which is another one where
 * clocks of hosts are shifted: so the tracks of each shift are asked by themselves. All places here are as they are drawn.
 */

import { type ToolAnswer, type ToolQuestion, ticks } from "@tilescope/client";
import type { ClockGroup } from "./clock-groups";
import {
  beyond,
  compareHits,
  type FoundHit,
  type HitPlace,
  HitRun,
  hitsOf,
  rankOf,
  rankQuestions,
  type WalkDirection,
} from "./hit-walk";

type Ask = (question: ToolQuestion) => Promise<ToolAnswer>;

/** Tracks whose clocks are shifted alike. */
class HitClock {
  readonly #laterTicks: bigint;
  readonly #tracks: string | undefined;
  readonly #run = new HitRun();

  constructor({ laterTicks, tracks }: ClockGroup) {
    this.#laterTicks = laterTicks;
    this.#tracks = tracks;
  }

  forget(): void {
    this.#run.forget();
  }

  /** The first hit beyond a place, null where there is none; of those that follow some are kept. */
  async look(ask: Ask, query: string, from: HitPlace | null, direction: WalkDirection): Promise<FoundHit | null> {
    const kept = this.#run.beyond(from, direction);
    if (kept !== undefined) {
      return kept;
    }
    let place = from === null ? null : this.#later(from, -this.#laterTicks);
    if (place !== null && place.startTicks < 0n) {
      if (direction === "previous") {
        return null;
      }
      place = null;
    }
    for (;;) {
      const question = { ...beyond(query, place, direction), tracks: this.#tracks };
      const { hits, more } = hitsOf(await ask(question));
      // Of arguments a part is looked at with each question.
      if (hits.length > 0 || more === null) {
        const drawn = hits.map((hit) => this.#later(hit, this.#laterTicks));
        this.#run.add(from, direction, drawn, more === null);
        return drawn[0] ?? null;
      }
      place = more;
    }
  }

  /** Number of hits up to a place; null where too many start together. */
  async rank(ask: Ask, query: string, drawn: HitPlace): Promise<number | null> {
    const place = this.#later(drawn, -this.#laterTicks);
    if (place.startTicks < 0n) {
      return 0;
    }
    const questions = rankQuestions(query, place).map((question) => ask({ ...question, tracks: this.#tracks }));
    const [until, later] = await Promise.all(questions);
    return rankOf(until!, later!);
  }

  #later<Place extends HitPlace>(place: Place, laterTicks: bigint): Place {
    return { ...place, startTicks: ticks(place.startTicks + laterTicks) };
  }
}

/** All clocks of a run. */
export class HitClocks {
  readonly #clocks: readonly HitClock[];

  constructor(groups: readonly ClockGroup[]) {
    this.#clocks = groups.map((group) => new HitClock(group));
  }

  /** Has all hits asked for again. */
  forget(): void {
    for (const clock of this.#clocks) {
      clock.forget();
    }
  }

  /** The first hit beyond a place, of all clocks; undefined where there is none. */
  async look(ask: Ask, query: string, from: HitPlace | null, direction: WalkDirection): Promise<FoundHit | undefined> {
    const firsts = await Promise.all(this.#clocks.map((clock) => clock.look(ask, query, from, direction)));
    const sign = direction === "next" ? 1 : -1;
    return firsts.filter((hit) => hit !== null).toSorted((a, b) => sign * compareHits(a, b))[0];
  }

  /** The number of a hit among all, from 1 on; null where too many start together. */
  async rank(ask: Ask, query: string, hit: HitPlace): Promise<number | null> {
    const ranks = await Promise.all(this.#clocks.map((clock) => clock.rank(ask, query, hit)));
    return ranks.reduce((sum, rank) => (sum === null || rank === null ? null : sum + rank), 0);
  }
}
