/** The page that a run without a timeline opens with: files that are no traces have one of ours in its place. */

import type { Attachment } from "@tilescope/client";

const PAGE_OF_FORMAT: Readonly<Record<string, string>> = {
  ascend_table: "tables",
  cloud_tpu: "imported",
  tf_graph: "model_graph",
};

/** Tools that show a saved page as they show a trace, by the name of its attachment. */
const TOOL_OF_SAVED: Readonly<Record<string, string>> = {
  "page/input_pipeline": "input_pipeline",
  "page/memory_viewer": "memory_viewer",
  "page/op_profile": "op_profile",
  "page/overview_page": "overview",
  "page/pod_viewer": "pod",
};

/** True for formats whose runs have a page in place of a timeline. */
export function hasPage(format: string): boolean {
  return PAGE_OF_FORMAT[format] !== undefined;
}

/** The page of a run; the one that shows any saved page where `attachments` has none of a page of our own. */
export function pageOfRun(format: string, attachments: readonly Pick<Attachment, "name">[]): string | null {
  // A second page of a kind has a number behind a tilde.
  const own = attachments.map(({ name }) => TOOL_OF_SAVED[name.replace(/~.*$/, "")]).find((tool) => tool !== undefined);
  return own ?? PAGE_OF_FORMAT[format] ?? null;
}
