/** The width of text without measuring it, and text cut to a width. */

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
  // Wide scripts are about as wide as the font is high: better a label that is cut early than one that overlaps.
  return { ascii, ellipsis: measure(ELLIPSIS), other: Math.max(measure("W"), measure("漢")) };
}

export function textWidthPx(text: string, glyphs: GlyphWidths): number {
  let width = 0;
  for (let k = 0; k < text.length; k++) {
    width += glyphPx(text.charCodeAt(k), glyphs);
  }
  return width;
}

/**
 * `text`, or as much of it as fits in `maxPx`. The middle is left out, because names often differ in their last
 * characters (`jit_train_step…fusion.12`); "" when not even three characters fit.
 */
export function elide(text: string, maxPx: number, glyphs: GlyphWidths): string {
  // The longest names are whole HLO instructions; only so much of them can ever be visible.
  const shown = text.length > 512 ? text.slice(0, 512) : text;
  if (textWidthPx(shown, glyphs) <= maxPx && shown === text) {
    return text;
  }
  const room = maxPx - glyphs.ellipsis;
  let head = 0;
  let tail = text.length;
  let used = 0;
  // Two characters of the beginning for one of the end.
  for (let turn = 0; head < tail; turn++) {
    const at = turn % 3 === 2 ? tail - 1 : head;
    used += glyphPx(text.charCodeAt(at), glyphs);
    if (used > room) {
      break;
    }
    if (at === head) {
      head += 1;
    } else {
      tail -= 1;
    }
  }
  return head + text.length - tail < 3 ? "" : cut(text, head, tail);
}

function glyphPx(code: number, glyphs: GlyphWidths): number {
  if (code < 128) {
    return glyphs.ascii[code]!;
  }
  return code === ELLIPSIS.charCodeAt(0) ? glyphs.ellipsis : glyphs.other;
}

/** Joins both ends; half of a surrogate pair is left out. */
function cut(text: string, head: number, tail: number): string {
  const left = text.slice(0, head).replace(/[\ud800-\udbff]$/, "");
  const right = text.slice(tail).replace(/^[\udc00-\udfff]/, "");
  return left + ELLIPSIS + right;
}
