/** Range of a page's figures: as a part of a question, and in words. */

import { formatDuration, type Manifest, plus, type TickRange, type ToolQuestion } from "@tilescope/client";
import { type PageRange, type PageTexts, type RangeKind, sharedTexts, WHOLE_RUN } from "../state/page";
import type { Page } from "./contract";

/** Reason why a kind of range changes nothing on a page; empty where it does. */
export function whyNoEffect({ title, ranges }: Pick<Page, "title" | "ranges">, kind: RangeKind): string {
  if (ranges.has(kind)) {
    return "";
  }
  return ranges.has("selection")
    ? `${title} takes a selection in the timeline, not steps`
    : `${title} is always about the whole run`;
}

/** The range that the figures of a page are of: one that the page does not take is kept for other pages. */
export function rangeOn({ ranges }: Pick<Page, "ranges">, range: PageRange): PageRange {
  return ranges.has(range.kind) ? range : WHOLE_RUN;
}

/** Subject of a page; or the reason why there is none, and what to do about it. */
export type Looked =
  | { readonly isThere: true; readonly question: ToolQuestion; readonly text: string }
  | { readonly isThere: false; readonly title: string; readonly reason: string };

/** `selected`: the range of the timeline's selection, where there is one. */
export function lookedAt(
  range: PageRange,
  manifest: Pick<Manifest, "range" | "time" | "steps" | "empty">,
  selected: TickRange | null,
  texts: PageTexts = {},
): Looked {
  const { tickPs } = manifest.time;
  switch (range.kind) {
    case "run": {
      const { startTicks, endTicks } = manifest.range;
      // A saved page has no time of its own.
      const text = manifest.empty
        ? "what the file has"
        : `the whole run, ${formatDuration(endTicks - startTicks, tickPs)}`;
      return { isThere: true, question: {}, text };
    }
    case "selection": {
      if (selected === null) {
        return {
          isThere: false,
          title: "Nothing is selected in the timeline",
          reason: "Drag over the timeline to select a time range, or click a slice; or look at the whole run.",
        };
      }
      const { startTicks, endTicks } = selected;
      const text = `${formatDuration(endTicks - startTicks, tickPs)} that are selected in the timeline`;
      // An instant is as long as nothing; a span has to have a tick for it to be in.
      const end = endTicks > startTicks ? endTicks : plus(startTicks, 1n);
      return { isThere: true, question: { start: startTicks, end }, text };
    }
    case "steps": {
      if (!hasSteps(manifest, texts)) {
        return {
          isThere: false,
          title: "This trace marks no steps",
          reason:
            "Record with step markers (jax.profiler.StepTraceAnnotation, torch.profiler's step()), or look at the whole run.",
        };
      }
      const { first, last } = range;
      const steps = first === last ? `${first}` : `${first}-${last}`;
      return {
        isThere: true,
        question: { steps, ...sharedTexts(texts) },
        text: stepsText(range),
      };
    }
  }
}

/** `step 5`, `steps 5 to 9`. */
export function stepsText({ first, last }: Extract<PageRange, { kind: "steps" }>): string {
  return first === last ? `step ${first}` : `steps ${first} to ${last}`;
}

/** True if a page can look at steps: the trace marks some, or the page says what steps are called. */
export function hasSteps(manifest: Pick<Manifest, "steps">, texts: PageTexts): boolean {
  return manifest.steps !== null || (texts.step_name ?? "") !== "";
}
