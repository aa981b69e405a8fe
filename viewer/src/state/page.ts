/** The page that is shown, and the part that all pages share: the range that their figures are of. */

import { signal } from "@preact/signals";

/** Part of the run that the figures of a page are of. It travels in the address, and from page to page. */
export type PageRange =
  | { readonly kind: "run" }
  /** The selection in the timeline: an area, or a slice from its start to its end. */
  | { readonly kind: "selection" }
  | { readonly kind: "steps"; readonly first: bigint; readonly last: bigint };

export type RangeKind = PageRange["kind"];

/** A page's own part of the address, by name. */
export type PageTexts = Readonly<Record<string, string>>;

export interface PagePlace {
  /** The page's id; null is the timeline. */
  readonly tool: string | null;
  readonly range: PageRange;
  readonly texts: PageTexts;
}

export const WHOLE_RUN: PageRange = { kind: "run" };

export const TIMELINE: PagePlace = { tool: null, range: WHOLE_RUN, texts: {} };

export const page = signal<PagePlace>(TIMELINE);

/** The page that was shown last beside the timeline: where the way back leads. */
export const lastPage = signal<PagePlace | null>(null);

/** The part of a page's texts that goes with the reader to other pages: what steps are called. */
export function sharedTexts({ step_name: stepName = "" }: PageTexts): PageTexts {
  return stepName === "" ? {} : { step_name: stepName };
}

const STEPS = /^steps\.(\d{1,18})(?:-(\d{1,18}))?$/;

/** `selection`, `steps.5` or `steps.5-9`; everything else is the whole run. */
export function parsePageRange(text: string | null): PageRange {
  if (text === "selection") {
    return { kind: "selection" };
  }
  const match = STEPS.exec(text ?? "");
  if (match === null) {
    return WHOLE_RUN;
  }
  const first = BigInt(match[1]!);
  const last = BigInt(match[2] ?? match[1]!);
  return last < first ? WHOLE_RUN : { kind: "steps", first, last };
}
