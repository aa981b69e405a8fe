/** Nesting of the selected slice: its self time, the slices around it and those directly in it. */

import { signal } from "@preact/signals";
import { questionQuery, type ToolAnswer, type ToolQuestion, ticks } from "@tilescope/client";
import { perPane } from "./per-pane";
import { questionKey } from "./question-key";
import { Requester, type RequestState } from "./request-state";
import type { Trace } from "./trace";

/** A slice by the names that it has in its build. */
interface Slice {
  readonly track: number;
  readonly ordinal: bigint;
}

type AskedTrace = Pick<Trace, "manifest" | "api">;

/** A slice around another, or in it. */
export interface Relative {
  readonly track: number;
  readonly ordinal: number;
  readonly name: string;
  readonly startTicks: bigint;
  readonly durationTicks: bigint;
}

/** A launch of the slice, with the innermost slice and the innermost frame of Python around it. */
export interface Launch {
  readonly launch: Relative;
  readonly around: NamedSlice | null;
  readonly frame: NamedSlice | null;
}

export interface NamedSlice {
  readonly track: number;
  readonly ordinal: number;
  readonly name: string;
}

/** A call that waited for devices while the slice ended. */
export interface Wait extends Relative {
  /** So much later than the slice it ended. */
  readonly afterTicks: bigint;
}

/** Work of devices whose launches are the slice or lie in it. */
export interface LaunchedWork {
  readonly count: bigint;
  /** Durations of all of it, added up. */
  readonly ticks: bigint;
  /** The first by start. */
  readonly listed: readonly Relative[];
}

export interface Nesting {
  readonly selfTicks: bigint;
  readonly depth: number;
  /** All slices directly in it, however many are listed. */
  readonly childCount: bigint;
  /** The nearest first. */
  readonly parents: readonly Relative[];
  /** Frames of Python that called the outermost of these, by their ids, the nearest first: on any thread. */
  readonly callers: readonly Relative[];
  readonly children: readonly Relative[];
  readonly launches: readonly Launch[];
  readonly waits: readonly Wait[];
  /** Null: too many launches lie in it. */
  readonly launched: LaunchedWork | null;
  /** Sentences about launches and threads that are left out. */
  readonly notes: readonly string[];
  /** The list to which the children belong. */
  readonly list: ChildList;
  /** Key of the next page of a list by time; null at its end. */
  readonly more: string | null;
}

export type ChildOrder = "longest" | "time";

/** Order and page of the listed children. `pages`: by time, where each page after the first begins. */
export interface ChildList {
  readonly order: ChildOrder;
  readonly limit: number;
  readonly pages: readonly string[];
}

export const CHILDREN_AT_FIRST = 12;
const CHILDREN_OF_PAGE = 100;
const CHILDREN_AT_MOST = 1000;

/** Nesting of the selected slice of each pane. */
export const nestingView = perPane(() => signal<RequestState<Nesting>>({ kind: "none" }));

/** So many lists are at hand again at once. */
const KEPT = 100;

const TOOL = "nesting";

/** Asks for one slice after another, in one revision of a build after another. */
export class NestingLoader {
  readonly #requester: Requester<Nesting>;

  /** `state`: where others see how it stands; each loader has one of its own. */
  constructor(state = signal<RequestState<Nesting>>({ kind: "none" })) {
    this.#requester = new Requester(KEPT, state);
  }

  async load({ manifest, api }: AskedTrace, slice: Slice, list: ChildList): Promise<void> {
    const question = questionOf(slice, list);
    await this.#requester.want(questionKey(manifest, TOOL, question), async (abort) =>
      parseNesting(await api.ask(TOOL, question, abort), list),
    );
  }

  /** State of a list of a slice; another list of the same slice, or one of a revision before, is stale. */
  about({ manifest }: AskedTrace, slice: Slice, list: ChildList): RequestState<Nesting> {
    const state = this.#requester.about(questionKey(manifest, TOOL, questionOf(slice, list)));
    const isOther = state.kind === "waiting" && state.stale !== null && !isOfSlice(state.stale.key, slice);
    return isOther ? { ...state, stale: null } : state;
  }

  /** Asks once more for the list that was loaded last. */
  again(): void {
    void this.#requester.again();
  }

  close(): void {
    this.#requester.clear();
  }
}

function questionOf({ track, ordinal }: Slice, list: ChildList): ToolQuestion {
  return { track, ordinal, limit: list.limit, order: list.order, after: list.pages.at(-1) };
}

