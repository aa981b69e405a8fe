/** The width of text without measuring it, and text cut to a width. */

import type { ShortForm } from "./short-name";

/** Advance widths of a font in pixels: by ASCII code, of the ellipsis, and one for all other characters. */
export interface GlyphWidths {
  readonly ascii: Float32Array;
  readonly ellipsis: number;
  readonly other: number;
}

const ELLIPSIS = "…";

/** Measures a font once; `measure` is a canvas's `measureText(text).width`. */
export function measureGlyphs(measure: (text: string) => number): GlyphWidths {
  const ascii = new Float32Array(128);
  for (let code = 32; code < 127; code++) {
    ascii[code] = measure(String.fromCharCode(code));
  }
  let other: number | null = null;
  return {
    ascii,
    ellipsis: measure(ELLIPSIS),
    get other() {
      // Measured where a text has such characters: another font has to be found for them, which takes longer than all before.
      // Wide scripts are about as wide as the font is high: better a label that is cut early than one that overlaps.
      other ??= Math.max(measure("W"), measure("漢"));
      return other;
    },
  };
}

export function textWidthPx(text: string, glyphs: GlyphWidths): number {
  let width = 0;
  for (let k = 0; k < text.length; k++) {
    width += glyphPx(text.charCodeAt(k), glyphs);
  }
  return width;
}

/** Suffix that XLA adds to the name of a program: `jit_train_step(1234567890123)`. */
const PROGRAM_HASH = /\(\d{6,}\)$/;

/** A number at the end tells namesakes apart: `fusion.12`. */
const NUMBER = /(?<!\d)[^\p{L}\p{N}\s]?\d{1,5}$/u;

/** So much of the beginning must be left for the number to be worth its room. */
const LEAST_HEAD = 8;

/** Shorter than this, a text tells nothing. */
const LEAST = 3;

/** Characters that are kept of the longest names, which are whole HLO instructions: more can never be visible. */
const MOST = 512;

/**
 * `text`, or as much of it as fits in `maxPx`. First goes the hash of a program, then the end, except for a number
 * (`jit_train_st….12`) where there is room for it; "" when not even three characters fit.
 */
export function elide(text: string, maxPx: number, glyphs: GlyphWidths): string {
  if (fits(text, maxPx, glyphs)) {
    return text;
  }
  const name = text.replace(PROGRAM_HASH, "") || text;
  if (fits(name, maxPx, glyphs)) {
    return name;
  }
  const room = maxPx - glyphs.ellipsis;
  const number = NUMBER.exec(name.slice(-8))?.[0] ?? "";
  const beside = headOf(name.slice(0, name.length - number.length), room - textWidthPx(number, glyphs), glyphs);
  if (number !== "" && beside.length >= LEAST_HEAD) {
    return beside + ELLIPSIS + number;
  }
  const head = headOf(name, room, glyphs);
  return head.length < LEAST ? "" : head + ELLIPSIS;
}

/** The same by the short form of a name: once the whole name has no room, the tail stays as long as three characters before it do. */
export function elideName(name: string, form: ShortForm | undefined, maxPx: number, glyphs: GlyphWidths): string {
  if (form === undefined || fits(name, maxPx, glyphs)) {
    return elide(name, maxPx, glyphs);
  }
  const { head, tail } = form;
  if (fits(head + tail, maxPx, glyphs)) {
    return head + tail;
  }
  const end = ELLIPSIS + tail.replace(ELLIPSIS, "");
  const beside = headOf(head, maxPx - textWidthPx(end, glyphs), glyphs);
  return tail !== "" && beside.length >= LEAST ? beside + end : elide(head, maxPx, glyphs);
}

function fits(text: string, maxPx: number, glyphs: GlyphWidths): boolean {
  return text.length <= MOST && textWidthPx(text, glyphs) <= maxPx;
}

/** As many characters of the beginning as fit; half of a surrogate pair is left out. */
function headOf(text: string, roomPx: number, glyphs: GlyphWidths): string {
  let head = 0;
  let used = 0;
  while (head < Math.min(text.length, MOST)) {
    used += glyphPx(text.charCodeAt(head), glyphs);
    if (used > roomPx) {
      break;
    }
    head += 1;
  }
  return text.slice(0, head).replace(/[\ud800-\udbff]$/, "");
}

function glyphPx(code: number, glyphs: GlyphWidths): number {
  if (code < 128) {
    return glyphs.ascii[code]!;
  }
  return code === ELLIPSIS.charCodeAt(0) ? glyphs.ellipsis : glyphs.other;
}
