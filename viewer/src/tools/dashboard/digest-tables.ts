/** Digests of other tools within an answer: tables whose ids begin with `digest.`, and end with that of the tool. Pure. */

import type { ToolAnswer, ToolTable } from "@tilescope/client";
import type { PageTexts } from "../contract";

const PREFIX = "digest.";

export interface Digest {
  /** Id of the tool whose page has more of it. */
  readonly tool: string;
  readonly table: ToolTable;
}

/** The digests of an answer, and the answer without them. */
export function splitDigests(answer: ToolAnswer): { readonly digests: readonly Digest[]; readonly rest: ToolAnswer } {
  const isDigest = ({ id }: ToolTable) => id.startsWith(PREFIX);
  const digests = answer.tables.filter(isDigest).map((table) => ({ tool: table.id.slice(PREFIX.length), table }));
  return { digests, rest: { ...answer, tables: answer.tables.filter((table) => !isDigest(table)) } };
}

/** Fields with which the page of its tool shows what a digest does: the streams, not the names on all tracks. */
export function digestTexts({ tool, table }: Digest): PageTexts {
  const tracks = table.columns.find(({ id }) => id === "track")?.values ?? [];
  return tool === "stats" ? { by: "track", tracks: tracks.join(",") } : {};
}
