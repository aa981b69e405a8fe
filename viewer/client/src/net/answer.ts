/** Questions to tools: docs/tools.md says what each takes. */

/** Fields of a question: ticks as bigint, tracks as numbers, steps as 5, "5-9" or [5, 9]. What is undefined is left out. */
export type ToolQuestion = Readonly<Record<string, string | number | bigint | readonly number[] | undefined>>;

/** A question as the query of a URL, without its question mark. */
export function questionQuery(question: ToolQuestion): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(question)) {
    if (value !== undefined) {
      // The first and the last step; other lists are of tracks.
      query.set(name, Array.isArray(value) ? value.join(name === "steps" ? "-" : ",") : String(value));
    }
  }
  return query.toString();
}
