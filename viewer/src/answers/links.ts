/** Input of what draws an answer: the answer, and the ways from it into the timeline. */

import type { TickRange, TimeBase, ToolAnswer, ToolEntry, ToolTable } from "@tilescope/client";
import type { ComponentType } from "preact";
import type { PageTexts } from "../state/page";
import type { Narrower } from "./narrower";
import type { ComparedSteps } from "./step-comparison";

/** The ways from a figure into the timeline, and what is needed to write it. */
export interface Links {
  readonly time: TimeBase;
  /** The name of a track and of the groups that it is in, from the outside in; empty where there is no such track. */
  trackPath(track: number): readonly string[];
  /** Leads to the timeline: to a span of time, to a track, or to both, and searches for something. Back returns to the page. */
  goTo(span: TickRange | null, track: number | null, query?: string): void;
  /** Leads to the timeline with this event selected, and to a span of time around it. Back returns to the page. */
  goToEvent(track: number, ordinal: number, span?: TickRange | null): void;
  /** Leads to the timeline with two steps in two panes; left out where there is none. Back returns to the page. */
  readonly showSteps?: (first: bigint, second: bigint) => void;
  /** Choice of steps for the page; left out where it cannot look at some of them. */
  readonly steps?: StepChoice | null;
  /** Steps that the page compares; left out where it compares none. */
  readonly comparison?: StepComparison | null;
  /** Narrower questions of the page; left out where its question has no fields. */
  readonly narrower?: Narrower | null;
  /** Ways from the rows of a table beside those of its columns; left out where there is none. */
  beside?(table: ToolTable): readonly RowWay[];
  /** The page of a tool of that id, for the same range and with these fields; null where there is none, or none can be opened from here. */
  toolPage?(id: string, texts?: PageTexts): { readonly title: string; open(): void } | null;
}

/** Steps by their numbers, both ends included. */
export interface StepSpan {
  readonly first: bigint;
  readonly last: bigint;
}

/** Steps of a run that a page looks at. */
export interface StepChoice {
  /** Null: at no steps in particular. */
  readonly chosen: StepSpan | null;
  /** Looks at these alone. Back returns to what was looked at before. */
  choose(steps: StepSpan): void;
  /** Looks at the whole run again. */
  clear(): void;
}

/** Steps of a run that a page compares. */
export interface StepComparison {
  /** Null: none. */
  readonly compared: ComparedSteps | null;
  /** Compares these, or none. Back returns to those before. */
  compare(steps: ComparedSteps | null): void;
}

/** A row of a table of an answer. */
export interface RowOfTable {
  readonly table: string;
  readonly row: number;
}

/** Input of what draws an answer: the tool that gave it, the answer, and the ways into the timeline. */
export interface AnswerProps {
  readonly tool: Pick<ToolEntry, "id" | "title" | "help">;
  readonly answer: ToolAnswer;
  readonly links: Links;
  /** The range that the figures are of, in words: "steps 5-9", "1.2 ms that are selected", "the whole run". */
  readonly rangeText: string;
  /** Asks for the rows that follow in a table that has `more`; null where the tool takes no `after`. */
  readonly onMore: ((more: string) => void) | null;
  /** On a page of its own: all of a row beside its table. */
  readonly isOwn?: boolean;
  /** Tables that are shown with their pictures at first: all trees, or the first of an answer that has no chart. */
  readonly pictures?: "trees" | "first";
  /** Rows that the pointer is over, or that keys have gone to. */
  readonly onPointed?: (row: RowOfTable) => void;
  /** A row that somebody asked for elsewhere on the page; another object asks anew. */
  readonly wanted?: RowOfTable | null;
}

/** A way from a row into the timeline, beside those that its columns lead. */
export interface RowWay {
  readonly label: string;
  readonly icon: ComponentType;
  /** True if a row leads there; left out where each does. */
  leads?(row: number): boolean;
  go(row: number): void;
}

/** Further actions for the rows of a table. */
export interface RowActions {
  /** Enter goes the first of them, shift+Enter the second. Empty: those that the columns lead. */
  readonly ways: readonly RowWay[];
  /** True if the events of a row stand out in the timeline. */
  isLit(row: number): boolean;
  /** Has them stand out; null: none. */
  light(row: number | null): void;
}
