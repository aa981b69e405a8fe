/**
 * Derived lanes of the opened run: what tools of the server have to draw with its tracks. They are asked for when a lane is drawn or
 * somebody looks for lanes, and counted nowhere.
 */

import { signal } from "@preact/signals";
import type { ToolAnswer } from "@tilescope/client";
import type { LaneHeights } from "./layout";
import { questionKey } from "./question-key";
import { Requester, type RequestState } from "./request-state";
import type { Trace } from "./trace";

export interface DerivedLane {
  /** As links name it. */
  readonly id: string;
  readonly title: string;
  readonly kind: "counter" | "slices";
  /** Kind of a counter's values, as of columns. */
  readonly figure: string;
  readonly rows: number;
  readonly track: number;
  /** Tracks with the events that make it. */
  readonly makers: readonly number[];
}

const COUNTER_LANE_PX = 46;
const SLICE_ROW_PX = 22;

export class LaneLoader {
  readonly request = signal<RequestState<readonly DerivedLane[]>>({ kind: "none" });
  /** Lanes that are known; those of a build before it has grown, until they are known anew. */
  readonly list = signal<readonly DerivedLane[]>([]);
  /** Reasons for which lanes of tools are missing, in sentences. */
  readonly notes = signal<readonly string[]>([]);
  readonly #requester = new Requester<readonly DerivedLane[]>(0, this.request);
  #run: string | null = null;

  /** Asks for the lanes of a build, once; again when it has grown, or when that failed in a way that may pass. */
  async want({ manifest, api }: Pick<Trace, "manifest" | "api">): Promise<void> {
    const run = `${manifest.run} ${manifest.build}`;
    if (run !== this.#run) {
      this.#run = run;
      [this.list.value, this.notes.value] = [[], []];
    }
    await this.#requester.want(questionKey(manifest, "lanes", {}), async (abort) => {
      const answer = await api.ask("lanes", {}, abort);
      this.notes.value = answer.notes.filter(({ severity }) => severity === "warning").map(({ text }) => text);
      return lanesOf(answer);
    });
    const state = this.request.peek();
    if (state.kind === "answered" && run === this.#run) {
      this.list.value = state.answer;
    }
  }
}

export function laneState() {
  const laneLoader = new LaneLoader();
  /** Ids of lanes on the screen whose figures for the view are on their way. */
  const waitingLanes = signal<ReadonlySet<string>>(new Set());
  return {
    waitingLanes,
    laneLoader,
    laneRequest: laneLoader.request,
    laneList: laneLoader.list,
    laneNotes: laneLoader.notes,
  };
}

export type LaneState = ReturnType<typeof laneState>;

export function lanesOf(answer: ToolAnswer): readonly DerivedLane[] {
  const table = answer.tables.find(({ id }) => id === "lanes");
  const values = (id: string) => table?.columns.find((column) => column.id === id)?.values ?? [];
  const [titles, kinds, figures] = [values("title"), values("kind"), values("figure")];
  const [rows, tracks, makers] = [values("rows"), values("track"), values("makers")];
  return values("lane").map((id, row) => ({
    id: String(id),
    title: String(titles[row]),
    kind: kinds[row] === "slices" ? "slices" : "counter",
    figure: String(figures[row]),
    rows: Number(rows[row]),
    track: Number(tracks[row]),
    makers: String(makers[row]).split(",").filter(Boolean).map(Number),
  }));
}

/** The lane with a title; else one that names its host as well, as titles do where the run has several. */
export function laneByTitle(lanes: readonly DerivedLane[], title: string): DerivedLane | undefined {
  const [word, ...name] = title.split(" ");
  return (
    lanes.find((lane) => lane.title === title) ??
    lanes.find((lane) => lane.title.startsWith(`${word} `) && lane.title.endsWith(` · ${name.join(" ")}`))
  );
}

export function laneHeightPx({ kind, rows }: DerivedLane): number {
  return kind === "counter" ? COUNTER_LANE_PX : Math.max(1, rows) * SLICE_ROW_PX + 2;
}

/** A lane with its outermost rows alone: the server knows it by `overlap.scopes-2:3`. */
export function withRows(lane: DerivedLane, rows: number): DerivedLane {
  return rows < lane.rows ? { ...lane, id: `${lane.id}:${rows}`, rows } : lane;
}

/** A lane as it was chosen, with fewer rows perhaps; undefined: it was not. */
export function chosenLane(lane: DerivedLane, chosen: readonly string[]): DerivedLane | undefined {
  const id = chosen.find((candidate) => candidate.split(":")[0] === lane.id);
  return id === undefined ? undefined : withRows(lane, Number(id.split(":")[1] ?? lane.rows));
}

/** The chosen ones of some lanes, in the order in which they were chosen. */
export function lanesByTrack(
  lanes: readonly DerivedLane[],
  chosen: readonly string[],
): ReadonlyMap<number, readonly DerivedLane[]> {
  const byTrack = new Map<number, DerivedLane[]>();
  for (const id of chosen) {
    const whole = lanes.find((candidate) => candidate.id === id.split(":")[0]);
    const lane = whole && chosenLane(whole, [id]);
    if (lane !== undefined) {
      byTrack.set(lane.track, [...(byTrack.get(lane.track) ?? []), lane]);
    }
  }
  return byTrack;
}

export function heightsOf(lanes: ReadonlyMap<number, readonly DerivedLane[]>): LaneHeights {
  return new Map([...lanes].map(([track, drawn]) => [track, drawn.reduce((sum, lane) => sum + laneHeightPx(lane), 0)]));
}
