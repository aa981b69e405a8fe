/**
 * Answers that the server has sent with the page, so that they need not be asked for: each is good for one question, those on tiles of a
 * build, which never change, for all.
 */

import type { Fetch } from "@tilescope/client";

/** By their paths below `/api/v1`, as the page has them: JSON, or bytes as a base64 text. */
type Answers = Readonly<Record<string, unknown>>;

/** The timeline, the minimap and the search for the first view read the same tiles. */
const TILES = /\/builds\/[^/]+\/(?:shapes|pages)\//;

/** Browsers have it since 2025. */
type FromBase64 = (text: string) => Uint8Array<ArrayBuffer>;

const { fromBase64 } = Uint8Array as unknown as { readonly fromBase64?: FromBase64 };

/** Answers in an element. Without it, as behind a server of another version, everything is asked for. */
function answersOf(element: Element | null): Map<string, unknown> {
  return new Map(element === null ? [] : Object.entries(JSON.parse(element.textContent) as Answers));
}

/** Its content is there at once: that of a true response is read in turns, and the page would be painted without it first. */
function responseOf(answer: unknown): Response {
  const read = { json: async () => answer, arrayBuffer: async () => fromBase64?.(String(answer)).buffer };
  return Object.assign(new Response(null), read);
}

/** The same as `fetcher`, but for what the page has brought. */
export function afterFirstAnswers(
  fetcher: Fetch,
  element: Element | null = document.getElementById("first-answers"),
): Fetch {
  const answers = answersOf(element);
  return (input, init) => {
    const [, path = ""] = input.split("/api/v1", 2);
    const answer = answers.get(path);
    const isReadable = answer !== undefined && (typeof answer !== "string" || fromBase64 !== undefined);
    if (!isReadable || (init?.method ?? "GET") !== "GET") {
      return fetcher(input, init);
    }
    if (!TILES.test(path)) {
      answers.delete(path);
    }
    return Promise.resolve(responseOf(answer));
  };
}
