/** Questions to tools: docs/tools.md says what each takes. */

/** Fields of a question: ticks as bigint, tracks as numbers. What is undefined is left out. */
export type ToolQuestion = Readonly<Record<string, string | number | bigint | readonly number[] | undefined>>;

/** A question as the query of a URL, without its question mark. */
export function questionQuery(question: ToolQuestion): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(question)) {
    if (value !== undefined) {
      query.set(name, Array.isArray(value) ? value.join(",") : String(value));
    }
  }
  return query.toString();
}
