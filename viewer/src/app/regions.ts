/** Regions of the page, and the way from one to the next by keys alone. Loaded late. */

import type { RegionIntent } from "../keys/table";

/** Regions, in the order of the page; those within a drawer or a table of slices are parts of it. */
const REGIONS =
  ".topbar, .page-head, .tool-bar, .chart-card, .share-ring, .tree-picture, .table-card, .timeline, .slice-table, .drawer, .runs";

/** Elements that take the focus first: the picture or the rows before the buttons above them, and of choices the one that holds. */
const MAIN = "[role=group][tabindex], .data-table, .runs-table a[href], input:checked";
const FOCUSABLE = "a[href], button:not(.skip), input, select, textarea, summary, [tabindex]:not([tabindex='-1'])";

/** Gives the focus to the region after the one that has it, or before it; from the last it leads to the first. */
export function toRegion(intent: RegionIntent): void {
  const regions = [...document.querySelectorAll<HTMLElement>(REGIONS)].filter(
    (region) => region.parentElement?.closest(REGIONS) == null && targetOf(region) !== null,
  );
  const current = regions.findIndex((region) => region.contains(document.activeElement));
  const step = intent === "next-region" ? 1 : -1;
  // Nothing that has the focus lies before the first.
  const from = current < 0 && step < 0 ? 0 : current;
  const next = regions[(from + step + regions.length) % regions.length];
  if (next !== undefined) {
    targetOf(next)?.focus();
  }
}

function targetOf(region: HTMLElement): HTMLElement | null {
  if (region.hasAttribute("tabindex")) {
    return isUsable(region) ? region : null;
  }
  const within = (selector: string) => [...region.querySelectorAll<HTMLElement>(selector)].find(isUsable);
  return within(MAIN) ?? within(FOCUSABLE) ?? null;
}

function isUsable(element: HTMLElement): boolean {
  return element.closest("[inert], :disabled") === null && element.checkVisibility({ visibilityProperty: true });
}