/** True if a question is about a slice, whichever of its children are listed, and in whichever build. */
function isOfSlice(key: string, { track, ordinal }: Slice): boolean {
  return key.includes(` ${TOOL}?${questionQuery({ track, ordinal })}&`);
}

/** Nesting of a slice in a build as far as it has grown, whichever of its children are listed; null: unknown. */
export function nestingOf(
  state: RequestState<Nesting>,
  { manifest }: Pick<AskedTrace, "manifest">,
  { track, ordinal }: Slice,
): Nesting | null {
  const isOfIt =
    state.kind === "answered" && state.key.startsWith(`${questionKey(manifest, TOOL, { track, ordinal })}&`);
  return isOfIt ? state.answer : null;
}

/** The list as it is at first. */
export function firstChildren(order: ChildOrder): ChildList {
  return { order, limit: CHILDREN_AT_FIRST, pages: [] };
}

/** More of the longest, or the next page by time; null where there is no more. */
export function moreChildren({ list, childCount, children, more }: Nesting): ChildList | null {
  if (list.order === "time") {
    return more === null ? null : { ...list, limit: CHILDREN_OF_PAGE, pages: [...list.pages, more] };
  }
  if (children.length >= Number(childCount) || list.limit >= CHILDREN_AT_MOST) {
    return null;
  }
  return { ...list, limit: list.limit < CHILDREN_OF_PAGE ? CHILDREN_OF_PAGE : CHILDREN_AT_MOST };
}

/** The page before, by time; null on the first. */
export function fewerChildren(list: ChildList): ChildList | null {
  if (list.pages.length === 0) {
    return null;
  }
  const pages = list.pages.slice(0, -1);
  return { ...list, pages, limit: pages.length === 0 ? CHILDREN_AT_FIRST : CHILDREN_OF_PAGE };
}

/** Number of children before the first that is listed. */
export function childrenBefore({ pages }: ChildList): number {
  return pages.length === 0 ? 0 : CHILDREN_AT_FIRST + (pages.length - 1) * CHILDREN_OF_PAGE;
}

/** Nesting in the tool's answer. Throws if the answer is something else. */
export function parseNesting(answer: ToolAnswer, list: ChildList): Nesting {
  const fact = (id: string) => String(answer.facts.find((entry) => entry.id === id)?.value ?? "");
  const launchedCount = fact("launched");
  const columnOf = (id: string, name: string) =>
    table(answer, id).columns.find((candidate) => candidate.id === name)?.values ?? [];
  const events = (id: string, event: string, name: string): readonly (NamedSlice | null)[] => {
    const names = columnOf(id, name);
    return columnOf(id, event).map((value, k) => {
      const [track, ordinal] = String(value).split(".").map(Number);
      return value === null ? null : { track: track!, ordinal: ordinal!, name: String(names[k]) };
    });
  };
  const relatives = (id: string): readonly Relative[] => {
    const [starts, durations] = ["start", "duration"].map((name) => columnOf(id, name));
    return events(id, "event", "name").map((event, k) => ({
      ...event!,
      startTicks: ticks(String(starts![k])),
      durationTicks: ticks(String(durations![k])),
    }));
  };
  const around = events("launches", "around", "around_name");
  const frames = events("launches", "frame", "frame_name");
  const after = columnOf("waits", "after");
  return {
    selfTicks: BigInt(fact("self")),
    depth: Number(fact("row")),
    childCount: BigInt(fact("children")),
    parents: relatives("parents"),
    callers: relatives("callers"),
    children: relatives("children"),
    launches: relatives("launches").map((launch, k) => ({ launch, around: around[k]!, frame: frames[k]! })),
    waits: relatives("waits").map((wait, k) => ({ ...wait, afterTicks: BigInt(String(after[k])) })),
    launched:
      launchedCount === ""
        ? null
        : { count: BigInt(launchedCount), ticks: BigInt(fact("launched_time")), listed: relatives("launched") },
    notes: answer.notes.map(({ text }) => text),
    list,
    more: table(answer, "children").more ?? null,
  };
}

function table(answer: ToolAnswer, id: string): ToolAnswer["tables"][number] {
  const match = answer.tables.find((candidate) => candidate.id === id);
  if (match === undefined) {
    throw new Error(`the server's answer has no table of ${id}`);
  }
  return match;
}
