/** A name in a cell that is too narrow for it: what gives way is what tells least. All of it stays in the page, to be read and copied. */

import type { ComponentChildren } from "preact";
import { stemOf } from "../raster/reading";

/** Mean width of a letter of a name. */
const LETTER_PX = 7;
/** Characters at the end that tell a name from its like. */
const END = 10;
/** Shorter texts are cut at their end. */
const LEAST_CUT = 16;

/** The parts of a name: of `start` little stays in sight, of `end` all, and of the rest as much as there is room for. */
export function partsOf(
  text: string,
  roomPx: number,
): { readonly start: string; readonly rest: string; readonly end: string } {
  if (text.length < LEAST_CUT || text.length * LETTER_PX <= roomPx) {
    return { start: "", rest: text, end: "" };
  }
  const place = text.lastIndexOf(stemOf(text));
  if (/[>)]$/.test(text)) {
    // Of a signature the function: what it returns and its namespaces come before, its types behind.
    return { start: text.slice(0, Math.max(0, place)), rest: text.slice(Math.max(0, place)), end: "" };
  }
  const characters = [...text];
  return { start: "", rest: characters.slice(0, -END).join(""), end: characters.slice(-END).join("") };
}

export function cutName(text: string, roomPx: number): ComponentChildren {
  const { start, rest, end } = partsOf(text, roomPx);
  return start === "" && end === "" ? (
    text
  ) : (
    <>
      {start !== "" && <Start text={start} />}
      <span class={end === "" ? undefined : "name-rest"}>{rest}</span>
      {end !== "" && <span class="name-end">{end}</span>}
    </>
  );
}

/** Beginning of a function: its type, of which `void` is there for copies alone, and its namespaces. */
function Start({ text }: { readonly text: string }) {
  const returned = /^void (?=\w|$)/.exec(text)?.[0] ?? "";
  const namespaces = text.slice(returned.length);
  return (
    <>
      {returned !== "" && <span class="name-void">{returned}</span>}
      {namespaces !== "" && <span class="name-start">{namespaces}</span>}
    </>
  );
}
